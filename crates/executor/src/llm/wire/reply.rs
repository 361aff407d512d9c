//! What is read out of an answer, and what can be wrong with it.

use accord_json::{Checked, read_leniently};
use serde_json::Value;
use serde_json::value::Index;

use crate::answer::Usage;
use crate::json;

/// The largest answer that is kept. The judge takes no more either, and no provider's models write so much at once.
pub(crate) const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// Codes of errors about an answer that is not what was asked for. Some come without the answer.
const REJECTED_ANSWER: [&str; 2] = ["json_validate_failed", "tool_use_failed"];

/// One answer of a model, independent of the API.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// Earlier messages, if the API has several in one answer. They are not part of the answer.
    pub(crate) on_the_way: Vec<String>,
    pub(crate) calls: Vec<ReplyCall>,
    /// The message as the provider expects it back, if it has more than text and calls.
    pub(crate) kept: Vec<Value>,
    pub(crate) end: ReplyEnd,
    pub(crate) usage: Usage,
    /// Empty where the provider does not say.
    pub(crate) model: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReplyCall {
    /// Empty where the dialect has none.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReplyEnd {
    Finished,
    Truncated,
    Refused(String),
    /// The provider needs another request to continue.
    Paused,
}

/// The part of an answer that is being written: a text, or the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PartialText<'a> {
    pub(crate) part: u64,
    pub(crate) text: &'a str,
}

pub(crate) trait Reader: Send {
    /// Takes the data of one event, and says whether it was the last.
    fn event(&mut self, data: &str) -> Result<bool, ReadError>;

    /// The part that is being written, so far.
    fn partial_text(&self) -> Option<PartialText<'_>>;

    /// The usage that was reported so far. It counts even if the answer is never completed.
    fn usage(&self) -> Usage;

    /// Gives what was read. Without the last event it is a truncated answer.
    fn finish(self: Box<Self>) -> Result<Reply, ReadError>;
}

/// Why an answer could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// It is larger than [`MAX_ANSWER_BYTES`].
    TooLarge,
    /// It is not what the dialect says.
    Unreadable(String),
    /// It ends before its last event: the connection broke, in a way that looks like an end.
    BrokenOff,
    Provider(ProviderError),
}

/// An error as a provider reports it, by status or in the middle of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProviderError {
    pub(crate) status: u16,
    /// Type, code and parameter, for telling errors apart.
    pub(crate) code: String,
    pub(crate) message: String,
    /// What the model wrote, where the provider validates answers and rejects this one.
    pub(crate) failed_generation: Option<String>,
}

impl ProviderError {
    /// Reads the body of an error: an object, a string in an object, or the text of a proxy.
    pub(crate) fn from_body(status: u16, body: &str) -> Self {
        let parsed: Value = json::read_message(body).unwrap_or(Value::Null);
        let error = parsed.get("error").unwrap_or(&parsed);
        let message = [error, error.at("message"), error.at("detail"), parsed.at("message")]
            .into_iter()
            .find_map(Value::as_str)
            .unwrap_or(body);
        let part = |key: &str| error.at(key).as_str().unwrap_or_default();
        let code = [part("type"), part("code"), part("param")].join(" ").trim().to_owned();
        let failed_generation = error.at("failed_generation").as_str().map(str::to_owned);
        Self { status, code, message: message.trim().to_owned(), failed_generation }
    }

    /// The answer that a provider rejected because it is not what was asked for. It is the model's, and judged as any other:
    /// the request was all right.
    pub(crate) fn rejected_answer(&self) -> Option<Reply> {
        let is_about_answer = REJECTED_ANSWER.iter().any(|code| self.code.contains(code));
        let text = self.failed_generation.clone().or(is_about_answer.then(String::new))?;
        let is_cut = self.message.contains("max completion tokens");
        Some(Reply {
            text,
            on_the_way: Vec::new(),
            calls: Vec::new(),
            kept: Vec::new(),
            end: if is_cut { ReplyEnd::Truncated } else { ReplyEnd::Finished },
            usage: Usage::default(),
            model: String::new(),
        })
    }

