//! Request bodies, with errors that say where.

use accord_api::{ErrorName, Strict, read_strictly};
use accord_json::reserved::{self, Reserved};
use axum::body::Bytes;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Reads a body that may hold raw JSON: straight from the text. Only what cannot be read is read once more, for the place.
pub(crate) fn read<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    check_names(bytes)?;
    read_strictly(bytes).or_else(|_| read_slowly(bytes))
}

/// Refuses names that the reader would take for its own, also inside of raw JSON.
fn check_names(bytes: &Bytes) -> Result<(), Error> {
    let found = reserved::find(&String::from_utf8_lossy(bytes));
    let Some(Reserved { name, path }) = found else { return Ok(()) };
    let name = shortened(&name, LONGEST_NAME);
    let prefix = reserved::PREFIX;
    let message = format!("the key {name:?} is reserved; use one that does not start with {prefix:?}");
    Err(unreadable(&shortened(&path, LONGEST_PATH), &message))
}

fn read_slowly<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(Strict(&mut deserializer)).map_err(invalid)?;
    deserializer
        .end()
        .map_err(|error| Error::new(ErrorName::InvalidRequest, format!("the body: {error}")))?;
    Ok(value)
}

/// A longer path does not help to find the place.
const LONGEST_PATH: usize = 200;

/// Nor does a longer name.
const LONGEST_NAME: usize = 100;

fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn invalid(error: serde_path_to_error::Error<serde_json::Error>) -> Error {
    let path = error.path().to_string();
    // A name that could not be taken is none of the path.
    let path = path.strip_suffix('?').map_or(path.as_str(), |path| path.trim_end_matches('.'));
    unreadable(&shortened(path, LONGEST_PATH), &told(&error.into_inner().to_string()))
}

fn unreadable(path: &str, message: &str) -> Error {
    let place = if matches!(path, "" | ".") { String::new() } else { format!(" at {path}") };
    Error::new(ErrorName::InvalidRequest, format!("invalid request body{place}: {message}"))
}

/// What the reader says, without the names of types in this program.
fn told(message: &str) -> String {
    for half in ["unexpected end of hex escape", "lone leading surrogate in hex escape"] {
        if let Some(place) = message.strip_prefix(half) {
            return format!("lone surrogate; write both halves of the pair, or the character itself{place}");
        }
    }
    let Some((found, wanted)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    let (wanted, place) = wanted.split_at(wanted.find(" at line ").unwrap_or(wanted.len()));
    let found = found.replacen("invalid type: sequence", "invalid type: list", 1);
    let found = found.replacen("invalid type: map", "invalid type: object", 1);
    let found = found.replacen("invalid type: floating point", "invalid type: number", 1);
    match wanted {
        "u32" if found.starts_with("invalid value: integer") => {
            format!("{found}, expected an integer from 0 to {}{place}", u32::MAX)
        }
        _ => format!("{found}, expected {}{place}", kind_name(wanted)),
    }
}

/// The name of a type for users.
fn kind_name(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer, 0 or more",
        "f64" | "f32" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("internally tagged enum ") => "an object with a type",
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use accord_api::{CreateRun, FinishRun, ReportEvents};
    use serde_json::Value;

    use super::*;

    fn message<T: DeserializeOwned>(body: &str) -> Option<String> {
        read::<T>(&Bytes::copy_from_slice(body.as_bytes())).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn no_object_is_taken_for_what_it_claims_to_be() {
        let refused = |place: &str, name: &str| {
            format!(
                "invalid request body{place}: the key \"$serde_json::private::{name}\" is reserved; use one that does not start with \"$serde_json::private::\""
            )
        };
        let raw = r#"{"agent_name": "a", "parameters": {"s": {"$serde_json::private::RawValue": "\"hi\""}}}"#;
        assert_eq!(message::<CreateRun>(raw), Some(refused(" at parameters.s", "RawValue")));
        let holding = r#""holding": {"runner_id": "rnr_a", "lease_id": "lse_a", "attempt": 1}"#;
        for member in ["result_data", "conversation", "answer"] {
            let value = r#"{"structured": {"a": 1, "$serde_json::private::Number": "1"}}"#;
            let body = format!(r#"{{{holding}, "status": "completed", "{member}": {value}}}"#);
            let expected = refused(&format!(" at {member}.structured"), "Number");
            assert_eq!(message::<FinishRun>(&body), Some(expected));
        }
        let event = r#"{"type": "tool.started", "arguments": {"\u0024serde_json::private::Number": "1"}}"#;
        let body = format!(r#"{{{holding}, "events": [{event}]}}"#);
        let error = read::<ReportEvents>(&Bytes::from(body)).unwrap_err();
        assert_eq!(error.message(), refused(" at events[0].arguments", "Number"));
        assert_eq!(message::<Value>(r#"{"a": ["$serde_json::private::Number", 1.50]}"#), None);
    }

    #[test]
    fn half_a_pair_is_no_character() {
        for text in [r#"{"agent_name": "\ud800"}"#, r#"{"agent_name": "\ud800\u0041"}"#] {
            let message = message::<CreateRun>(text).unwrap();
            assert!(message.contains("lone surrogate; write both halves"), "{text}: {message}");
        }
    }

    #[test]
    fn serde_errors_use_the_names_of_json() {
        let cases = [
            (
                "invalid type: sequence, expected struct CreateRun at line 1 column 1",
                "invalid type: list, expected an object at line 1 column 1",
            ),
            (
                "invalid type: map, expected a sequence at line 1 column 1",
                "invalid type: object, expected a list at line 1 column 1",
            ),
            (
                r#"invalid type: string ", expected u32", expected i32"#,
                r#"invalid type: string ", expected u32", expected an integer"#,
            ),
            (
                "invalid type: floating point `1.5`, expected u32 at line 2 column 3",
                "invalid type: number `1.5`, expected an integer, 0 or more at line 2 column 3",
            ),
            (
                "invalid value: integer `4294967296`, expected u32 at line 1 column 9",
                "invalid value: integer `4294967296`, expected an integer from 0 to 4294967295 at line 1 column 9",
            ),
            (
                "unexpected end of hex escape at line 1 column 9",
                "lone surrogate; write both halves of the pair, or the character itself at line 1 column 9",
            ),
            ("unknown field `a`, expected `b` or `c`", "unknown field `a`, expected `b` or `c`"),
            ("EOF while parsing a value at line 1 column 0", "EOF while parsing a value at line 1 column 0"),
        ];
        for (message, expected) in cases {
            assert_eq!(told(message), expected);
        }
    }
}
