//! Errors that every route of a kind can return, independent of its handler.
//!
//! They are added here from the table of routes, so that no route forgets them.

use serde_json::{Map, Value, json};

use crate::http::openai;
use crate::http::route::Access;
use crate::http::routes::ROUTES;

const BEARER: &str = "bearer";

/// Adds the refusals to every operation, and how to show a key to those that ask for one.
pub(super) fn describe(document: &mut Value) {
    let scheme = json!({
        "type": "http",
        "scheme": BEARER,
        "description": "An API key, or a run token. Not required while no key exists and only local requests are served.",
    });
    if let Some(Value::Object(components)) = document.get_mut("components") {
        components.insert("securitySchemes".to_owned(), json!({BEARER: scheme}));
    }
    let Some(Value::Object(paths)) = document.get_mut("paths") else { return };
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if let Value::Object(operation) = operation {
                let shape = if openai::serves(path) { "OpenAiError" } else { "ErrorBody" };
                complete(operation, is_open(method, path), reads_document(method, path), shape);
            }
        }
    }
}

fn is_open(method: &str, path: &str) -> bool {
    ROUTES.iter().any(|route| {
        route.access == Access::Open && route.path == path && route.method.eq_ignore_ascii_case(method)
    })
}

/// The routes whose responses may be large: a client that does not read its responses gets no more of them.
const DOCUMENTS: &[&str] = &[
    "/agents/{name}",
    "/files/{id}",
    "/runs/{id}",
    "/runs/{id}/attempts",
    "/runs/{id}/files/{file_id}",
    "/schemas/{name}",
    "/sessions/{id}/events",
    "/sessions/{id}/result",
    "/v1/responses/{id}",
    "/workflow-runs/{id}",
    "/workflows/{name}",
];

fn reads_document(method: &str, path: &str) -> bool {
    method.eq_ignore_ascii_case("get") && DOCUMENTS.contains(&path)
}

fn complete(operation: &mut Map<String, Value>, is_open: bool, reads_document: bool, shape: &str) {
    let has_body = operation.contains_key("requestBody");
    let parameters = operation.get("parameters").and_then(Value::as_array);
    // An invalid path is not found; everything else in a request can be invalid.
    let is_sent = |parameter: &Value| parameter.get("in").is_some_and(|place| place != "path");
    let takes_more = parameters.is_some_and(|all| all.iter().any(is_sent));
    if !is_open {
        operation.insert("security".to_owned(), json!([{BEARER: []}]));
    }
    let Some(Value::Object(responses)) = operation.get_mut("responses") else { return };
    let refusals = [
        ("400", "InvalidRequest", has_body || takes_more),
        ("401", "Unauthorized", !is_open),
        ("403", "Forbidden", !is_open),
        ("413", "RequestTooLarge", has_body),
        ("415", "UnsupportedMediaType", has_body),
        ("429", if reads_document { "TooManyAttempts, UnreadAnswers" } else { "TooManyAttempts" }, !is_open),
        ("503", "StoreUnavailable, Overloaded", !is_open),
    ];
    for (status, name, _) in refusals.into_iter().filter(|(_, _, occurs)| *occurs) {
        // A handler's own description of a status takes precedence.
        responses.entry(status).or_insert_with(|| refusal(name, shape));
    }
    responses.sort_keys();
}

fn refusal(name: &str, shape: &str) -> Value {
    let schema = json!({"$ref": format!("#/components/schemas/{shape}")});
    json!({"description": name, "content": {"application/json": {"schema": schema}}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_lists_its_errors() {
        let own = || json!({"200": {"description": "x"}});
        let mut document = json!({"components": {}, "paths": {
            "/health": {"get": {"responses": own()}},
            "/agents/{name}": {
                "get": {"parameters": [{"in": "path"}], "responses": own()},
                "delete": {"parameters": [{"in": "path"}, {"in": "header"}], "responses": own()},
            },
            "/runs": {"post": {
                "requestBody": {}, "responses": {"200": {}, "400": {"description": "InvalidSchema"}, "409": {}},
            }},
        }});
        describe(&mut document);
        assert_eq!(document.pointer("/components/securitySchemes/bearer/scheme"), Some(&json!("bearer")));
        let statuses = |pointer: &str| {
            let operation = document.pointer(pointer).unwrap();
            let responses = operation.get("responses").and_then(Value::as_object).unwrap();
            let keys: Vec<String> = responses.keys().cloned().collect();
            (keys.join(" "), operation.get("security").is_some())
        };
        assert_eq!(statuses("/paths/~1health/get"), ("200".to_owned(), false));
        assert_eq!(statuses("/paths/~1agents~1{name}/get"), ("200 401 403 429 503".to_owned(), true));
        assert_eq!(statuses("/paths/~1agents~1{name}/delete"), ("200 400 401 403 429 503".to_owned(), true));
        assert_eq!(statuses("/paths/~1runs/post"), ("200 400 401 403 409 413 415 429 503".to_owned(), true));
        let said = document.pointer("/paths/~1runs/post/responses/400/description");
        assert_eq!(said, Some(&json!("InvalidSchema")));
    }
}
