//! The rows of a batch: read twice, so that every one is checked before the first is run and none is kept in memory.

use std::fs::File;
use std::io::{self, Seek as _};
use std::path::Path;

use accord_contract::Schema;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::document::Input;
use crate::failure::Problem;
use crate::json::{parse, reason};
use crate::lines::{Content, Line, Lines, MAX_LINE_BYTES};
use crate::meter::meter;
use crate::view::text::unescaped;

/// How many wrong rows are listed.
const LISTED: usize = 20;

/// A file of inputs, one JSON object a line.
pub(super) struct Inputs {
    name: String,
    file: File,
}

pub(super) struct Row {
    /// Its line in the file, counted from one.
    pub(super) line: u64,
    /// The original JSON text; `None` if it is not JSON.
    pub(super) written: Option<Box<RawValue>>,
    /// The parameters, or what is wrong with them.
    pub(super) parameters: Result<Value, String>,
}

impl Inputs {
    /// Opens a file. What cannot be read twice (stdin, a pipe) is copied to a temporary file.
    pub(super) fn open(path: &Path) -> Result<Self, Problem> {
        let input = Input::of(Some(path));
        let unreadable = |error: io::Error| input.unreadable(&error);
        let is_plain = match &input {
            Input::File(path) => std::fs::metadata(path).map_err(unreadable)?.is_file(),
            Input::Stdin => false,
        };
        let file = match &input {
            Input::File(path) if is_plain => File::open(path).map_err(unreadable)?,
            _ => {
                let mut reader = input.open()?;
                let mut file = tempfile::tempfile().map_err(unreadable)?;
                io::copy(&mut reader, &mut file).map_err(unreadable)?;
                file
            }
        };
        Ok(Self { name: input.name(), file })
    }

    /// How many rows there are, once all of them are right. Where `tolerated`, wrong ones are counted too.
    pub(super) fn check(&self, schema: &Schema, tolerated: bool) -> Result<u64, Problem> {
        let (mut total, mut wrong, mut listed) = (0, 0, Vec::new());
        for row in self.rows(schema)? {
            let row = row?;
            total += 1;
            if let Err(message) = &row.parameters {
                wrong += 1;
                if listed.len() < LISTED {
                    listed.push(format!("{}:{}: {message}", self.name, row.line));
                }
            }
        }
        if total == 0 {
            let problem = Problem::new(format!("{} has no inputs", self.name));
            return Err(problem.hint("write one JSON object with the agent's parameters per line"));
        }
        if wrong == 0 || tolerated && wrong < total {
            return Ok(total);
        }
        let more = wrong - listed.len() as u64;
        if more > 0 {
            listed.push(format!("and {more} more"));
        }
        let are = if wrong == 1 { "is" } else { "are" };
        let message =
            format!("{wrong} of {total} inputs {are} invalid; nothing was run\n{}", listed.join("\n"));
        Err(Problem::new(message).hint(match wrong < total {
            true => "fix them, or pass --skip-invalid to run the others",
            false => "each line must be a JSON object with the agent's parameters",
        }))
    }

    /// The rows, from the first.
    pub(super) fn rows<'a>(&'a self, schema: &'a Schema) -> Result<Rows<'a>, Problem> {
        (&self.file).rewind().map_err(|error| self.unreadable(&error))?;
        let lines = Lines::new(&self.file, MAX_LINE_BYTES);
        Ok(Rows { inputs: self, schema, lines, read: Vec::new().into_iter() })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is this file: writing to it would overwrite the inputs.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        Path::new(&self.name)
            .canonicalize()
            .is_ok_and(|own| path.canonicalize().is_ok_and(|path| path == own))
    }

    fn unreadable(&self, error: &io::Error) -> Problem {
        Problem::new(format!("cannot read {}: {error}", self.name))
    }
}

/// The rows of a file, one after the other.
pub(super) struct Rows<'a> {
    inputs: &'a Inputs,
    schema: &'a Schema,
    lines: Lines<&'a File>,
    read: std::vec::IntoIter<Line>,
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.read.as_slice().is_empty() {
            match self.lines.batch() {
                Ok(batch) => self.read = batch.into_iter(),
                Err(error) => return Some(Err(self.inputs.unreadable(&error))),
            }
        }
        self.read.next().map(|line| Ok(row(line, self.schema)))
    }
}

