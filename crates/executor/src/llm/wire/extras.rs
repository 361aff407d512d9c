//! Parts of a message besides text and calls that must be sent back to the server: its reasoning, and its marks on calls.
//! Some servers reject the result of a call without them.
//!
//! They are kept only for messages with calls: elsewhere they are useless, and some servers reject them.

use serde_json::{Map, Value};

use super::reply::{ByteBudget, JsonAccess, ReadError};

/// The fields for reasoning that servers accept in later requests.
const REASONING: [&str; 2] = ["reasoning_content", "thinking"];

/// The same in parts, some of them encrypted or signed.
const DETAILS: &str = "reasoning_details";

/// A server's mark on a call.
const MARK: &str = "extra_content";

/// Pieces of a part that are texts, and go on.
const TEXTS: [&str; 3] = ["text", "summary", "data"];

#[derive(Default)]
pub(super) struct MessageExtras {
    fields: Map<String, Value>,
    marks: Vec<Value>,
}

impl MessageExtras {
    /// Adds the parts of a message, or of a piece of one.
    pub(super) fn add(&mut self, message: &Value, budget: &mut ByteBudget) -> Result<(), ReadError> {
        for name in REASONING {
            if let Some(piece) = message.at(name).as_str() {
                append(&mut self.fields, name, piece, budget)?;
            }
        }
        for part in message.at(DETAILS).as_array().into_iter().flatten().filter_map(Value::as_object) {
            self.part(part, budget)?;
        }
        Ok(())
    }

    /// Adds the mark of the call at this place.
    pub(super) fn mark(
        &mut self,
        place: usize,
        call: &Value,
        budget: &mut ByteBudget,
    ) -> Result<(), ReadError> {
        let mark = call.at(MARK);
        if mark.is_null() {
            return Ok(());
        }
        budget.take(mark.to_string().len())?;
        self.marks.resize(self.marks.len().max(place + 1), Value::Null);
        if let Some(known) = self.marks.get_mut(place) {
            *known = mark.clone();
        }
        Ok(())
    }

    /// Adds a part, or a piece that continues the last one: it has the same kind and the same index.
    fn part(&mut self, piece: &Map<String, Value>, budget: &mut ByteBudget) -> Result<(), ReadError> {
        let parts = self.fields.entry(DETAILS).or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(parts) = parts else { return Ok(()) };
        let goes_on = |last: &Value| {
            piece.contains_key("index")
                && ["type", "index"].iter().all(|key| piece.get(*key) == last.get(key))
        };
        if !parts.last().is_some_and(goes_on) {
            parts.push(Value::Object(Map::new()));
        }
        let Some(Value::Object(part)) = parts.last_mut() else { return Ok(()) };
        for (key, value) in piece {
            match value {
                Value::String(text) if TEXTS.contains(&key.as_str()) => append(part, key, text, budget)?,
                Value::Null if part.contains_key(key) => {}
                value => {
                    budget.take(key.len() + value.to_string().len())?;
                    part.insert(key.clone(), value.clone());
                }
            }
        }
        Ok(())
    }

    /// What is kept for a message with so many calls.
    pub(super) fn kept(self, calls: usize) -> Vec<Value> {
        let Self { mut fields, mut marks } = self;
        if calls == 0 || (fields.is_empty() && marks.is_empty()) {
            return Vec::new();
        }
        if !marks.is_empty() {
            marks.resize(calls, Value::Null);
            fields.insert("marks".into(), Value::Array(marks));
        }
        vec![Value::Object(fields)]
    }
}

fn append(
    fields: &mut Map<String, Value>,
    key: &str,
    piece: &str,
    budget: &mut ByteBudget,
) -> Result<(), ReadError> {
    match fields.entry(key).or_insert_with(|| Value::String(String::new())) {
        Value::String(text) => budget.append(text, piece),
        other => {
            *other = Value::from(piece);
            budget.take(piece.len())
        }
    }
}

/// Puts what was kept back into the message.
pub(super) fn restore(message: &mut Value, kept: &[Value]) {
    for (key, value) in kept.iter().filter_map(Value::as_object).flatten() {
        match value {
            Value::Array(marks) if key == "marks" => mark_calls(message, marks),
            value => super::set(message, key, value.clone()),
        }
    }
}

fn mark_calls(message: &mut Value, marks: &[Value]) {
    let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
    for (call, mark) in calls.into_iter().flatten().zip(marks) {
        if !mark.is_null() {
            super::set(call, MARK, mark.clone());
        }
    }
}
