//! Compares a value with the JSON Schema of a type: a blueprint, or the body of a request.
//!
//! The schemas are derived from the types, like those of the OpenAPI document. The comparison follows only what such schemas
//! consist of, because it has to do what validation does not: report each mistake at its own member in the words of the
//! file's author, and copy the rest so that the checks after it find more. Ranges belong to those checks.

use std::sync::LazyLock;

use accord_api::Severity;
use accord_contract::{JsonPath, Step};
use accord_domain::agent::Blueprint;
use accord_domain::nearest;
use serde_json::{Map, Number, Value, json};
use utoipa::ToSchema;

use crate::finding::{Finding, Findings, Mark};
use crate::generator_schemas::SCHEMAS;

/// Types with several forms, as they are described to authors.
const UNIONS: [(&str, &str); 3] = [
    ("ExtractJson", "true, false, or a list of 'fence' and 'prose',"),
    ("Fallback", "a model, or an object with a provider and a model,"),
    ("ProcessArguments", "a list of strings, or json, flags or both;"),
];

/// The schema of a type and those that it refers to, by name.
pub(crate) fn type_schemas<T: ToSchema>() -> Map<String, Value> {
    let mut parts = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut parts);
    parts.into_iter().map(|(name, schema)| (name, json!(schema))).collect()
}

/// Describes a value that is not what a type expects at a path: what it is, and what is expected. `None` if the schema of the
/// type allows it.
pub fn mismatch_at<T: ToSchema>(value: &Value, path: &[Step]) -> Option<(Value, &'static str)> {
    let schemas = type_schemas::<T>();
    let mut shape = Shape { schemas: &schemas, name: "", schema: schemas.get(T::name().as_ref())? };
    let mut value = value;
    for step in path {
        (shape, value) = match step {
            Step::Key(name) => (shape.property(name)?, value.get(name)?),
            Step::Index(index) => (shape.inner("items")?, value.get(index)?),
        };
    }
    shape = shape.only_form().unwrap_or(shape);
    let expected = match shape.is_narrow() && shape.is_unsigned() && (value.is_i64() || value.is_u64()) {
        true => "an integer from 0 to 4294967295",
        false => shape.expected(),
    };
    (!shape.allows(value)).then(|| (value.clone(), expected))
}

static READ: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let mut schemas = type_schemas::<Blueprint>();
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
pub(crate) struct Shape<'a> {
    schemas: &'a Map<String, Value>,
    /// The name of the type, unless it is a plain one.
    name: &'a str,
    schema: &'a Value,
}

/// The schema of the type of a blueprint with this name.
pub(crate) fn shape(name: &str) -> Shape<'_> {
    Shape { schemas: &READ, name, schema: READ.get(name).unwrap_or(&Value::Null) }
}

