//! Request bodies, with errors that say where.

use accord_blueprint::mismatch_at;
use accord_contract::Step;
use accord_json::reserved::{self, Reserved};
use accord_json::{Checked, Strict, read_leniently, read_strictly};
use axum::body::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;
use utoipa::ToSchema;

use super::incoming::Received;
use crate::error::{Error, refuse};

/// Reads a body that may hold raw JSON: straight from the text. Only what cannot be read is read once more, for the place.
pub(crate) async fn read<T: DeserializeOwned + ToSchema + Send + 'static>(
    body: &Received,
) -> Result<T, Error> {
    body.with(parse).await?
}

fn parse<T: DeserializeOwned + ToSchema>(text: &Checked<Bytes>) -> Result<T, Error> {
    check_names(text.bytes())?;
    read_strictly(text).or_else(|_| read_slowly(text))
}

/// Refuses names that the reader would take for its own, also inside of raw JSON.
fn check_names(bytes: &[u8]) -> Result<(), Error> {
    let found = reserved::find(&String::from_utf8_lossy(bytes));
    let Some(Reserved { name, path }) = found else { return Ok(()) };
    let name = shortened(&name, LONGEST_NAME);
    let prefix = reserved::PREFIX;
    let message = format!("the key {name:?} is reserved; use one that does not start with {prefix:?}");
    Err(unreadable(&shortened(&path, LONGEST_PATH), &message))
}

fn read_slowly<T: DeserializeOwned + ToSchema>(text: &Checked<Bytes>) -> Result<T, Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(text.bytes());
    let value = serde_path_to_error::deserialize(Strict(&mut deserializer))
        .map_err(|error| invalid::<T>(text, &error))?;
    deserializer.end().map_err(|error| refuse(format!("the body: {error}")))?;
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

fn invalid<T: ToSchema>(
    text: &Checked<Bytes>,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> Error {
    let path = error.path().to_string();
    // A name that could not be read is not part of the path.
    let path = path.strip_suffix('?').map_or(path.as_str(), |path| path.trim_end_matches('.'));
    let (line, column) = (error.inner().line(), error.inner().column());
    let message = mismatch::<T>(text, error.path()).or_else(|| lone_surrogate(error.inner()));
    let message = message.map(|message| format!("{message} at line {line} column {column}"));
    unreadable(&shortened(path, LONGEST_PATH), &message.unwrap_or_else(|| error.inner().to_string()))
}

/// The type error of the value at a path, if its type is wrong. All other errors are described by
/// `serde`.
fn mismatch<T: ToSchema>(text: &Checked<Bytes>, path: &serde_path_to_error::Path) -> Option<String> {
    let steps = path.iter().map(|segment| match segment {
        Segment::Map { key } => Some(Step::Key(key.clone())),
        Segment::Seq { index } => Some(Step::Index(*index)),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    let steps = steps.collect::<Option<Vec<_>>>()?;
    let (value, expected) = mismatch_at::<T>(&read_leniently(text).ok()?, &steps)?;
    let (kind, quoted) = match &value {
        Value::Null => ("null", None),
        Value::Bool(value) => ("boolean", Some(format!("`{value}`"))),
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            ("integer", Some(format!("`{number}`")))
        }
        Value::Number(number) => ("number", Some(format!("`{number}`"))),
        Value::String(text) => ("string", Some(format!("{text:?}"))),
        Value::Array(_) => ("list", None),
        Value::Object(_) => ("object", None),
    };
    let wrong = if kind == "integer" && expected.starts_with("an integer") { "value" } else { "type" };
    let quoted = quoted.map(|quoted| format!(" {quoted}")).unwrap_or_default();
    Some(format!("invalid {wrong}: {kind}{quoted}, expected {expected}"))
}

fn unreadable(path: &str, message: &str) -> Error {
    let place = if matches!(path, "" | ".") { String::new() } else { format!(" at {path}") };
    refuse(format!("invalid request body{place}: {message}"))
}

/// A lone surrogate has its own error, which only its text distinguishes from others.
fn lone_surrogate(error: &serde_json::Error) -> Option<String> {
    let codes = ["unexpected end of hex escape", "lone leading surrogate in hex escape"];
    let is_lone = codes.iter().any(|code| error.to_string().starts_with(code));
    is_lone.then(|| "lone surrogate; write both halves of the pair, or the character itself".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_api::{ClaimRuns, CreateRun, FinishRun, ReportEvents};

    fn message<T: DeserializeOwned + ToSchema>(body: &str) -> Option<String> {
        parse::<T>(&Received::of(body).text()).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn reserved_names_are_rejected() {
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
        assert_eq!(message::<ReportEvents>(&body), Some(refused(" at events[0].arguments", "Number")));
        assert_eq!(message::<Value>(r#"{"a": ["$serde_json::private::Number", 1.50]}"#), None);
    }

    #[test]
    fn half_a_surrogate_pair_is_rejected() {
        for text in [r#"{"agent_name": "\ud800"}"#, r#"{"agent_name": "\ud800\u0041"}"#] {
            let message = message::<CreateRun>(text).unwrap();
            assert!(message.contains("lone surrogate; write both halves"), "{text}: {message}");
        }
    }

    #[test]
    fn mismatches_use_the_names_of_json() {
        let run = |body: &str| message::<CreateRun>(body).unwrap();
        let claim = |body: &str| message::<ClaimRuns>(body).unwrap();
        let claims = |max: &str| claim(&format!(r#"{{"runner_id": "rnr_a", "max": {max}}}"#));
        let cases = [
            (run("[]"), ": invalid type: list, expected an object at line 1 column 0"),
            (
                run(r#"{"additional_demands": {"tags": {}}}"#),
                " at additional_demands.tags: invalid type: object, expected a list at line 1 column 32",
            ),
            (
                run(r#"{"priority": ", expected u32"}"#),
                r#" at priority: invalid type: string ", expected u32", expected an integer at line 1 column 29"#,
            ),
            (
                claims("1.5"),
                " at max: invalid type: number `1.5`, expected an integer, 0 or more at line 1 column 33",
            ),
            (
                claims("4294967296"),
                " at max: invalid value: integer `4294967296`, expected an integer from 0 to 4294967295 at line 1 column 40",
            ),
            (run(r#"{"a": 1}"#), " at a: unknown field `a`, expected one of"),
            (run(""), ": EOF while parsing a value at line 1 column 0"),
        ];
        for (message, expected) in cases {
            let expected = format!("invalid request body{expected}");
            assert!(message.starts_with(&expected), "{message}\n{expected}");
        }
    }
}
