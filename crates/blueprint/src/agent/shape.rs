//! Compares a value with the JSON Schema of a blueprint.
//!
//! The schemas are derived from the types, like those of the OpenAPI document. The comparison follows only what such schemas
//! consist of, because it has to do what validation does not: report each mistake at its own member in the words of the
//! file's author, and copy the rest so that the checks after it find more. Ranges belong to those checks.

use std::sync::LazyLock;

use accord_api::Severity;
use accord_contract::JsonPath;
use accord_domain::agent::Blueprint;
use accord_domain::nearest;
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::finding::{Finding, Findings, Mark};

const REFERENCE: &str = "#/components/schemas/";

/// Types with several forms, as they are described to authors.
const UNIONS: [(&str, &str); 3] = [
    ("ExtractJson", "true, false, or a list of 'fence' and 'prose',"),
    ("Fallback", "a model, or an object with a provider and a model,"),
    ("ProcessArguments", "a list of strings, or json, flags or both;"),
];

static SCHEMAS: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let mut parts = vec![("Blueprint".to_owned(), Blueprint::schema())];
    Blueprint::schemas(&mut parts);
    let mut schemas: Map<String, Value> =
        parts.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    // The settings of an executor depend on its type, so the reader compares them itself.
    if let Some(Value::Object(blueprint)) = schemas.get_mut("Blueprint") {
        blueprint.insert("required".to_owned(), json!(["name"]));
        if let Some(Value::Object(properties)) = blueprint.get_mut("properties") {
            properties.insert("executor".to_owned(), json!({}));
        }
    }
    schemas
});

/// The schema of a type.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    /// The name of the type, unless it is a plain one.
    name: &'a str,
    schema: &'a Value,
}

/// The schema of the type with this name.
pub(super) fn shape(name: &str) -> Shape<'_> {
    Shape { name, schema: SCHEMAS.get(name).unwrap_or(&Value::Null) }
}