fn row(line: Line, schema: &Schema) -> Row {
    let Line { number, content } = line;
    let wrong = |message: String| Row { line: number, written: None, parameters: Err(message) };
    let bytes = match content {
        Content::Whole(bytes) => bytes,
        Content::TooLong => return wrong(format!("the line is longer than {MAX_LINE_BYTES} bytes")),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            return wrong(format!("not valid UTF-8 at byte {}", offset + 1));
        }
    };
    let value = match parse(&text) {
        Ok(value) => value,
        Err(error) => {
            return wrong(format!("not valid JSON: {} at column {}", reason(&error), error.column()));
        }
    };
    let written = RawValue::from_string(text.trim().to_owned()).ok();
    Row { line: number, written, parameters: conforming(value, schema) }
}

fn conforming(value: Value, schema: &Schema) -> Result<Value, String> {
    if !value.is_object() {
        return Err(format!("expected a JSON object with parameters, got {}", accord_json::kind_of(&value)));
    }
    let Err(violations) = schema.check(&value, &meter()) else { return Ok(value) };
    let more = (violations.errors.len() + violations.more).saturating_sub(1);
    let first = violations.errors.first().map(ToString::to_string).unwrap_or_default();
    let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    Err(format!("{}{more}", unescaped(&first)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::*;

    fn inputs(bytes: &[u8]) -> Inputs {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Inputs { name: "inputs.jsonl".to_owned(), file }
    }

    fn schema() -> Schema {
        Schema::compile(
            &json!({"type": "object", "required": ["text"],
            "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}}),
            &meter(),
        )
        .unwrap()
    }

    fn checked(bytes: &[u8], tolerated: bool) -> Result<u64, (String, Option<String>)> {
        inputs(bytes).check(&schema(), tolerated).map_err(Problem::into_parts)
    }

    #[test]
    fn wrong_rows_are_named_by_line_and_field() {
        let bytes = b"{\"text\": \"a\"}\r\n\r\n{\"text\": null}\n[1]\n{\"text\": \"b\"\n{\"text\": \"\xff\"}\n{\"text\": \"a\", \"text\": \"b\"}\n";
        let (message, hint) = checked(bytes, false).unwrap_err();
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines[0], "5 of 6 inputs are invalid; nothing was run");
        assert_eq!(lines[1], "inputs.jsonl:3: $.text: expected string, got null");
        assert_eq!(lines[2], "inputs.jsonl:4: expected a JSON object with parameters, got an array");
        assert!(lines[3].starts_with("inputs.jsonl:5: not valid JSON: "), "{}", lines[3]);
        assert_eq!(lines[4], "inputs.jsonl:6: not valid UTF-8 at byte 11");
        assert!(lines[5].contains("duplicate key 'text'"), "{}", lines[5]);
        assert!(hint.unwrap().contains("--skip-invalid"));
        assert_eq!(checked(bytes, true).unwrap(), 6);
    }

    #[test]
    fn a_file_without_a_right_row_runs_nothing() {
        for empty in [&b""[..], b"\n \r\n", b"\xef\xbb\xbf"] {
            assert_eq!(checked(empty, true).unwrap_err().0, "inputs.jsonl has no inputs");
        }
        let all_wrong = b"1\n".repeat(25);
        let (message, _) = checked(&all_wrong, true).unwrap_err();
        assert_eq!(message.lines().count(), 22);
        assert!(message.ends_with("\nand 5 more"), "{message}");
    }

    #[test]
    fn rows_round_trip() {
        let inputs = inputs("{\"text\": \"😀\", \"count\": 12345678901234567890}\r\n".as_bytes());
        let schema = schema();
        for _ in 0..2 {
            let rows: Vec<Row> = inputs.rows(&schema).unwrap().map(|row| row.ok().unwrap()).collect();
            let [row] = rows.as_slice() else { panic!("one row") };
            let written = row.written.as_ref().unwrap().get();
            assert_eq!(written, "{\"text\": \"😀\", \"count\": 12345678901234567890}");
            assert_eq!(row.parameters.as_ref().unwrap()["text"], json!("😀"));
        }
    }

    #[test]
    fn a_very_long_line_is_an_input_or_a_wrong_row() {
        let long = |length: usize| format!("{{\"text\": \"{}\"}}\n{{\"text\": \"b\"}}\n", "x".repeat(length));
        assert_eq!(checked(long(4 * 1024 * 1024).as_bytes(), false).unwrap(), 2);
        let (message, _) = checked(long(MAX_LINE_BYTES).as_bytes(), false).unwrap_err();
        let expected = format!("inputs.jsonl:1: the line is longer than {MAX_LINE_BYTES} bytes");
        assert_eq!(message.lines().nth(1).unwrap(), expected);
    }
}
