//! Keeps known secrets out of recordings and events.
//!
//! Only known secrets are found, as a whole and in the form that JSON gives it. A secret that a model
//! spells out over several events of a stream, or that is written with other escapes, cannot be replaced, but it
//! is detected, and such a recording is not kept.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::child::is_secret;
use crate::json::read_message;
use crate::session::TurnError;

use super::escapes::unescaped;

/// Replaces a secret.
const REDACTED: &str = "[redacted]";

/// Shorter strings are not treated as secrets: they are words, and removing them would mangle the text.
const MIN_SECRET_BYTES: usize = 6;

/// How many layers of escapes are taken off a text: an event holds the arguments of a call as a string of JSON, these may
/// hold JSON in a string again, and so may that. More would be a riddle, and no answer.
const LAYERS: usize = 4;

/// Replaces secrets. Not to be printed: it knows them.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Arc<[String]>,
}

impl Redactor {
    /// Replaces these strings everywhere, except those shorter than six bytes.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut all: Vec<String> = Vec::new();
        for secret in secrets.into_iter().filter(|secret| secret.len() >= MIN_SECRET_BYTES) {
            let quoted = Value::String(secret.clone()).to_string();
            all.push(quoted.trim_matches('"').to_owned());
            all.push(secret);
        }
        // One secret can be the beginning of another: the longer one goes first, or its rest would stay.
        all.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        all.dedup();
        Self { secrets: all.into() }
    }

    /// Takes from the front of a growing text what can be shown already. A secret cannot be recognised while only half of it
    /// has arrived, so as much as the longest one is kept back.
    pub(crate) fn front(&self, growing: &mut String) -> Option<String> {
        let kept_back = self.secrets.first().map_or(0, String::len);
        let text = self.text(growing);
        let end = text.floor_char_boundary(text.len().saturating_sub(kept_back));
        let (front, rest) = text.split_at(end);
        rest.clone_into(growing);
        (!front.is_empty()).then(|| front.to_owned())
    }

    pub(crate) fn text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret) { text.replace(secret, REDACTED) } else { text }
        })
    }

    pub(crate) fn error(&self, error: TurnError) -> TurnError {
        match error {
            TurnError::SchemaRejected(text) => TurnError::SchemaRejected(self.text(&text)),
            TurnError::FormatRejected(text) => TurnError::FormatRejected(self.text(&text)),
            TurnError::ToolRejected(text) => TurnError::ToolRejected(self.text(&text)),
            TurnError::Transport(text) => TurnError::Transport(self.text(&text)),
            TurnError::Failed(text) => TurnError::Failed(self.text(&text)),
            TurnError::TooManySteps(_)
            | TurnError::AllowanceUsedUp
            | TurnError::TimedOut(_)
            | TurnError::Diverged(_)
            | TurnError::InputRequired
            | TurnError::Stopped => error,
        }
    }

    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.secrets.iter().fold(bytes.to_owned(), |bytes, secret| replace(bytes, secret.as_bytes()))
    }

    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Value::Object(members) => {
                let members = members.into_iter().map(|(key, value)| (self.text(&key), self.value(value)));
                Value::Object(members.collect())
            }
            other => other,
        }
    }

    /// Whether an answer contains a secret, with any escapes, or split over strings at the same place in the lines or events
    /// of a stream.
    pub(super) fn is_spelled(&self, body: &[u8]) -> bool {
        let body = String::from_utf8_lossy(body);
        let body = body.strip_prefix('\u{feff}').unwrap_or(&body);
        let lines: Vec<&str> = body.lines().flat_map(|line| line.split('\r')).collect();
        let data = lines.iter().map(|line| line.strip_prefix("data:").unwrap_or(line).to_owned());
        let events = lines.split(|line| line.is_empty()).map(|lines| {
            lines.iter().filter_map(|line| line.strip_prefix("data:")).collect::<Vec<_>>().concat()
        });
        self.is_held(body)
            || self.is_held_by([body.to_owned()])
            || self.is_held_by(data)
            || self.is_held_by(events)
    }

    fn is_held_by(&self, documents: impl IntoIterator<Item = String>) -> bool {
        let mut joined = BTreeMap::new();
        for document in documents {
            if let Ok(value) = read_message::<Value>(&document) {
                join(&value, &mut String::new(), &mut joined);
            }
        }
        joined.values().any(|text| self.is_held(text))
    }

    /// Whether a text contains a secret, in the text itself or in JSON inside it.
    pub(super) fn is_held(&self, text: &str) -> bool {
        let mut text = Cow::Borrowed(text);
        for _ in 0..LAYERS {
            if self.secrets.iter().any(|secret| text.contains(secret)) {
                return true;
            }
            match unescaped(&text) {
                Some(shorter) => text = Cow::Owned(shorter),
                None => return false,
            }
        }
        self.secrets.iter().any(|secret| text.contains(secret))
    }

    /// A blueprint, without what its executor's settings call a secret, and without what an address may hold of them.
    pub(super) fn agent(&self, mut agent: Value) -> Value {
        if let Some(executor) = agent.get_mut("executor") {
            hide_named(executor);
            if let Some(Value::String(address)) = executor.get_mut("base_url") {
                *address = bare(address);
            }
        }
        self.value(agent)
    }
}

