//! The members of an object in a document, taken out one by one, with a remark for each that is wrong.

use accord_contract::{Decimal, Place};
use accord_domain::nearest;
use serde_json::{Map, Value};

use crate::finding::Findings;

/// What a value is, in words.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The members of one object that have not been taken yet.
pub(super) struct Members<'a> {
    pub(super) place: Place,
    value: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> Members<'a> {
    /// The members of an object; a remark where it is none.
    pub(super) fn of(value: &'a Value, place: Place, what: &str, findings: &mut Findings) -> Option<Self> {
        match value {
            Value::Object(members) => Some(Self { place, value: members, known: Vec::new() }),
            other => {
                findings.error(place, format!("{what}: expected an object, got {}", kind_of(other)));
                None
            }
        }
    }

    /// The member of this name, where it is there and is something.
    pub(super) fn any(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.value.get(name).filter(|value| !value.is_null())
    }

    /// Whether there is such a member.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some_and(|value| !value.is_null())
    }

    pub(super) fn at(&self, name: &str) -> Place {
        self.place.key(name)
    }

    /// A text.
    pub(super) fn text(&mut self, name: &'static str, findings: &mut Findings) -> Option<&'a str> {
        match self.any(name)? {
            Value::String(text) => Some(text),
            other => {
                findings.error(self.at(name), format!("'{name}': expected a string, got {}", kind_of(other)));
                None
            }
        }
    }

    /// A text that has to be there.
    pub(super) fn required_text(
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

    /// A whole number between these bounds.
    pub(super) fn number(
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
            let found = if value.is_number() { value.to_string() } else { kind_of(value).to_owned() };
            let message = format!("'{name}': expected an integer from {least} to {most}, got {found}");
            findings.error(self.at(name), message);
        }
        fitting
    }

    /// Remarks on everything that nobody asked for.
    pub(super) fn end(self, what: &str, findings: &mut Findings) {
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
