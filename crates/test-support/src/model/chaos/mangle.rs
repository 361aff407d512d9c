//! Ways to spoil a good value. Each breaks something that the schema constrains; if there is no
//! such thing, it produces a value that hardly any schema accepts.

use serde_json::{Map, Value, json};

use crate::model::random::Random;

/// A value that is not in the enumeration.
pub(super) fn wrong_enum(schema: &Value, good: &Value, random: &mut Random) -> Value {
    let limited = |(_, property): &(&String, &Value)| property.get("enum").is_some();
    let names =
        properties(schema).into_iter().flatten().filter(limited).map(|(name, _)| name.clone()).collect();
    match pick_member(good, names, random) {
        Some(name) => with(good, &name, json!("none-of-the-choices")),
        None => wrong_type(good, random),
    }
}

/// The value without one of its required properties.
pub(super) fn missing_field(schema: &Value, good: &Value, random: &mut Random) -> Value {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let names = required.filter_map(Value::as_str).map(str::to_owned).collect();
    match (pick_member(good, names, random), good) {
        (Some(name), Value::Object(members)) => {
            let rest = members.iter().filter(|(key, _)| **key != name);
            Value::Object(rest.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        _ => wrong_type(good, random),
    }
}

/// The value with a property of another type, one that cannot be coerced to the right type.
pub(super) fn wrong_type(good: &Value, random: &mut Random) -> Value {
    let names = good.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default();
    let other = |value: Option<&Value>| match value {
        Some(Value::Object(_) | Value::Array(_)) => json!(false),
        _ => json!({"unexpected": [1, 2]}),
    };
    match pick_member(good, names, random) {
        Some(name) => with(good, &name, other(good.get(&name))),
        None => other(Some(good)),
    }
}

/// The value with an extra property.
pub(super) fn extra_field(good: &Value) -> Value {
    if good.is_object() {
        with(good, "confidence_note", json!("quite sure"))
    } else {
        json!({"answer": good})
    }
}

/// A list or an object inside the value, or else the whole value, as a JSON string.
pub(super) fn stringified(good: &Value, random: &mut Random) -> Value {
    let nested = |(_, value): &(&String, &Value)| value.is_array() || value.is_object();
    let names = good.as_object().into_iter().flatten().filter(nested).map(|(name, _)| name.clone()).collect();
    match pick_member(good, names, random) {
        Some(name) => with(good, &name, json!(good[&name].to_string())),
        None => json!(good.to_string()),
    }
}

/// The value with `text` in one of its free strings; `None` if it has no such string.
pub(super) fn with_text(schema: &Value, good: &Value, text: &str) -> Option<Value> {
    let limited = |name: &str| {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        let has = |keyword: &&str| property.is_some_and(|property| property.get(keyword).is_some());
        ["enum", "const", "pattern", "format", "maxLength"].iter().any(has)
    };
    let free = good.as_object()?.iter().find(|(name, value)| value.is_string() && !limited(name));
    free.map(|(name, _)| with(good, name, json!(text)))
}

/// Another value of the same shape: its first number, string or boolean is changed.
pub(super) fn differing(value: &Value) -> Value {
    match value {
        Value::Bool(truth) => json!(!truth),
        Value::Number(number) => json!(number.as_i64().unwrap_or_default().wrapping_add(1)),
        Value::String(text) => json!(format!("{text} (the other one)")),
        Value::Array(items) if items.is_empty() => json!([value]),
        Value::Array(items) => Value::Array(items.iter().map(differing).collect()),
        Value::Object(members) => {
            let mut changed: Map<String, Value> = members.clone();
            // Strings are often one of a few choices; a changed number is more likely to conform as
            // well.
            let first = |wanted: fn(&Value) -> bool| members.iter().find(|(_, value)| wanted(value));
            let member = first(Value::is_number).or_else(|| members.iter().next());
            let (name, other) = member
                .map_or(("other".to_owned(), json!(true)), |(name, value)| (name.clone(), differing(value)));
            changed.insert(name, other);
            Value::Object(changed)
        }
        Value::Null => json!({}),
    }
}

/// The object as text, with its first key twice: first with another value.
pub(super) fn duplicate_keys(good: &Value) -> String {
    let text = good.to_string();
    match (good.as_object().and_then(|members| members.iter().next()), text.strip_prefix('{')) {
        (Some((name, value)), Some(rest)) => format!("{{{}:{},{rest}", json!(name), differing(value)),
        _ => format!("{{\"answer\":null,\"answer\":{text}}}"),
    }
}

/// A prefix of a text that is neither empty nor the whole text.
pub(super) fn beginning(text: &str, random: &mut Random) -> String {
    let characters: Vec<char> = text.chars().collect();
    let length = 1 + random.below(characters.len().saturating_sub(2));
    characters.into_iter().take(length).collect()
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// One of these names that exists as a property of the value.
fn pick_member(value: &Value, names: Vec<String>, random: &mut Random) -> Option<String> {
    let present: Vec<String> = names.into_iter().filter(|name| value.get(name).is_some()).collect();
    random.pick(&present).cloned()
}

fn with(value: &Value, name: &str, member: Value) -> Value {
    let mut members = value.as_object().cloned().unwrap_or_default();
    members.insert(name.to_owned(), member);
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "required": ["kind", "list"], "properties": {
            "kind": {"enum": ["x", "y"]}, "list": {"type": "array"}, "note": {"type": "string"},
        }})
    }

    fn good() -> Value {
        json!({"kind": "x", "list": [1], "note": "n"})
    }

    #[test]
    fn values_break_a_constraint_of_the_schema() {
        let mut random = Random::new(1);
        let (schema, good) = (schema(), good());
        let expected = json!({"kind": "none-of-the-choices", "list": [1], "note": "n"});
        assert_eq!(wrong_enum(&schema, &good, &mut random), expected);
        let missing = missing_field(&schema, &good, &mut random);
        assert!(missing.get("kind").is_none() != missing.get("list").is_none(), "{missing}");
        assert_eq!(stringified(&good, &mut random), json!({"kind": "x", "list": "[1]", "note": "n"}));
        assert_eq!(with_text(&schema, &good, "t"), Some(json!({"kind": "x", "list": [1], "note": "t"})));
        assert_eq!(with_text(&schema, &json!({"kind": "x"}), "t"), None);
        assert_eq!(duplicate_keys(&good), r#"{"kind":"x (the other one)","kind":"x","list":[1],"note":"n"}"#);
    }

    #[test]
    fn any_value_can_be_spoilt() {
        let mut random = Random::new(1);
        for good in [json!(null), json!(1), json!("a"), json!([]), json!([1]), json!({}), json!({"a": 1})] {
            let spoilt = [
                wrong_enum(&json!({}), &good, &mut random),
                missing_field(&json!(true), &good, &mut random),
                wrong_type(&good, &mut random),
                extra_field(&good),
                stringified(&good, &mut random),
                differing(&good),
            ];
            assert!(spoilt.iter().all(|value| *value != good), "{good}: {spoilt:?}");
            assert!(duplicate_keys(&good).starts_with('{'));
            assert!(!beginning(&good.to_string(), &mut random).is_empty());
        }
    }
}
