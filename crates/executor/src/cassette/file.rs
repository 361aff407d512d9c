//! Cassettes as files.

use std::path::Path;

use accord_json::{Checked, Limits, read_leniently};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use super::format::{Cassette, VERSION};

/// A run of a hundred long turns stays far below it; a larger file is not a recording.
const MAX_CASSETTE_BYTES: u64 = 64 * 1024 * 1024;

/// A recording has the requests of a run, each with the conversation so far.
const CASSETTE: Limits = Limits { values: 2_000_000, ..Limits::WHOLE };

/// What is read first: the rest depends on it.
#[derive(Deserialize)]
struct Versioned {
    #[serde(default)]
    accord_cassette: Option<Value>,
}

/// Why a cassette cannot be used. Each names the file and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CassetteError {
    /// There is no such file, or it cannot be read.
    #[error("{0}")]
    Missing(String),
    /// It is not a valid cassette.
    #[error("{0}")]
    Broken(String),
}

impl Cassette {
    /// The cassette as text, to be written to a file.
    pub fn to_text(&self) -> Result<String, CassetteError> {
        let text = serde_json::to_string_pretty(self);
        let text =
            text.map_err(|error| CassetteError::Broken(format!("the recording cannot be written: {error}")))?;
        if text.len() as u64 >= MAX_CASSETTE_BYTES {
            let limit = MAX_CASSETTE_BYTES / 1024 / 1024;
            return Err(CassetteError::Broken(format!(
                "the recording is larger than {limit} MiB: record a shorter run"
            )));
        }
        Ok(text + "\n")
    }

    /// Reads a cassette from text.
    pub fn from_text(text: &str) -> Result<Self, CassetteError> {
        let broken = |error: String| CassetteError::Broken(format!("not a valid recording: {error}"));
        let text = Checked::new(text, CASSETTE).map_err(|error| broken(error.to_string()))?;
        let value: Versioned = read_leniently(&text).map_err(|error| broken(error.to_string()))?;
        match value.accord_cassette {
            None => return Err(broken("`accord_cassette` is missing".to_owned())),
            Some(version) if version.as_u64() != Some(VERSION.into()) => {
                let text =
                    format!("it has recording version {version}, but this program reads version {VERSION}");
                return Err(CassetteError::Broken(text));
            }
            Some(_) => {}
        }
        read_leniently(&text).map_err(|error| broken(error.to_string()))
    }

    /// Reads a cassette from a file.
    pub async fn load(path: &Path) -> Result<Self, CassetteError> {
        let location = path.display();
        let text = read(path).await?;
        let text = String::from_utf8(text)
            .map_err(|_| CassetteError::Broken(format!("the cassette {location} is not UTF-8: {REMEDY}")))?;
        Self::from_text(&text).map_err(|error| {
            CassetteError::Broken(format!("the cassette {location} cannot be used: {error}; {REMEDY}"))
        })
    }
}

const REMEDY: &str = "record it again with `accord record`";

