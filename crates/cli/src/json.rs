//! Reading JSON documents strictly, and saying where reading stopped.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Reads JSON. A name that occurs twice in one object is an error: half of a schema would be lost silently.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str::<DistinctNames>(text)?;
    serde_json::from_str(text)
}

/// serde_json's message without the position that it appends.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&position).unwrap_or(&text);
    match reason {
        "key must be a string" => "expected a quoted key".to_owned(),
        "expected value" => "expected a value".to_owned(),
        _ => reason.replace("EOF while parsing", "unexpected end of file in"),
    }
}

/// The byte offset of serde_json's position: it names the last byte that was read, and counts from one.
pub(crate) fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    text.floor_char_boundary(start + column.saturating_sub(1))
}

/// Accepts any JSON whose objects name each member once.
struct DistinctNames;

impl<'de> Deserialize<'de> for DistinctNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctNames)
    }
}

impl<'de> Visitor<'de> for DistinctNames {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!("duplicate key '{name}'")));
            }
            names.insert(name);
            members.next_value::<Self>()?;
        }
        Ok(self)
    }
}
