//! What the values of a schema look like from outside, so that another attempt at one is recognised in a text, whatever its
//! state: the type, and of an object the keys.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::lex::{Lex, QUOTES};
use crate::schema::reference::{Resolver, base_of};

const KINDS: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// The types and keys of the values at one place.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The types by their place in [`KINDS`]; where the schema says nothing of types, none.
    kinds: u8,
    pub(crate) keys: HashSet<String>,
    /// The keys without what differs between the ways to spell a name: `firstName`, `First_Name`.
    names: HashSet<String>,
}

impl Outline {
    /// Takes in what one schema says by itself.
    pub(crate) fn add(&mut self, keywords: &Map<String, Value>) {
        let listed = keywords.get("enum").and_then(Value::as_array);
        let values = listed.into_iter().flatten().chain(keywords.get("const"));
        match keywords.get("type") {
            Some(Value::String(kind)) => self.kinds |= bit(kind),
            Some(Value::Array(kinds)) => {
                self.kinds |= kinds.iter().filter_map(Value::as_str).fold(0, |all, kind| all | bit(kind));
            }
            _ => {
                let has = |own: &[&str]| own.iter().any(|keyword| keywords.contains_key(*keyword));
                self.kinds |= values.fold(0, |all, value| all | bit(kind_of(value)));
                self.kinds |= u8::from(has(&["properties", "additionalProperties", "patternProperties"]));
                self.kinds |= u8::from(has(&["items", "prefixItems"])) << 1;
            }
        }
        if let Some(Value::Object(members)) = keywords.get("properties") {
            self.keys.extend(members.keys().cloned());
            self.names.extend(members.keys().map(|key| plain(key)));
        }
    }

    /// Whether the schema says that a value may be of this type.
    pub(crate) fn names(&self, kind: &str) -> bool {
        self.kinds & bit(kind) != 0
    }

    /// Whether a key is one of these, however it is spelled.
    fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key) || self.names.contains(&plain(key))
    }

    /// Whether a value may be a string, a number or a literal.
    pub(crate) fn has_scalars(&self) -> bool {
        self.kinds == 0 || self.kinds & !(bit("object") | bit("array")) != 0
    }

    fn can_be(&self, kind: &str) -> bool {
        self.kinds == 0 || self.names(kind)
    }

    /// Whether a value is of the type and, if it is an object, has one of the keys. A schema that names no keys takes all.
    pub(crate) fn fits(&self, value: &Value) -> bool {
        let has_key = |members: &Map<String, Value>| members.keys().any(|key| self.has_key(key));
        let is_kind = self.can_be(kind_of(value)) || value.is_number() && self.names("integer");
        is_kind && value.as_object().is_none_or(|members| self.keys.is_empty() || has_key(members))
    }

    /// Whether the text of a value that cannot be read begins like one that fits. Of an object, any of its keys will do: the
    /// one that is asked for may be inside the call of a tool.
    pub(crate) fn is_begun(&self, text: &str) -> bool {
        let lex = Lex { text };
        match text.as_bytes().first() {
            Some(b'{') if self.keys.is_empty() => {
                self.can_be("object") && lex.key_end(lex.blank(1).end).is_some()
            }
            Some(b'{') => {
                lex.keys().any(|key| self.has_key(key))
                    || text.split(QUOTES).any(|part| self.keys.contains(part))
            }
            Some(b'[') => self.can_be("array"),
            Some(b'-' | b'0'..=b'9') => self.can_be("number") || self.names("integer"),
            Some(byte) if byte.is_ascii_alphabetic() => self.can_be("boolean") && lex.is_value(0),
            _ => self.can_be("string") && lex.opening_quote(0).is_some(),
        }
    }
}

/// The letters and digits of a name, in small letters.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn bit(kind: &str) -> u8 {
    KINDS.iter().position(|name| *name == kind).map_or(0, |place| 1 << place)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
    }
}

/// Calls back once for every schema that judges the same value: itself, branches, and where references lead. `seen` are those
/// that were met before, so that many ways to one schema cost no more than one.
pub(crate) fn in_place<'a>(
    resolver: &Resolver<'a>,
    base: &str,
    schema: &'a Value,
    seen: &mut HashSet<*const Value>,
    visit: &mut dyn FnMut(&str, &'a Map<String, Value>),
) {
    let Value::Object(keywords) = schema else { return };
    if !seen.insert(std::ptr::from_ref(schema)) {
        return;
    }
    let base = base_of(base, schema);
    visit(&base, keywords);
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str)
        && let Some((_, target)) = resolver.resolve(&base, reference)
    {
        in_place(resolver, &base, target, seen, visit);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for branch in keywords.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            in_place(resolver, &base, branch, seen, visit);
        }
    }
}