async fn read(path: &Path) -> Result<Vec<u8>, CassetteError> {
    let location = path.display();
    let missing =
        |error| CassetteError::Missing(format!("the cassette {location} cannot be read: {error}; {REMEDY}"));
    // Checked before it is opened, because opening a pipe waits for a writer.
    let metadata = tokio::fs::metadata(path).await.map_err(missing)?;
    if !metadata.is_file() {
        return Err(CassetteError::Broken(format!("the cassette {location} is not a file")));
    }
    let file = tokio::fs::File::open(path).await.map_err(missing)?;
    let mut bytes = Vec::new();
    file.take(MAX_CASSETTE_BYTES + 1).read_to_end(&mut bytes).await.map_err(missing)?;
    if bytes.len() as u64 > MAX_CASSETTE_BYTES {
        let limit = MAX_CASSETTE_BYTES / 1024 / 1024;
        return Err(CassetteError::Broken(format!(
            "the cassette {location} is larger than {limit} MiB: {REMEDY}"
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{
        Body, Cut, Ended, Exchange, RecordedRequest, RecordedResponse, RecordedResult, Reply,
    };
    use super::*;
    use serde_json::json;

    fn cassette() -> Cassette {
        let request = RecordedRequest { path: "/v1/chat".to_owned(), body: json!({"temperature": 0.10}) };
        let response = RecordedResponse {
            status: 200,
            headers: [("content-type".to_owned(), "text/event-stream".to_owned())].into(),
            body: Body(b"data: {}\n\ndata: [DO".to_vec()),
            cut: Some(Cut::Lost("reset".to_owned())),
        };
        let result = RecordedResult {
            name: "read_file".to_owned(),
            arguments: json!({"path": "a"}),
            ok: true,
            text: "b".to_owned(),
        };
        let exchanges = vec![
            Exchange {
                request: request.clone(),
                reply: Reply::Error("refused".to_owned()),
                results: Vec::new(),
            },
            Exchange { request, reply: Reply::Response(response), results: vec![result] },
        ];
        Cassette::new(
            json!({"name": "a"}),
            json!({"prompt": "b"}),
            exchanges,
            json!([{"outcome": "accepted"}]),
        )
    }

    #[test]
    fn a_cassette_is_readable() {
        insta::assert_snapshot!(cassette().to_text().unwrap());
    }

    #[test]
    fn a_cassette_comes_back_as_it_was() {
        assert_eq!(Cassette::from_text(&cassette().to_text().unwrap()), Ok(cassette()));
        let numbers = "[-0,1.10,1e+400,18446744073709551616,340282366920938463463374607431768211456]";
        let request = format!(r#"{{"request":{{"path":"/","body":{numbers}}},"error":"refused"}}"#);
        let large = format!(
            r#"{{"accord_cassette":1,"agent":1,"parameters":{numbers},"exchanges":[{request}],"attempts":{numbers}}}"#
        );
        let text = Cassette::from_text(&large).unwrap().to_text().unwrap();
        let written: String = text.split_whitespace().collect();
        assert_eq!(written.matches(numbers).count(), 3, "{text}");
    }

    #[test]
    fn the_end_of_a_run_comes_back_as_it_was() {
        for ended in [Ended::Stopped, Ended::TimedOut { seconds: 2 }] {
            let mut recorded = cassette();
            recorded.ended = Some(ended);
            recorded.exchanges.iter_mut().for_each(|exchange| exchange.reply = Reply::Unanswered);
            assert_eq!(Cassette::from_text(&recorded.to_text().unwrap()), Ok(recorded));
        }
    }

    #[test]
    fn explains_an_invalid_cassette() {
        let exchange = r#"{"request":{"path":"/","body":1}}"#;
        for (text, part) in [
            ("", "not a valid recording: EOF"),
            ("[]", "not a valid recording: `accord_cassette` is missing"),
            (r#"{"accord_cassette":2}"#, "it has recording version 2, but this program reads version 1"),
            (r#"{"accord_cassette":1,"agent":1}"#, "not a valid recording: missing field"),
            (
                &format!(r#"{{"accord_cassette":1,"agent":1,"parameters":1,"exchanges":[{exchange}]}}"#),
                "not a valid recording: expected an exchange with either a `response` or an `error`",
            ),
        ] {
            let error = Cassette::from_text(text).unwrap_err();
            assert!(matches!(&error, CassetteError::Broken(text) if text.starts_with(part)), "{error}");
        }
    }

    #[tokio::test]
    async fn files_that_cannot_be_used_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        assert!(
            matches!(Cassette::load(&path).await, Err(CassetteError::Missing(text)) if text.contains("c.json"))
        );
        assert!(matches!(Cassette::load(folder.path()).await, Err(CassetteError::Broken(_))));
        std::fs::write(&path, b"\xff").unwrap();
        let error = Cassette::load(&path).await.unwrap_err().to_string();
        assert!(error.ends_with("c.json is not UTF-8: record it again with `accord record`"), "{error}");
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = Cassette::load(&path).await.unwrap_err().to_string();
        assert!(error.contains("is larger than 64 MiB"), "{error}");
        std::fs::write(&path, cassette().to_text().unwrap()).unwrap();
        assert_eq!(Cassette::load(&path).await, Ok(cassette()));
    }
}
