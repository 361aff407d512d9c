//! Compares a value with the JSON Schema of a blueprint.
//!
//! The schemas are derived from the types, like those of the OpenAPI document. The comparison follows only what such schemas
//! consist of, because it has to do what validation does not: report each mistake at its own member in the words of the
//! file's author, and copy the rest so that the checks after it find more. Ranges belong to those checks.

use std::sync::LazyLock;

use accord_api::Severity;
use accord_contract::Place;
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

    /// The value without its mistakes, which are reported, or `None` if nothing of it can be kept.
    fn readable(self, value: &Value, place: &Place, findings: &mut Findings) -> Option<Value> {
        let types = self.types();
        let fits = |name: &&str| is_of_type(value, name);
        if value.is_null() && types.contains(&"null") {
            return Some(Value::Null);
        }
        if let Some(forms) = self.list("oneOf") {
            let forms = || forms.iter().map(Shape::of).filter(|form| form.types() != ["null"]);
            // Only one form is left of a type that can be null.
            let form = forms().find(|form| form.types().iter().any(|name| fits(name)));
            match form.or_else(|| forms().next().filter(|_| forms().count() == 1)) {
                Some(form) => return form.readable(value, place, findings),
                None => findings.error(place.clone(), self.mismatch(value)),
            }
            return None;
        }
        if let Some(options) = self.list("enum") {
            return self.option(options, value, place, findings);
        }
        match value {
            Value::Object(members) if self.schema.get("properties").is_some() => {
                Some(Value::Object(self.object(members, place, findings)))
            }
            Value::Object(members) if self.schema.get("additionalProperties").is_some() => {
                Some(Value::Object(self.map(members, place, findings)))
            }
            Value::Array(items) if self.schema.get("items").is_some() => self.items(items, place, findings),
            // An object without declared properties is itself a JSON Schema and compiled later.
            _ if types.is_empty() || types.iter().any(fits) || self.is_any_object() => {
                match self.exceeds_width(value) {
                    false => Some(value.clone()),
                    true => {
                        findings.error(place.clone(), self.mismatch(value));
                        None
                    }
                }
            }
            _ => {
                findings.error(place.clone(), self.mismatch(value));
                None
            }
        }
    }

    /// The members of an object. A missing one is replaced by an empty string, so that the others can be checked.
    pub(super) fn object(
        self,
        members: &Map<String, Value>,
        place: &Place,
        findings: &mut Findings,
    ) -> Map<String, Value> {
        let empty = Map::new();
        let properties = self.schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let mut readable = Map::new();
        for (name, value) in members {
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

    fn map(self, members: &Map<String, Value>, place: &Place, findings: &mut Findings) -> Map<String, Value> {
        let Some(schema) = self.schema.get("additionalProperties") else { return members.clone() };
        let readable = |(name, value): (&String, &Value)| {
            Some((name.clone(), Shape::of(schema).readable(value, &place.key(name), findings)?))
        };
        members.iter().filter_map(readable).collect()
    }

    /// All items or none: without one of them the places of the others would be wrong.
    fn items(self, items: &[Value], place: &Place, findings: &mut Findings) -> Option<Value> {
        let schema = self.schema.get("items")?;
        let readable: Vec<Option<Value>> = (items.iter().enumerate())
            .map(|(index, item)| Shape::of(schema).readable(item, &place.index(index), findings))
            .collect();
        readable.into_iter().collect()
    }

    fn option(
        self,
        options: &[Value],
        value: &Value,
        place: &Place,
        findings: &mut Findings,
    ) -> Option<Value> {
        if options.contains(value) {
            return Some(value.clone());
        }
        let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
        let message = match value {
            Value::String(text) => unknown("value", text, &options),
            other => format!("expected one of {}, got {}", options.join(", "), described(other)),
        };
        findings.error(place.clone(), message);
        None
    }

    fn is_any_object(self) -> bool {
        self.types().contains(&"object")
            && ["properties", "additionalProperties"].iter().all(|name| self.schema.get(name).is_none())
    }

    /// Whether an integer does not fit the type of its field. All are unsigned.
    fn exceeds_width(self, value: &Value) -> bool {
        let Value::Number(number) = value else { return false };
        let is_narrow = self.schema.get("format").and_then(Value::as_str) == Some("int32");
        let fits = |number: u64| !is_narrow || u32::try_from(number).is_ok();
        self.types().contains(&"integer") && !number.as_u64().is_some_and(fits)
    }

    fn mismatch(self, value: &Value) -> String {
        if let Some((_, expected)) = UNIONS.iter().find(|(name, _)| *name == self.name) {
            return format!("expected {expected} got {}", kind_of(value));
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

fn is_of_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(_) => matches!(name, "number" | "integer"),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
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
