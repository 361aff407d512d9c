//! The meaning of a keyword as a sentence for the model.

use serde_json::Value;

use super::graph::Demand;
use super::names::RENAMED;

/// Longer pieces of schema are left to the validator: a model does not read them.
const LONGEST_SCHEMA: usize = 400;

/// Beyond this the list of an enum's values is cut.
const LONGEST_LIST: usize = 8_000;

/// The sentence for a demand; `None` if words would not help.
pub(super) fn sentence(demand: &Demand) -> Option<String> {
    let value = &demand.value;
    let sentence = match demand.keyword {
        "minLength" => format!("At least {}.", count(value, "character")?),
        "maxLength" => format!("At most {}.", count(value, "character")?),
        "pattern" => format!("Matches the regular expression {}.", value.as_str()?),
        "format" => format!("In the format {}.", value.as_str()?),
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("Greater than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "minItems" => format!("At least {}.", count(value, "item")?),
        "maxItems" => format!("At most {}.", count(value, "item")?),
        "uniqueItems" => "No two items are the same.".to_owned(),
        "contains" => format!("At least one item conforms to this JSON Schema: {}.", schema(value)?),
        "minProperties" => format!("At least {}.", members(value)?),
        "maxProperties" => format!("At most {}.", members(value)?),
        "propertyNames" => format!("Each name conforms to this JSON Schema: {}.", schema(value)?),
        "dependentRequired" | "dependentSchemas" | "dependencies" => return dependencies(value),
        "not" => format!("Does not conform to this JSON Schema: {}.", schema(value)?),
        "if" => return condition(value),
        "anyOf" => format!("Conforms to at least one of these JSON Schemas: {}.", schema(value)?),
        "oneOf" => format!("Conforms to exactly one of these JSON Schemas: {}.", schema(value)?),
        "enum" => format!("One of: {}.", list(value)?),
        RENAMED => return renamed(value),
        _ => return None,
    };
    Some(sentence)
}

fn count(value: &Value, thing: &str) -> Option<String> {
    let plural = if value.as_u64() == Some(1) { "" } else { "s" };
    value.is_number().then(|| format!("{value} {thing}{plural}"))
}

fn members(value: &Value) -> Option<String> {
    let word = if value.as_u64() == Some(1) { "property" } else { "properties" };
    value.is_number().then(|| format!("{value} {word}"))
}

fn schema(value: &Value) -> Option<String> {
    let text = value.to_string();
    (!value.is_null() && text.len() <= LONGEST_SCHEMA).then_some(text)
}

fn condition(value: &Value) -> Option<String> {
    let question = schema(value.get("if")?)?;
    let mut sentence = format!("If it conforms to the JSON Schema {question}");
    if let Some(then) = value.get("then") {
        sentence.push_str(&format!(", it also conforms to {}", schema(then)?));
    }
    if let Some(otherwise) = value.get("else") {
        sentence.push_str(&format!(", and if it does not, it conforms to {}", schema(otherwise)?));
    }
    sentence.push('.');
    Some(sentence)
}

fn dependencies(value: &Value) -> Option<String> {
    let mut sentences = Vec::new();
    for (name, needs) in value.as_object()? {
        let name = Value::from(name.as_str());
        sentences.push(match needs {
            Value::Array(names) if names.is_empty() => continue,
            Value::Array(_) => format!("With {name} these are also present: {}.", list(needs)?),
            needs => format!("With {name} it also conforms to the JSON Schema {}.", schema(needs)?),
        });
    }
    let text = sentences.join(" ");
    (!text.is_empty() && text.len() <= 2 * LONGEST_SCHEMA).then_some(text)
}

fn list(value: &Value) -> Option<String> {
    let values = value.as_array()?;
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        let item = value.to_string();
        if text.len() + item.len() > LONGEST_LIST {
            text.push_str(&format!(", and {} more", values.len() - index));
            break;
        }
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&item);
    }
    Some(text)
}

fn renamed(value: &Value) -> Option<String> {
    let sentences: Vec<String> = value
        .as_array()?
        .iter()
        .filter_map(|pair| Some(format!("{} stands for the property {}.", pair.get(0)?, pair.get(1)?)))
        .collect();
    Some(sentences.join(" ")).filter(|text| text.len() <= LONGEST_LIST)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json_path::JsonPath;

    fn say(keyword: &'static str, value: Value) -> Option<String> {
        sentence(&Demand { keyword, value, place: JsonPath::root() })
    }

    #[test]
    fn keywords_become_sentences() {
        assert_eq!(say("minLength", json!(1)).unwrap(), "At least 1 character.");
        assert_eq!(say("exclusiveMaximum", json!(2.5)).unwrap(), "Less than 2.5.");
        assert_eq!(say("enum", json!(["a", 1])).unwrap(), "One of: \"a\", 1.");
        assert_eq!(
            say("dependentRequired", json!({"a": ["b"]})).unwrap(),
            "With \"a\" these are also present: \"b\"."
        );
        assert_eq!(
            say("if", json!({"if": {"minimum": 1}, "then": {"maximum": 2}})).unwrap(),
            "If it conforms to the JSON Schema {\"minimum\":1}, it also conforms to {\"maximum\":2}."
        );
    }

    #[test]
    fn a_schema_too_long_to_read_is_left_to_the_validator() {
        assert_eq!(say("not", json!({"enum": ["x".repeat(1000)]})), None);
    }
}