fn join(value: &Value, place: &mut String, joined: &mut BTreeMap<String, String>) {
    match value {
        Value::String(text) => joined.entry(place.clone()).or_default().push_str(text),
        Value::Array(items) => items.iter().for_each(|item| join(item, place, joined)),
        Value::Object(members) => {
            for (key, member) in members {
                let before = place.len();
                place.push('/');
                place.push_str(key);
                join(member, place, joined);
                place.truncate(before);
            }
        }
        _ => {}
    }
}

/// An address without user, password and query.
pub(super) fn bare(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

fn hide_named(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(hide_named),
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) if is_secret(key) => *text = REDACTED.to_owned(),
                    other => hide_named(other),
                }
            }
        }
        _ => {}
    }
}

fn replace(bytes: Vec<u8>, secret: &[u8]) -> Vec<u8> {
    let mut rest = bytes.as_slice();
    let mut replaced = Vec::new();
    while let Some(at) = rest.windows(secret.len()).position(|window| window == secret) {
        let (before, after) = rest.split_at(at);
        replaced.extend_from_slice(before);
        replaced.extend_from_slice(REDACTED.as_bytes());
        rest = after.split_at(secret.len()).1;
    }
    if replaced.is_empty() && rest.len() == bytes.len() {
        return bytes;
    }
    replaced.extend_from_slice(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hides_a_secret_that_comes_in_parts() {
        let redactor = Redactor::new(["sk-secret".to_owned(), "other-key".to_owned()]);
        let text = "the key is sk-secret, and sk-secrex is none; other-key ends it, or so it seems";
        for length in 1..12 {
            let (mut growing, mut told) = (String::new(), String::new());
            for part in text.as_bytes().chunks(length) {
                growing.push_str(std::str::from_utf8(part).unwrap());
                told.extend(redactor.front(&mut growing));
            }
            assert!(growing.len() <= "sk-secret".len(), "{growing}");
            told.push_str(&redactor.text(&growing));
            assert_eq!(told, redactor.text(text), "in parts of {length}");
        }
        assert_eq!(Redactor::default().front(&mut "a".to_owned()).as_deref(), Some("a"));
        assert_eq!(Redactor::default().front(&mut String::new()), None);
    }

    #[test]
    fn secrets_are_found_everywhere() {
        let redactor =
            Redactor::new(["sk-123456", "sk-123456789", "qu\"ote\\d", "short", ""].map(str::to_owned));
        let value = json!({"a": ["key sk-123456789!", {"sk-123456": 1}], "b": "qu\"ote\\d", "c": "short"});
        let expected = json!({"a": ["key [redacted]!", {"[redacted]": 1}], "b": "[redacted]", "c": "short"});
        assert_eq!(redactor.value(value), expected);
        let body = b"\xffsk-123456\nsk-123456789 {\"a\":\"qu\\\"ote\\\\d\"}";
        assert_eq!(redactor.bytes(body), b"\xff[redacted]\n[redacted] {\"a\":\"[redacted]\"}");
        assert_eq!(redactor.bytes(b"sk-12345"), b"sk-12345");
    }

    #[test]
    fn no_error_tells_a_secret() {
        let redactor = Redactor::new(["sk-secret-123".to_owned()]);
        let kinds: [fn(String) -> TurnError; 5] = [
            TurnError::SchemaRejected,
            TurnError::FormatRejected,
            TurnError::ToolRejected,
            TurnError::Transport,
            TurnError::Failed,
        ];
        for kind in kinds {
            let told = redactor.error(kind("no sk-secret-123!".to_owned()));
            assert_eq!(told, kind("no [redacted]!".to_owned()));
        }
    }

    #[test]
    fn a_secret_in_pieces_is_noticed() {
        let redactor = Redactor::new(["sk-secret-123".to_owned()]);
        let said = |pieces: [&str; 3]| {
            let lines =
                pieces.map(|text| format!("event: delta\ndata: {}\n\n", json!({"delta": {"text": text}})));
            redactor.is_spelled(lines.concat().as_bytes())
        };
        assert!(said(["it is sk-", "secret", "-123."]));
        assert!(!said(["it is sk-", "secret", " and 123."]));
        assert!(redactor.is_spelled(b"{\"message\": \"sk-sec\"}\n{\"message\": \"ret-123\"}\n"));
        assert!(!redactor.is_spelled(b"{\"a\": \"sk-sec\"}\n{\"b\": \"ret-123\"}\nno JSON"));
    }

    #[test]
    fn a_secret_with_other_escapes_is_noticed() {
        let redactor = Redactor::new(["abc/def-secret-12345".to_owned()]);
        let pretty = "{\n  \"content\": \"the key is {}\"\n}";
        for spelled in [
            r"abc\/def-secret-12345",
            r"\u0061bc/def-secret\u002d12345",
            r#"{\"key\": \"abc\\/def-secret-12345\"}"#,
            r"\\u0061bc\/def-secret-12345",
        ] {
            let body = pretty.replace("{}", spelled);
            let body = redactor.bytes(body.as_bytes());
            assert!(redactor.is_spelled(&body), "{spelled}");
            let cut = body.split_at(body.len() - 3).0;
            assert!(redactor.is_spelled(cut), "{spelled}, cut off");
        }
        let replaced = redactor.bytes(pretty.replace("{}", "abc/def-secret-12345").as_bytes());
        assert!(!redactor.is_spelled(&replaced));
    }

    #[test]
    fn pieces_are_put_together_as_readers_do() {
        let redactor = Redactor::new(["abc/def-secret-12345".to_owned()]);
        let stream = "\u{feff}data: {\"text\":\ndata: \"abc\"}\n\nevent: x\ndata: {\"text\":\ndata: \"\\/def-secret-12345\"}\n\n";
        for end in ["\n", "\r\n", "\r"] {
            let whole = stream.replace(":\ndata:", ":").replace('\n', end);
            assert!(redactor.is_spelled(whole.as_bytes()), "{end:?}");
            assert!(redactor.is_spelled(stream.replace('\n', end).as_bytes()), "{end:?}, over lines");
        }
        let blocks = b"{\"content\": [\n{\"text\": \"abc/def-\"},\n{\"text\": \"secret-12345\"}\n]}";
        assert!(redactor.is_spelled(blocks));
    }

    #[test]
    fn an_address_keeps_no_credentials() {
        for (address, kept) in [
            ("http://u:secret@127.0.0.1:1/v1?key=abc#x", "http://127.0.0.1:1/v1"),
            ("https://a.example", "https://a.example"),
            ("https://a.example?key=abc", "https://a.example"),
        ] {
            let agent = Redactor::default().agent(json!({"executor": {"base_url": address}}));
            assert_eq!(agent, json!({"executor": {"base_url": kept}}));
        }
    }

    #[test]
    fn settings_that_name_a_secret_are_hidden() {
        let agent = json!({
            "parameters_schema": {"properties": {"token": {"type": "string", "default": "x"}}},
            "executor": {"type": "llm", "api_key": "k", "max_tokens": 5, "headers": {"x-api-key": "k", "Authorization": "b"},
                         "env": {"GH_TOKEN": "t", "LANG": "C"}, "api_key_env": "MY_KEY"},
        });
        let expected = json!({
            "parameters_schema": {"properties": {"token": {"type": "string", "default": "x"}}},
            "executor": {"type": "llm", "api_key": "[redacted]", "max_tokens": 5,
                         "headers": {"x-api-key": "[redacted]", "Authorization": "[redacted]"},
                         "env": {"GH_TOKEN": "[redacted]", "LANG": "C"}, "api_key_env": "MY_KEY"},
        });
        assert_eq!(Redactor::default().agent(agent), expected);
    }
}
