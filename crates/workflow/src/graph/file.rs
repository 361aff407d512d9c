//! The JSON Schema of a workflow's file, for editors.
//!
//! It says which fields there are and what each is for, so that an editor completes them and marks a slip. The reader next
//! door knows more (which nodes there are, whether a condition parses) and alone decides; a test holds the two together.

use serde_json::Value;

const TEXT: &str = include_str!("file.schema.json");

/// What may stand in a workflow's file, as JSON Schema.
pub fn file_schema() -> Value {
    serde_json::from_str(TEXT).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use accord_contract::Schema;
    use serde_json::json;

    use super::*;
    use crate::graph::read;
    use crate::limits;

    /// One node of each type with as many fields as it can have at once.
    fn document() -> Value {
        let text = json!({"type": "string"});
        json!({
            "name": "all",
            "description": "every kind of node",
            "nodes": {
                "input": {"type": "input", "description": "in", "position": {"x": 1}, "schema": {"type": "object"}},
                "ask": {"type": "agent", "agent": "a", "prompt": "{{ input.x }}", "output_schema": text, "on_failure": "continue"},
                "here": {"type": "agent", "agent": {"name": "b"}, "parameters": {"x": "{{ input.x }}"}, "output_schema": "report"},
                "other": {"type": "agent", "workflow": "w", "on_failure": {"retry": 2, "then": "continue"}},
                "sound": {"type": "check", "assert": "true", "message": "no", "severity": "warn", "on_failure": "fail"},
                "each": {"type": "map", "over": "{{ input.list }}", "agent": "a", "concurrency": 3, "prompt": "{{ item }}", "on_failure": "fail_at_end"},
                "lead": {"type": "planner", "agent": "p", "agents": ["a"], "synthesis": {"agent": "s"}, "concurrency": 2},
                "output": {"type": "output", "value": "{{ ask }}"},
            },
            "edges": [{"from": "input", "to": "ask", "when": "true"}],
        })
    }

    fn conforms(document: &Value) -> bool {
        Schema::compile(&file_schema()).unwrap().is_valid(document)
    }

    #[test]
    fn a_file_that_can_be_read_conforms() {
        assert_eq!(read(&document()).1, []);
        assert!(conforms(&document()));
    }

    #[test]
    fn a_slip_is_marked_where_the_reader_sees_it_too() {
        let slips = [
            ("/nodes/ask/promt", json!("x")),
            ("/nodes/ask/workflow", json!("too")),
            ("/nodes/ask/on_failure", json!("never")),
            ("/nodes/ask/on_failure", json!("fail_at_end")),
            ("/nodes/each/on_failure", json!("never")),
            ("/nodes/other/on_failure/retry", json!(limits::MOST_RETRIES + 1)),
            ("/nodes/sound/severity", json!("maybe")),
            ("/nodes/each/concurrency", json!(limits::HIGHEST_CONCURRENCY + 1)),
            ("/nodes/each/over", json!(3)),
            ("/nodes/lead/agents", json!([])),
            ("/nodes/lead/synthesis/on_failure", json!("fail")),
            ("/nodes/output/type", json!("outputs")),
            ("/nodes/a b", json!({"type": "output"})),
            ("/edges/0/if", json!("true")),
            ("/extra", json!(1)),
        ];
        for (pointer, value) in slips {
            let mut slipped = document();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            slipped.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(name.to_owned(), value);
            assert!(!read(&slipped).1.is_empty(), "the reader takes {pointer}");
            assert!(!conforms(&slipped), "the schema takes {pointer}");
        }
    }

    #[test]
    fn the_bounds_and_the_fields_are_those_of_the_reader() {
        let schema = file_schema();
        let number = |pointer: &str| schema.pointer(pointer).and_then(Value::as_u64).unwrap();
        assert_eq!(number("/properties/nodes/maxProperties"), limits::MOST_NODES as u64);
        assert_eq!(number("/properties/edges/maxItems"), limits::MOST_EDGES as u64);
        assert_eq!(number("/$defs/concurrency/maximum"), u64::from(limits::HIGHEST_CONCURRENCY));
        assert_eq!(number("/$defs/concurrency/default"), u64::from(limits::USUAL_CONCURRENCY));
        for name in ["on_failure", "map_on_failure"] {
            let most = number(&format!("/$defs/{name}/anyOf/1/properties/retry/maximum"));
            assert_eq!(most, u64::from(limits::MOST_RETRIES));
        }
        let longest = format!("{{0,{}}}$", limits::LONGEST_ID - 1);
        let pattern =
            schema.pointer("/properties/nodes/propertyNames/pattern").and_then(Value::as_str).unwrap();
        assert!(pattern.ends_with(&longest), "{pattern}");
        // The reader lists the fields that a node of a type can have.
        for kind in ["input", "agent", "check", "map", "planner", "output"] {
            let node = json!({"type": kind, "agent": "a", "assert": "true", "message": "m", "over": "o", "agents": ["a"], "?": 1});
            let findings = read(&json!({"name": "x", "nodes": {"one": node}})).1;
            let told =
                findings.iter().find_map(|each| each.message.split_once("expected one of ")).unwrap().1;
            let mut read: Vec<&str> = told.split(", ").collect();
            // They are known so that they can be refused with a reason.
            let refused: &[&str] = match kind {
                "input" | "output" => &["on_failure"],
                "planner" => &["workflow", "output_schema"],
                _ => &[],
            };
            read.retain(|name| !refused.contains(name));
            read.sort_unstable();
            let fields =
                schema.pointer(&format!("/$defs/{kind}/properties")).and_then(Value::as_object).unwrap();
            let mut fields: Vec<&str> = fields.keys().map(String::as_str).collect();
            fields.sort_unstable();
            assert_eq!(fields, read, "{kind}");
        }
    }
}
