//! Moves schemas into others and out of them. A reference such as `#` or `#/$defs/x` points into the document that it was
//! written in, so that document is copied as a definition, and the references are rewritten.
//!
//! Not supported: documents with `$id`, `$anchor` and the like. If such a schema has references, `true` takes its place.

use serde_json::{Map, Value, json};

use crate::fit::{is_addressed, mentions_references};

/// What the value of a keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A schema, or a list of them.
    Schemas,
    /// Schemas by names of the author's own.
    Named,
    /// Data, in which nothing is a schema.
    Data,
}

/// What the value of a keyword is. One that is not known may well hold schemas: references may lead there.
pub(crate) fn holds(keyword: &str) -> Holds {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Holds::Named,
        "enum" | "const" | "default" | "examples" | "required" | "type" => Holds::Data,
        _ => Holds::Schemas,
    }
}

/// Schemas that become parts of one that is made around them.
#[derive(Debug, Default)]
pub(crate) struct Wrapper {
    definitions: Map<String, Value>,
}

impl Wrapper {
    /// Adds a schema, and returns it with its references rewritten.
    pub(crate) fn put(&mut self, schema: &Value) -> Value {
        if !mentions_references(schema) {
            return schema.clone();
        }
        if is_addressed(schema) {
            return Value::Bool(true);
        }
        let name = format!("part{}", self.definitions.len());
        let moved = moved(schema, &format!("#/$defs/{name}"));
        self.definitions.insert(name, moved.clone());
        moved
    }

    /// The schema around them, with what their references need.
    pub(crate) fn around(self, mut schema: Value) -> Value {
        if let Value::Object(keywords) = &mut schema
            && !self.definitions.is_empty()
        {
            keywords.insert("$defs".to_owned(), Value::Object(self.definitions));
        }
        schema
    }
}

/// A part of a document as a standalone document.
pub(crate) fn taken_out(document: &Value, part: &Value) -> Value {
    if std::ptr::eq(document, part) || !mentions_references(part) {
        return part.clone();
    }
    if is_addressed(document) {
        return Value::Bool(true);
    }
    const PREFIX: &str = "#/$defs/whole";
    let mut out = moved(part, PREFIX);
    if let Value::Object(keywords) = &mut out {
        // What was defined inside of the part is reached through the whole, like everything else.
        keywords.insert("$defs".to_owned(), json!({"whole": moved(document, PREFIX)}));
    }
    out
}

/// A schema whose references into its own document begin at `prefix`. Its own address goes: it would not be the address
/// of the document that the schema comes into.
pub(crate) fn moved(schema: &Value, prefix: &str) -> Value {
    let mut moved = led(schema, prefix);
    if let Value::Object(keywords) = &mut moved {
        keywords.shift_remove("$id");
        keywords.shift_remove("$schema");
    }
    moved
}

fn led(schema: &Value, prefix: &str) -> Value {
    match schema {
        Value::Object(keywords) => {
            let each = keywords.iter().map(|(keyword, value)| {
                let value = match (keyword.as_str(), value, holds(keyword)) {
                    ("$ref", Value::String(reference), _) => Value::from(led_reference(reference, prefix)),
                    (_, Value::Object(named), Holds::Named) => {
                        named.iter().map(|(name, inner)| (name.clone(), led(inner, prefix))).collect()
                    }
                    (_, value, Holds::Data) => value.clone(),
                    (_, value, _) => led(value, prefix),
                };
                (keyword.clone(), value)
            });
            Value::Object(each.collect())
        }
        Value::Array(items) => items.iter().map(|item| led(item, prefix)).collect(),
        other => other.clone(),
    }
}

fn led_reference(reference: &str, prefix: &str) -> String {
    match reference.strip_prefix('#') {
        Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => format!("{prefix}{pointer}"),
        _ => reference.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_point_into_their_own_schema() {
        let tree = json!({
            "type": "object",
            "properties": {"next": {"$ref": "#"}, "leaf": {"$ref": "#/$defs/leaf"}, "$ref": {"const": {"$ref": "#"}}},
            "$defs": {"leaf": {"type": "string"}},
        });
        let mut wrapper = Wrapper::default();
        let inside = wrapper.put(&tree);
        let plain = json!({"type": "integer"});
        assert_eq!(wrapper.put(&plain), plain);
        let all = wrapper.around(json!({"type": "array", "items": inside}));
        let moved = json!({
            "type": "object",
            "properties": {
                "next": {"$ref": "#/$defs/part0"},
                "leaf": {"$ref": "#/$defs/part0/$defs/leaf"},
                "$ref": {"const": {"$ref": "#"}},
            },
            "$defs": {"leaf": {"type": "string"}},
        });
        assert_eq!(all, json!({"type": "array", "items": moved, "$defs": {"part0": moved}}));
    }

    #[test]
    fn a_part_keeps_the_definitions_of_its_document() {
        let document = json!({"type": "object", "properties": {"a": {"items": {"$ref": "#/definitions/b"}}},
                              "definitions": {"b": {"properties": {"up": {"$ref": "#"}}}}});
        let out = taken_out(&document, &document["properties"]["a"]);
        assert_eq!(out["items"], json!({"$ref": "#/$defs/whole/definitions/b"}));
        assert_eq!(
            out.pointer("/$defs/whole/definitions/b/properties/up/$ref"),
            Some(&json!("#/$defs/whole"))
        );
    }

    #[test]
    fn schemas_with_their_own_ids_are_replaced_by_true() {
        let document = json!({"properties": {"a": {"$id": "x", "properties": {"b": {"$ref": "#"}}}}});
        assert_eq!(Wrapper::default().put(&document), json!(true));
        assert_eq!(taken_out(&document, &document["properties"]["a"]), json!(true));
    }
}