    /// An error inside an answer, whose status is already 200: its code determines the status.
    pub(crate) fn in_answer(error: &Value) -> Self {
        let body = serde_json::json!({ "error": error }).to_string();
        let problem = Self::from_body(0, &body);
        let code = error.at("code");
        let number = code.as_u64().and_then(|code| u16::try_from(code).ok());
        let written = || text_of(code).parse().ok().filter(|code| (400..600).contains(code));
        let status = number.or_else(written).unwrap_or_else(|| status_of(&problem.code));
        Self { status, ..problem }
    }

    /// The error in an event that is named `error`, whatever its fields are called.
    pub(crate) fn of_event(data: &str) -> Option<Self> {
        let value: Value = json::read_message(data).ok()?;
        Some(Self::find_in(&value).unwrap_or_else(|| Self::in_answer(&value)))
    }

    /// The error in an answer or an event, in any API.
    pub(crate) fn find_in(value: &Value) -> Option<Self> {
        let error = value.at("error");
        let says_nothing = match error {
            Value::Null | Value::Bool(false) => true,
            Value::String(text) => text.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        let is_error = || [value.at("type"), value.at("object")].into_iter().any(|kind| kind == "error");
        match says_nothing {
            false => Some(Self::in_answer(error)),
            true => is_error().then(|| Self::in_answer(value)),
        }
    }
}

/// The status that an error would have had before the answer began. An unknown one counts as the server's own fault:
/// the request was taken, so asking again may help.
fn status_of(code: &str) -> u16 {
    const WORDS: [(&str, u16); 11] = [
        ("rate_limit", 429),
        ("overloaded", 529),
        ("authentication", 401),
        ("permission", 403),
        ("not_found", 404),
        ("too_large", 413),
        ("server_error", 500),
        ("invalid", 400),
        // Exceptions of Amazon's services.
        ("throttling", 429),
        ("unavailable", 503),
        ("validation", 400),
    ];
    let code = code.to_lowercase();
    WORDS.iter().find(|(word, _)| code.contains(word)).map_or(500, |(_, status)| *status)
}

/// The bytes that an answer may still have.
pub(crate) struct ByteBudget(usize);

impl Default for ByteBudget {
    fn default() -> Self {
        Self(MAX_ANSWER_BYTES)
    }
}

impl ByteBudget {
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), ReadError> {
        self.0 = self.0.checked_sub(bytes).ok_or(ReadError::TooLarge)?;
        Ok(())
    }

    pub(crate) fn append(&mut self, text: &mut String, piece: &str) -> Result<(), ReadError> {
        self.take(piece.len())?;
        text.push_str(piece);
        Ok(())
    }
}

impl Reply {
    /// Refuses an answer that came in one piece and is too large.
    pub(crate) fn within_limit(self) -> Result<Self, ReadError> {
        let arguments: usize = self.calls.iter().map(|call| call.arguments.len()).sum();
        let on_the_way: usize = self.on_the_way.iter().map(String::len).sum();
        ByteBudget::default().take(on_the_way + self.text.len() + arguments)?;
        Ok(self)
    }
}

/// Parses the data of an event. An event with an error is an error. Data that is not JSON is shown, because some servers
/// send errors as plain text.
pub(crate) fn parse(data: &str) -> Result<Value, ReadError> {
    let checked = Checked::new(data, json::MESSAGE).map_err(|exceeded| {
        ReadError::Unreadable(format!("an event of the response is too large: {exceeded}"))
    })?;
    let event: Value = read_leniently(&checked).map_err(|error| match error.is_eof() {
        true => ReadError::BrokenOff,
        false if is_half_a_character(&error) => {
            ReadError::Unreadable(format!("an event of the response contains a lone surrogate: {data}"))
        }
        false => ReadError::Unreadable(format!("an event of the response is not JSON: {data}")),
    })?;
    match ProviderError::find_in(&event) {
        Some(problem) => Err(ReadError::Provider(problem)),
        None => Ok(event),
    }
}