impl<'a> Shape<'a> {
    fn of(schema: &'a Value) -> Self {
        match schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(REFERENCE)) {
            Some(name) => shape(name),
            None => Self { name: "", schema },
        }
    }

    fn list(self, keyword: &str) -> Option<&'a Vec<Value>> {
        self.schema.get(keyword).and_then(Value::as_array)
    }

    /// The JSON types that it allows; empty if it allows all.
    fn types(self) -> Vec<&'a str> {
        match self.schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => self.list("oneOf").into_iter().flatten().flat_map(|each| Shape::of(each).types()).collect(),
        }
    }

    fn has(self, keyword: &str) -> bool {
        self.schema.get(keyword).is_some()
    }

    /// Whether it allows the type of a value.
    fn allows(self, value: &Value) -> bool {
        let types = self.types();
        // An object without declared properties is itself a JSON Schema and compiled later.
        let is_schema =
            types.contains(&"object") && !self.has("properties") && !self.has("additionalProperties");
        let is_narrow = self.schema.get("format").and_then(Value::as_str) == Some("int32");
        let is_integer = |number: u64| !is_narrow || u32::try_from(number).is_ok();
        let is_of_type = |name: &&str| match value {
            Value::Null => *name == "null",
            Value::Bool(_) => *name == "boolean",
            // All integers of a blueprint are unsigned.
            Value::Number(number) => {
                *name == "number" || *name == "integer" && number.as_u64().is_some_and(is_integer)
            }
            Value::String(_) => *name == "string",
            Value::Array(_) => *name == "array",
            Value::Object(_) => *name == "object",
        };
        types.is_empty() || is_schema || types.iter().any(is_of_type)
    }

    /// The value without its mistakes, which are reported, or `None` if nothing of it can be kept.
    fn readable(self, value: &Value, place: &JsonPath, findings: &mut Findings) -> Option<Value> {
        if findings.is_full() {
            return None;
        }
        if value.is_null() && self.types().contains(&"null") {
            return Some(Value::Null);
        }
        if let Some(forms) = self.list("oneOf") {
            let forms = forms.iter().map(Shape::of).filter(|form| form.types() != ["null"]);
            let form = match forms.collect::<Vec<_>>().as_slice() {
                [only] => Some(*only),
                several => several.iter().copied().find(|form| form.allows(value)),
            };
            match form {
                Some(form) => return form.readable(value, place, findings),
                None => findings.error(place.clone(), self.mismatch(value)),
            }
            return None;
        }
        if !self.allows(value) || self.list("enum").is_some_and(|options| !options.contains(value)) {
            findings.error(place.clone(), self.mismatch(value));
            return None;
        }
        match value {
            Value::Object(members) if self.has("properties") => {
                Some(Value::Object(self.object(members, place, findings)))
            }
            Value::Object(members) if self.has("additionalProperties") => {
                Some(Value::Object(self.map(members, place, findings)))
            }
            Value::Array(items) if self.has("items") => self.items(items, place, findings),
            other => Some(other.clone()),
        }
    }

    /// The members of an object. A missing one is replaced by an empty string, so that the others can be checked.
    pub(super) fn object(
        self,
        members: &Map<String, Value>,
        place: &JsonPath,
        findings: &mut Findings,
    ) -> Map<String, Value> {
        let empty = Map::new();
        let properties = self.schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let mut readable = Map::new();
        for (name, value) in members {
            if findings.is_full() {
                break;
            }
            let place = place.key(name);
            match properties.get(name) {
                Some(schema) => {
                    let value = Shape::of(schema).readable(value, &place, findings);
                    readable.extend(value.map(|value| (name.clone(), value)));
                }
                None => {
                    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                    let message = unknown("field", name, &known);
                    findings.push(Finding { severity: Severity::Error, place, mark: Mark::Name, message });
                }
            }
        }
        for name in self.list("required").into_iter().flatten().filter_map(Value::as_str) {
            if !readable.contains_key(name) {
                findings.error(place.key(name), format!("missing field '{name}'"));
                readable.insert(name.to_owned(), Value::from(""));
            }
        }
        readable
    }

    fn map(
        self,
        members: &Map<String, Value>,
        place: &JsonPath,
        findings: &mut Findings,
    ) -> Map<String, Value> {
        let Some(schema) = self.schema.get("additionalProperties") else { return members.clone() };
        let readable = |(name, value): (&String, &Value)| {
            Some((name.clone(), Shape::of(schema).readable(value, &place.key(name), findings)?))
        };
        members.iter().filter_map(readable).collect()
    }

    /// All items or none: without one of them the places of the others would be wrong.
    fn items(self, items: &[Value], place: &JsonPath, findings: &mut Findings) -> Option<Value> {
        let schema = self.schema.get("items")?;
        let readable: Vec<Option<Value>> = (items.iter().enumerate())
            .map(|(index, item)| Shape::of(schema).readable(item, &place.index(index), findings))
            .collect();
        readable.into_iter().collect()
    }

    fn mismatch(self, value: &Value) -> String {
        if let Some((_, expected)) = UNIONS.iter().find(|(name, _)| *name == self.name) {
            return format!("expected {expected} got {}", kind_of(value));
        }
        if let Some(options) = self.list("enum") {
            let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
            return match value {
                Value::String(text) => unknown("value", text, &options),
                other => format!("expected one of {}, got {}", options.join(", "), described(other)),
            };
        }
        let expected = match self.types().first() {
            Some(&"integer") => "an integer, 0 or more",
            Some(&"number") => "a number",
            Some(&"boolean") => "a boolean",
            Some(&"array") => "a list",
            Some(&"object") => "an object",
            _ => "a string",
        };
        format!("expected {expected}, got {}", described(value))
    }
}

/// The message for a name that is not among the known ones.
pub(super) fn unknown(noun: &str, name: &str, known: &[&str]) -> String {
    let short: String = name.chars().take(80).collect();
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("unknown {noun} '{short}'; did you mean '{meant}'?"),
        None if known.is_empty() => format!("unknown {noun} '{short}'"),
        None => format!("unknown {noun} '{short}'; expected one of {}", known.join(", ")),
    }
}

/// A short value, or the type of a long one.
pub(super) fn described(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() <= 40 => format!("the string {value}"),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => kind_of(value).to_owned(),
    }
}

/// The type of a value, with its article.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
