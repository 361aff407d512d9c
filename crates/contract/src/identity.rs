//! The hash by which callers name the contract that they were written for.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::schema::walk;

/// Keywords that explain and restrict nothing: a caller does not have to change when they do.
const ANNOTATIONS: [&str; 8] =
    ["$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];

/// Keywords whose lists have no order.
const SETS: [&str; 3] = ["enum", "required", "type"];

/// How many bytes of a digest are kept: contracts change by accident, not to collide, and the hash is shown to people.
const BYTES: usize = 8;

/// `INPUT-OUTPUT`: half for the input schema and half for the output schema, so that a difference can be attributed. The output
/// half is `none` without a schema. Annotations, the order of keys and the order of an `enum` do not count.
pub fn contract_hash(input: &Value, output: Option<&Value>) -> String {
    format!("{}-{}", half(input), output.map_or_else(|| "none".to_owned(), half))
}

fn half(schema: &Value) -> String {
    let digest = Sha256::digest(without_annotations(schema).to_string().as_bytes());
    digest.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// The schema as far as callers depend on it, with its keys in order.
pub(crate) fn without_annotations(schema: &Value) -> Value {
    let mut places = Vec::new();
    walk::each(schema, &mut |place, _| places.push(place.pointer()));
    let mut plain = schema.clone();
    for place in places {
        if let Some(Value::Object(keywords)) = plain.pointer_mut(&place) {
            keywords.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
            for keyword in SETS {
                if let Some(Value::Array(list)) = keywords.get_mut(keyword) {
                    list.sort_by_cached_key(Value::to_string);
                }
            }
        }
    }
    plain.sort_all_objects();
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]})
    }

    #[test]
    fn each_half_depends_on_one_schema() {
        let (one, other) = (schema(), json!({"type": "string"}));
        let both = contract_hash(&one, Some(&other));
        let (input, output) = both.split_once('-').unwrap();
        assert_eq!(contract_hash(&one, None), format!("{input}-none"));
        assert_eq!(contract_hash(&other, Some(&one)), format!("{output}-{input}"));
        assert_eq!(both, "2a669efc62a24ebf-00404e686415370f");
    }

    #[test]
    fn annotations_and_order_do_not_count() {
        let mut explained = json!({
            "required": ["title"], "title": "Task", "type": "object",
            "properties": {"title": {"type": "string", "description": "In one line", "examples": ["a"]}},
        });
        assert_eq!(contract_hash(&explained, None), contract_hash(&schema(), None));
        let list = |values: [&str; 2]| json!({"enum": values});
        assert_eq!(contract_hash(&list(["a", "b"]), None), contract_hash(&list(["b", "a"]), None));
        assert_ne!(contract_hash(&list(["a", "b"]), None), contract_hash(&list(["a", "c"]), None));
        // A property that is called like an annotation does count.
        explained["properties"].as_object_mut().unwrap().remove("title");
        assert_ne!(contract_hash(&explained, None), contract_hash(&schema(), None));
    }
}
