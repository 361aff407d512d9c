//! Reading JSON documents strictly, and the position where reading stopped.

use accord_json::{Checked, Limits, read_strictly};
use serde_json::Value;

/// Reads JSON. A duplicate key is an error: half of a schema would be lost silently.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    read_strictly(&Checked::new(text, Limits::WHOLE)?)
}

/// serde_json's message without the position that it appends.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let reason = text.strip_suffix(&position).unwrap_or(&text);
    // The CLI quotes names with apostrophes.
    if let Some(name) =
        reason.strip_prefix("duplicate key \"").and_then(|rest| rest.strip_suffix("\"; give it once"))
    {
        return format!("duplicate key '{name}'");
    }
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
