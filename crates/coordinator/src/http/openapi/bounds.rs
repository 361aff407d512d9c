//! Between which bounds a number may be, wherever it is sent. Said here from what the handlers check, so that a request that
//! conforms to the document is not refused for its numbers.

use serde_json::{Value, json};

use crate::app::{
    HIGHEST_LIMIT, HIGHEST_PRIORITY, LONGEST_CLAIM_SECONDS, LONGEST_HEARTBEAT_SECONDS, LONGEST_WAIT_SECONDS,
};

/// Adds the bounds to parameters and to members of requests.
pub(super) fn state(document: &mut Value) {
    let operations = document.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, operation) in operations.filter_map(|(_, item)| item.as_object_mut()).flatten() {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten().filter_map(Value::as_object_mut) {
            let bounds = match parameter.get("name").and_then(Value::as_str) {
                Some("limit") => json!({"minimum": 1, "maximum": HIGHEST_LIMIT}),
                Some("wait") => json!({"maximum": LONGEST_WAIT_SECONDS}),
                Some("since") => json!({"format": "date-time"}),
                _ => continue,
            };
            add(parameter.get_mut("schema"), bounds);
        }
    }
    let members = [
        ("CreateRun", "priority", json!({"minimum": -HIGHEST_PRIORITY, "maximum": HIGHEST_PRIORITY})),
        ("ClaimRuns", "max", json!({"minimum": 1})),
        ("ClaimRuns", "wait_seconds", json!({"maximum": LONGEST_CLAIM_SECONDS})),
        ("Heartbeat", "wait_seconds", json!({"maximum": LONGEST_HEARTBEAT_SECONDS})),
    ];
    for (shape, member, bounds) in members {
        add(document.pointer_mut(&format!("/components/schemas/{shape}/properties/{member}")), bounds);
    }
    // A batch is the second shape of what MCP takes.
    add(document.pointer_mut("/components/schemas/Messages/oneOf/1"), json!({"minItems": 1}));
}

fn add(schema: Option<&mut Value>, bounds: Value) {
    let (Some(Value::Object(schema)), Value::Object(bounds)) = (schema, bounds) else { return };
    schema.extend(bounds);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::agents::fixture::Fixture;
    use crate::http::openapi::DOCUMENT;

    /// The statuses of a route for numbers at, below and above the bounds that the document gives.
    async fn answers(fixture: &Fixture, path: &str, name: &str) -> Vec<u16> {
        let pointer = format!("/paths/{}/get/parameters", path.replace('/', "~1"));
        let parameters = DOCUMENT.pointer(&pointer).and_then(Value::as_array).unwrap();
        let schema = parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"].clone();
        let (least, most) = (schema["minimum"].as_i64().unwrap(), schema["maximum"].as_i64().unwrap());
        let mut statuses = Vec::new();
        for number in [least - 1, least, most, most + 1] {
            let path = path.replace("{id}", "run_1");
            statuses.push(fixture.get(&format!("{path}?{name}={number}")).await.status.as_u16());
        }
        statuses
    }

    #[tokio::test]
    async fn only_values_within_the_bounds_are_accepted() {
        let fixture = Fixture::new(&[]);
        for list in [
            "/agents",
            "/audit",
            "/endpoints",
            "/keys",
            "/runners",
            "/runs",
            "/schemas",
            "/sessions",
            "/workflow-runs",
            "/workflows",
        ] {
            assert_eq!(answers(&fixture, list, "limit").await, [400, 200, 200, 400], "{list}");
        }
        assert_eq!(answers(&fixture, "/runs/{id}", "wait").await, [400, 404, 404, 400]);
    }

    #[tokio::test]
    async fn the_documented_concurrency_limit_is_enforced() {
        let fixture = Fixture::new(&[]);
        for (concurrency, status) in [(0, 201), (u64::from(u32::MAX), 201), (u64::from(u32::MAX) + 1, 400)] {
            let runner = json!({"profile": {"concurrency": concurrency}});
            assert_eq!(
                fixture.post("/runner/register", &runner).await.status.as_u16(),
                status,
                "{concurrency}"
            );
        }
    }

    #[test]
    fn mcp_accepts_batches() {
        let schema =
            &DOCUMENT["paths"]["/mcp"]["post"]["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/Messages");
        let shapes = &DOCUMENT["components"]["schemas"]["Messages"];
        let shapes = shapes["anyOf"].as_array().or(shapes["oneOf"].as_array()).unwrap();
        let kinds: Vec<_> = shapes.iter().map(|shape| (&shape["type"], &shape["minItems"])).collect();
        assert_eq!(kinds, [(&json!("object"), &Value::Null), (&json!("array"), &json!(1))]);
    }

    #[test]
    fn an_example_can_be_any_value() {
        let examples = &DOCUMENT["components"]["schemas"]["InferSchema"]["properties"]["examples"];
        assert_eq!(examples["items"].get("type"), None, "{examples}");
    }

    #[test]
    fn members_of_requests_have_bounds() {
        let bounds = |shape: &str, member: &str| {
            let schema =
                DOCUMENT.pointer(&format!("/components/schemas/{shape}/properties/{member}")).unwrap();
            (schema["minimum"].as_i64(), schema["maximum"].as_i64())
        };
        assert_eq!(bounds("CreateRun", "priority"), (Some(-1000), Some(1000)));
        assert_eq!(bounds("ClaimRuns", "max"), (Some(1), None));
        assert_eq!(bounds("ClaimRuns", "wait_seconds"), (Some(0), Some(60)));
        assert_eq!(bounds("Heartbeat", "wait_seconds"), (Some(0), Some(30)));
        assert_eq!(bounds("Profile", "concurrency"), (Some(0), Some(u32::MAX.into())));
    }
}
