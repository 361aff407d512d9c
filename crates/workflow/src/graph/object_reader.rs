//! Reads the fields of an object in a document one by one, with a finding for each that is wrong.

use accord_contract::{Decimal, JsonPath};
use accord_domain::nearest;
use serde_json::{Map, Value};

use crate::finding::Findings;

/// The type of a value as messages name it, with its article.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// An object being read: remembers which fields were asked for, so that the others can be reported.
pub(crate) struct ObjectReader<'a> {
    pub(crate) place: JsonPath,
    value: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> ObjectReader<'a> {
    pub(crate) fn of(value: &'a Value, place: JsonPath, what: &str, findings: &mut Findings) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self { place, value: fields, known: Vec::new() }),
            other => {
                findings.error(place, format!("{what}: expected an object, got {}", type_name(other)));
                None
            }
        }
    }

    /// The field of this name; `null` counts as absent.
    pub(crate) fn any(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.value.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn at(&self, name: &str) -> JsonPath {
        self.place.key(name)
    }

    pub(crate) fn text(&mut self, name: &'static str, findings: &mut Findings) -> Option<&'a str> {
        match self.any(name)? {
            Value::String(text) => Some(text),
            other => {
                findings
                    .error(self.at(name), format!("'{name}': expected a string, got {}", type_name(other)));
                None
            }
        }
    }

    pub(crate) fn required_text(
        &mut self,
        name: &'static str,
        why: &str,
        findings: &mut Findings,
    ) -> Option<&'a str> {
        if !self.has(name) {
            self.known.push(name);
            findings.error(self.at(name), format!("missing field '{name}': {why}"));
            return None;
        }
        let text = self.text(name, findings)?;
        if text.trim().is_empty() {
            findings.error(self.at(name), format!("'{name}' is empty: {why}"));
            return None;
        }
        Some(text)
    }

    pub(crate) fn number(
        &mut self,
        name: &'static str,
        bounds: std::ops::RangeInclusive<u32>,
        findings: &mut Findings,
    ) -> Option<u32> {
        let value = self.any(name)?;
        let whole = Decimal::of(value).and_then(|decimal| decimal.whole());
        let number = whole.and_then(|number| u32::try_from(number).ok());
        let fitting = number.filter(|number| bounds.contains(number));
        if fitting.is_none() {
            let (least, most) = bounds.into_inner();
            let found = if value.is_number() { value.to_string() } else { type_name(value).to_owned() };
            let message = format!("'{name}': expected an integer from {least} to {most}, got {found}");
            findings.error(self.at(name), message);
        }
        fitting
    }

    /// Reports the fields that were never asked for.
    pub(crate) fn finish(self, what: &str, findings: &mut Findings) {
        for name in self.value.keys().filter(|name| !self.known.contains(&name.as_str())) {
            let known = self.known.iter().copied();
            let meant = (findings.looks(1) > 0).then(|| nearest(name, known)).flatten();
            let message = match meant {
                Some(meant) => format!("unknown field '{name}' in {what}; did you mean '{meant}'?"),
                None => {
                    format!("unknown field '{name}' in {what}; expected one of {}", self.known.join(", "))
                }
            };
            findings.misplaced(self.place.key(name), message);
        }
    }
}
