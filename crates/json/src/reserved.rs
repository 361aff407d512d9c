//! Names that no object from outside may have.
//!
//! `serde_json` marks numbers and raw text by objects with private names. An object from outside with such a name would be
//! read as another value than the one that was checked, and without a depth limit. So these names are refused where values
//! come in.

use std::borrow::Cow;

use serde::de::Error as _;
use serde_json::{Error, Value};

use crate::scan::Checked;

/// The prefix of the reserved names.
pub const PREFIX: &str = "$serde_json::private::";

/// The key of the object with one member that serde_json uses for a number.
pub const NUMBER: &str = "$serde_json::private::Number";

/// Only this many levels of a path are reported: a text may nest as deep as it is long.
const MAX_STEPS: usize = 32;

/// A reserved name and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    pub name: String,
    /// The path of the object that has it, as `parameters.list[0]`; empty for the outermost.
    pub path: String,
}

/// Reads a text into a value; a reserved name is an error. Of two members with the same name the last counts.
pub fn read_unreserved(text: &Checked<impl AsRef<[u8]>>) -> Result<Value, Error> {
    let value = serde_json::from_slice(text.bytes())?;
    match find(&String::from_utf8_lossy(text.bytes())) {
        Some(_) => Err(Error::custom(format!("names that start with `{PREFIX}` are reserved; use another"))),
        None => Ok(value),
    }
}

/// The first reserved name in a JSON text, at any depth. Invalid JSON is not reported; reading it fails anyway.
pub fn find(json: &str) -> Option<Reserved> {
    // Most texts need no scan: without the prefix itself, such a name needs an escaped ASCII character.
    if !json.contains(PREFIX) && !json.contains("\\u00") {
        return None;
    }
    let mut path = Path::default();
    let mut at = 0;
    while let Some(byte) = json.as_bytes().get(at) {
        let mut next = at + 1;
        match byte {
            b'{' => path.enter(Step::Member("")),
            b'[' => path.enter(Step::Item(0)),
            b'}' | b']' => path.leave(),
            b',' => path.next_item(),
            b'"' => {
                next = end_of_string(json.as_bytes(), at);
                let (string, rest) = (json.get(at..next)?, json.get(next..)?);
                if rest.trim_ascii_start().starts_with(':') {
                    let name = unescaped(string);
                    if name.starts_with(PREFIX) {
                        return Some(Reserved { name: name.into_owned(), path: path.parent() });
                    }
                    path.enter_member(string);
                }
            }
            _ => {}
        }
        at = next;
    }
    None
}

/// The byte after the closing quote of the string that starts here.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A string without its quotes and escapes. A string with invalid escapes is not a name.
fn unescaped(string: &str) -> Cow<'_, str> {
    match string.contains('\\') {
        true => Cow::Owned(serde_json::from_str(string).unwrap_or_default()),
        false => Cow::Borrowed(string.trim_matches('"')),
    }
}

enum Step<'a> {
    /// A member, by its name as written in the text.
    Member(&'a str),
    Item(usize),
}

/// The path from the outermost value to the current position.
#[derive(Default)]
struct Path<'a> {
    /// The first [`MAX_STEPS`] steps.
    steps: Vec<Step<'a>>,
    depth: usize,
}

impl<'a> Path<'a> {
    fn enter(&mut self, step: Step<'a>) {
        if self.depth < MAX_STEPS {
            self.steps.push(step);
        }
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.steps.truncate(self.depth);
    }

    /// The last step, unless the path is longer than what is kept.
    fn last(&mut self) -> Option<&mut Step<'a>> {
        self.steps.get_mut(self.depth.checked_sub(1)?)
    }

    fn next_item(&mut self) {
        if let Some(Step::Item(index)) = self.last() {
            *index += 1;
        }
    }

    fn enter_member(&mut self, string: &'a str) {
        if let Some(Step::Member(name)) = self.last() {
            *name = string;
        }
    }

    /// The path of the innermost object.
    fn parent(&self) -> String {
        let mut path = String::new();
        for step in self.steps.iter().take(self.depth.saturating_sub(1)) {
            match step {
                Step::Member(name) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(&unescaped(name));
                }
                Step::Item(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_unreserved(text: &str) -> Result<Value, Error> {
        super::read_unreserved(&Checked::new(text, crate::Limits::WHOLE).unwrap())
    }

    fn found(json: &str) -> Option<(String, String)> {
        find(json).map(|Reserved { name, path }| (name, path))
    }

    #[test]
    fn values_with_reserved_names_are_rejected() {
        for text in [
            r#"{"$serde_json::private::RawValue":"12"}"#,
            r#"{"$serde_json::private::Number" : "12"}"#,
            r#"[{"a\\": {"\u0024serde_json::private::Raw\u0056alue":"{}"}}]"#,
        ] {
            let error = read_unreserved(text).unwrap_err();
            assert!(error.to_string().contains("$serde_json::private::"), "{text}: {error}");
        }
    }

    #[test]
    fn strings_that_contain_reserved_names_are_read() {
        for value in [
            json!({"text": "{\"$serde_json::private::RawValue\":\"12\"}", "n": 1}),
            json!({"text": "$serde_json::private::RawValue", "$ref": "#/a", "$": [1.5, "\\", "$x"]}),
        ] {
            assert_eq!(read_unreserved(&value.to_string()).unwrap(), value);
        }
        assert!(read_unreserved("{").unwrap_err().is_eof());
    }

    #[test]
    fn reserved_names_are_found_at_any_depth() {
        let number = "$serde_json::private::Number";
        for (json, path) in [
            (r#"{"$serde_json::private::Number":"1"}"#, ""),
            (r#"{"a": 1, "$serde_json::private::Number" : "1"}"#, ""),
            (r#"{"\u0024serde_json::private::Number": "1"}"#, ""),
            (r#"{"a": {"b\"": [1, {}, [{"$serde_json:\u003aprivate::Number": "1"}]]}}"#, "a.b\"[2][0]"),
            (r#"[{"k": "v"}, {"ä": [], "x": {"$serde_json::private::Number": 1}}]"#, "[1].x"),
        ] {
            assert_eq!(found(json), Some((number.to_owned(), path.to_owned())), "{json}");
        }
        let other = r#"{"a": {"$serde_json::private::": null}}"#;
        assert_eq!(found(other), Some((PREFIX.to_owned(), "a".to_owned())));
    }

    #[test]
    fn other_names_and_strings_are_not_reported() {
        for json in [
            r#"{"a": "$serde_json::private::Number", "b": ["$serde_json::private::RawValue"]}"#,
            r#"{"a": "{\"$serde_json::private::Number\": \"1\"}"}"#,
            r#"{"serde_json::private::Number": "\u0024", "x$serde_json::private::": 1}"#,
            r#""$serde_json::private::Number""#,
            r#"{"$serde_json::private::Number"#,
            "]]}}, \\u00",
            "\"\\u00",
            "",
        ] {
            assert_eq!(found(json), None, "{json}");
        }
    }

    #[test]
    fn long_paths_are_cut() {
        let open = r#"{"a":["#.repeat(1_000);
        let path = found(&format!(r#"{open}{{"$serde_json::private::RawValue":"1"}}"#)).unwrap().1;
        assert_eq!(path, format!("a[0]{}", ".a[0]".repeat(MAX_STEPS / 2 - 1)));
    }
}
