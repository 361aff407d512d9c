//! Schemas of strict tools that Anthropic is known to reject: the profile predicts it, or lowering
//! avoids them.
//!
//! The limits were measured at the service. It names 24 optional properties and 16 unions as its
//! limits, and rejects a schema that reaches either limit as too complex.

use accord_contract::Meter;
use accord_contract::Schema;
use accord_contract::lower::{Profile, lower};
use serde_json::{Map, Value, json};

/// An object with this many properties of one schema, required or not.
fn object(count: usize, property: &Value, is_required: bool) -> Value {
    let names: Vec<String> = (0..count).map(|index| format!("p{index}")).collect();
    let properties: Map<String, Value> = names.iter().map(|name| (name.clone(), property.clone())).collect();
    let required = if is_required { names } else { Vec::new() };
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Counts what the service counts and rejects what it rejects.
#[derive(Default)]
struct Sent {
    optional: usize,
    unions: usize,
    booleans: usize,
}

impl Sent {
    fn count(&mut self, schema: &Value) {
        let Some(keywords) = schema.as_object() else {
            self.booleans += 1;
            return;
        };
        if keywords.contains_key("anyOf") || keywords.get("type").is_some_and(Value::is_array) {
            self.unions += 1;
        }
        let names = keywords.get("properties").and_then(Value::as_object);
        let required = keywords.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        self.optional += names.map_or(0, Map::len) - required;
        let branches = keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        let parts = names.into_iter().flat_map(Map::values).chain(branches).chain(keywords.get("items"));
        parts.for_each(|part| self.count(part));
    }
}

#[test]
fn schemas_that_anthropic_rejects_are_predicted_or_not_sent() {
    let (text, nullable) = (json!({"type": "string"}), json!({"type": ["string", "null"]}));
    let node =
        json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["next"]});
    let cases = [
        ("24 optional properties", object(24, &text, false), false),
        ("25 optional properties", object(25, &text, false), false),
        ("16 unions", object(16, &nullable, true), true),
        ("17 unions", object(17, &nullable, true), true),
        ("a boolean subschema", object(1, &json!(true), true), false),
        ("recursion", json!({"$ref": "#/$defs/Node", "$defs": {"Node": node}}), true),
        ("a scalar root", json!({"$ref": "#/$defs/Text", "$defs": {"Text": text}}), false),
        ("a union at the root", json!({"anyOf": [object(1, &text, true), text]}), false),
        ("a choice at the root", json!({"oneOf": [object(1, &text, true), object(2, &text, true)]}), false),
    ];
    for (name, document, is_refused) in cases {
        let lowered = lower(
            &Schema::compile(&document, &Meter::default()).unwrap(),
            Profile::named("anthropic").unwrap(),
            &Meter::default(),
        )
        .unwrap();
        assert_eq!(lowered.refusal.is_some(), is_refused, "{name}: {:?}", lowered.refusal);
        if is_refused {
            continue;
        }
        let mut sent = Sent::default();
        sent.count(&lowered.schema);
        assert_eq!(lowered.schema["type"], "object", "{name}: {}", lowered.schema);
        assert!(lowered.schema.get("anyOf").is_none(), "{name}: {}", lowered.schema);
        assert!(sent.optional < 24 && sent.unions < 16, "{name}: {}", lowered.schema);
        assert_eq!(sent.booleans, 0, "{name}: {}", lowered.schema);
    }
}

#[test]
fn schemas_that_anthropic_accepts_are_not_rejected() {
    let nullable = json!({"type": ["string", "null"]});
    for document in [object(23, &json!({"type": "string"}), false), object(15, &nullable, true)] {
        let lowered = lower(
            &Schema::compile(&document, &Meter::default()).unwrap(),
            Profile::named("anthropic").unwrap(),
            &Meter::default(),
        )
        .unwrap();
        assert_eq!(lowered.refusal, None);
        assert_eq!(lowered.schema, document);
    }
}
