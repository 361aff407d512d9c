//! Inputs of the judge: valid documents of three sizes, and a schema with many definitions.

use accord_contract::Meter;
use accord_contract::{Contract, Mode, Options, Schema, SchemaError};
use serde_json::{Map, Value, json};

/// A clean document with its schema.
#[derive(Debug, Clone)]
pub struct Clean {
    /// How large it is, in words.
    pub name: &'static str,
    /// The answer.
    pub text: String,
    /// Its schema.
    pub schema: Value,
}

/// Answers that need no repair: the common case, which must cost no more than parsing and validating.
pub fn clean() -> [Clean; 3] {
    [
        Clean { name: "small (3 members)", text: json!(item(0)).to_string(), schema: item_schema() },
        list("medium (50 items)", 50),
        list("large (5,000 items)", 5_000),
    ]
}

fn list(name: &'static str, length: usize) -> Clean {
    let items: Vec<Value> = (0..length).map(item).collect();
    let schema = json!({"type": "object", "required": ["items"], "additionalProperties": false,
        "properties": {"items": {"type": "array", "items": item_schema()}}});
    Clean { name, text: json!({ "items": items }).to_string(), schema }
}

fn item(index: usize) -> Value {
    json!({"title": format!("Finding {index}: the lock is held across a \"slow\" call"), "line": index, "severity": "high"})
}

fn item_schema() -> Value {
    json!({"type": "object", "required": ["title", "line", "severity"], "additionalProperties": false,
        "properties": {"title": {"type": "string", "minLength": 1}, "line": {"type": "integer", "minimum": 0},
            "severity": {"enum": ["low", "medium", "high"]}}})
}

/// A schema whose properties each refer to a definition of their own.
pub fn many_definitions(count: usize) -> Value {
    let named = |prefix: &str, value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        (0..count).map(|index| (format!("{prefix}{index}"), value(index))).collect()
    };
    let definitions = named("d", &|_| item_schema());
    let properties = named("p", &|index| json!({"$ref": format!("#/definitions/d{index}")}));
    json!({"type": "object", "properties": properties, "definitions": definitions})
}

/// A contract in a mode.
pub fn contract(schema: &Value, mode: Mode) -> Result<Contract, SchemaError> {
    let options = Options { mode, ..Options::default() };
    Ok(Contract::new(Schema::compile(schema, &Meter::default())?).with_options(options))
}

#[cfg(test)]
mod tests {
    use accord_contract::{Answer, Verdict, judge};

    use super::*;

    #[test]
    fn clean_documents_are_clean() {
        for clean in clean() {
            let contract = contract(&clean.schema, Mode::Strict).unwrap();
            let Verdict::Accepted(accepted) = judge(&Answer::text(&clean.text), &contract, &Meter::default())
            else {
                panic!("{} is not accepted", clean.name);
            };
            assert_eq!(accepted.repairs, [], "{}", clean.name);
        }
    }

    #[test]
    fn a_thousand_definitions_compile() {
        let contract = contract(&many_definitions(1_000), Mode::Strict).unwrap();
        let text = json!({"p999": item(1)}).to_string();
        assert!(matches!(judge(&Answer::text(&text), &contract, &Meter::default()), Verdict::Accepted(_)));
    }
}