impl<'a> Shape<'a> {
    fn of(self, schema: &'a Value) -> Self {
        match schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(SCHEMAS)) {
            Some(name) => Self { name, schema: self.schemas.get(name).unwrap_or(&Value::Null), ..self },
            None => Self { name: "", schema, ..self },
        }
    }

    /// Its form besides null, if there is only one.
    fn only_form(self) -> Option<Self> {
        let forms = self.list("oneOf").into_iter().flatten().map(|form| self.of(form));
        let forms: Vec<Self> = forms.filter(|form| form.types() != ["null"]).collect();
        if let [only] = forms.as_slice() { Some(*only) } else { None }
    }

    fn inner(self, keyword: &str) -> Option<Self> {
        self.schema.get(keyword).map(|schema| self.of(schema))
    }

    /// The schema of a member of an object: of its own, of one of its parts or forms, or of all members.
    fn property(self, name: &str) -> Option<Self> {
        let own = self.schema.get("properties").and_then(|all| all.get(name)).map(|schema| self.of(schema));
        let parts = ["allOf", "oneOf"].into_iter().filter_map(|keyword| self.list(keyword)).flatten();
        own.or_else(|| parts.map(|part| self.of(part)).find_map(|part| part.property(name)))
            .or_else(|| self.inner("additionalProperties"))
    }

    fn list(self, keyword: &str) -> Option<&'a Vec<Value>> {
        self.schema.get(keyword).and_then(Value::as_array)
    }

    /// The JSON types that it allows; empty if it allows all.
    fn types(self) -> Vec<&'a str> {
        match self.schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => self.list("oneOf").into_iter().flatten().flat_map(|each| self.of(each).types()).collect(),
        }
    }

    fn has(self, keyword: &str) -> bool {
        self.schema.get(keyword).is_some()
    }

    /// Whether it allows the type of a value.
    fn allows(self, value: &Value) -> bool {
        let types = self.types();
        // An object without declared properties is itself a JSON Schema and compiled later.
        let is_schema = types.contains(&"object")
            && !["properties", "additionalProperties", "oneOf"].iter().any(|keyword| self.has(keyword));
        let is_integer = |number: &Number| match (self.is_unsigned(), self.is_narrow()) {
            (true, true) => number.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
            (true, false) => number.is_u64(),
            (false, true) => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            (false, false) => number.is_i64(),
        };
        let is_of_type = |name: &&str| match value {
            Value::Null => *name == "null",
            Value::Bool(_) => *name == "boolean",
            Value::Number(number) => *name == "number" || *name == "integer" && is_integer(number),
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
            let mut forms = forms.iter().map(|form| self.of(form));
            let form = self.only_form().or_else(|| forms.find(|form| form.allows(value)));
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
    pub(crate) fn object(
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
                    let value = self.of(schema).readable(value, &place, findings);
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
                let schema = self.schema.get("properties").and_then(|all| all.get(name));
                let is_list =
                    schema.and_then(|schema| schema.get("type")).is_some_and(|kind| kind == "array");
                readable.insert(name.to_owned(), if is_list { json!([]) } else { json!("") });
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
            Some((name.clone(), self.of(schema).readable(value, &place.key(name), findings)?))
        };
        members.iter().filter_map(readable).collect()
    }

    /// All items or none: without one of them the places of the others would be wrong.
    fn items(self, items: &[Value], place: &JsonPath, findings: &mut Findings) -> Option<Value> {
        let schema = self.schema.get("items")?;
        let readable: Vec<Option<Value>> = (items.iter().enumerate())
            .map(|(index, item)| self.of(schema).readable(item, &place.index(index), findings))
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
        format!("expected {}, got {}", self.expected(), described(value))
    }

    fn is_narrow(self) -> bool {
        self.schema.get("format").is_some_and(|format| format == "int32")
    }

    fn is_unsigned(self) -> bool {
        self.schema.get("minimum").and_then(Value::as_i64).is_some_and(|least| least >= 0)
    }

    fn expected(self) -> &'static str {
        match self.types().into_iter().find(|name| *name != "null") {
            Some("integer") if self.is_unsigned() => "an integer, 0 or more",
            Some("integer") => "an integer",
            Some("number") => "a number",
            Some("boolean") => "a boolean",
            Some("array") => "a list",
            Some("object") if self.has("oneOf") => "an object with a type",
            Some("object") => "an object",
            _ => "a string",
        }
    }
}

/// The message for a name that is not among the known ones.
pub(crate) fn unknown(noun: &str, name: &str, known: &[&str]) -> String {
    let short: String = name.chars().take(80).collect();
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("unknown {noun} '{short}'; did you mean '{meant}'?"),
        None if known.is_empty() => format!("unknown {noun} '{short}'"),
        None => format!("unknown {noun} '{short}'; expected one of {}", known.join(", ")),
    }
}

/// A short value, or the type of a long one.
pub(crate) fn described(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() <= 40 => format!("the string {value}"),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => kind_of(value).to_owned(),
    }
}

/// The type of a value, with its article.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    if value.is_array() { "a list" } else { accord_json::kind_of(value) }
}