/// Whether a text is JSON but for half of a surrogate pair: some servers cut texts in the middle of one.
fn is_half_a_character(error: &serde_json::Error) -> bool {
    let words = error.to_string();
    words.contains("surrogate") || words.contains("end of hex escape")
}

pub(crate) static NULL: Value = Value::Null;

/// Access to JSON of a server: missing fields are null.
pub(crate) trait JsonAccess {
    /// The member of a key or an index.
    fn at(&self, key: impl Index) -> &Value;
}

impl JsonAccess for Value {
    fn at(&self, key: impl Index) -> &Value {
        self.get(key).unwrap_or(&NULL)
    }
}

/// A string, or "" for anything else.
pub(crate) fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The text of the parts of a message, without other parts: some servers put reasoning among them.
pub(crate) fn parts_text(parts: &[Value]) -> String {
    let is_text = |part: &&Value| matches!(part.at("type").as_str(), None | Some("text" | "output_text"));
    parts.iter().filter(is_text).map(|part| text_of(part.at("text"))).collect()
}

/// A number of tokens, or 0. A number that does not fit becomes the largest one, so that limits apply.
pub(crate) fn tokens_of(value: &Value) -> u64 {
    let rounded = || value.as_f64().filter(|number| *number > 0.0).map(|number| number as u64);
    value.as_u64().or_else(rounded).unwrap_or_default()
}

/// Arguments as text, whether they came as a text or as a value.
pub(crate) fn arguments_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(status: u16, code: &str, message: &str) -> ProviderError {
        ProviderError { status, code: code.into(), message: message.into(), failed_generation: None }
    }

    #[test]
    fn errors_are_read_in_every_form() {
        let cases = [
            (r#"{"type":"error","error":{"type":"api_error","message":"m"}}"#, "api_error", "m"),
            (r#"{"error":{"message":"m","type":"t","param":"p","code":"c"}}"#, "t c p", "m"),
            (r#"{"error":"m"}"#, "", "m"),
            (r#"{"detail":"m"}"#, "", "m"),
            (r#"{"message":"m","code":40001}"#, "", "m"),
            ("<html>bad gateway</html>\n", "", "<html>bad gateway</html>"),
            ("", "", ""),
        ];
        for (body, code, message) in cases {
            assert_eq!(ProviderError::from_body(500, body), problem(500, code, message), "{body}");
        }
    }

    #[test]
    fn an_error_instead_of_an_answer_is_found() {
        let cases = [
            (json!({"error": {"message": "m"}}), Some("m")),
            (json!({"error": "m", "choices": []}), Some("m")),
            (json!({"type": "error", "message": "m"}), Some("m")),
            (json!({"object": "error", "message": "m", "code": 400}), Some("m")),
            (json!({"error": null}), None),
            (json!({"error": {}}), None),
            (json!({"error": ""}), None),
            (json!({"error": false}), None),
            (json!({"type": "message"}), None),
            (json!([]), None),
        ];
        for (value, message) in cases {
            let told = ProviderError::find_in(&value).map(|problem| problem.message);
            assert_eq!(told.as_deref(), message, "{value}");
        }
    }

    #[test]
    fn tokens_that_do_not_fit_are_many() {
        let read = |text: &str| tokens_of(&serde_json::from_str(text).unwrap());
        let cases =
            [("7", 7), ("1e30", u64::MAX), ("18446744073709551616", u64::MAX), ("-1", 0), ("\"7\"", 0)];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn an_error_inside_an_answer_gets_the_status_it_names() {
        let cases = [
            (json!({"type": "overloaded_error", "message": "m"}), 529),
            (json!({"code": "rate_limit_exceeded", "message": "m"}), 429),
            (json!({"code": 502, "message": "m"}), 502),
            (json!({"code": "401", "message": "m"}), 401),
            (json!({"code": "1301", "type": "invalid_request_error", "message": "m"}), 400),
            (json!({"type": "invalid_request_error", "message": "m"}), 400),
            (json!("m"), 500),
        ];
        for (error, status) in cases {
            let read = ProviderError::in_answer(&error);
            assert_eq!((read.status, read.message.as_str()), (status, "m"), "{error}");
        }
    }
}
