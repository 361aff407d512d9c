//! The bytes of an answer, written as text.
//!
//! One line is a string, several lines are a list of strings with their ends, and a line that is not UTF-8 is
//! `{"hex": "…"}`. How the network cut the bytes into pieces is not kept: it differs each time, and means nothing.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The bytes of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body(pub Vec<u8>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredBody {
    One(Line),
    Many(Vec<Line>),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Text(String),
    Bytes { hex: String },
}

impl Body {
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split_inclusive(|&byte| byte == b'\n')
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut lines: Vec<Line> = self.lines().map(Line::of).collect();
        let written = match lines.len() {
            0 => StoredBody::One(Line::Text(String::new())),
            1 => StoredBody::One(lines.remove(0)),
            _ => StoredBody::Many(lines),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = StoredBody::deserialize(deserializer);
        let written = written.map_err(|_| {
            D::Error::custom("expected a body that is a string, {\"hex\": …}, or a list of those")
        })?;
        let lines = match written {
            StoredBody::One(line) => vec![line],
            StoredBody::Many(lines) => lines,
        };
        let mut bytes = Vec::new();
        for line in lines {
            match line {
                Line::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Line::Bytes { hex } => {
                    let line = from_hex(&hex);
                    bytes.extend(
                        line.ok_or_else(|| {
                            D::Error::custom("expected pairs of hexadecimal digits in `hex`")
                        })?,
                    );
                }
            }
        }
        Ok(Self(bytes))
    }
}

impl Line {
    fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() },
        }
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn bytes_round_trip() {
        let cases: [(&[u8], Value); 5] = [
            (b"", json!("")),
            (b"{\"a\":1}", json!("{\"a\":1}")),
            (b"data: a\n\ndata: b", json!(["data: a\n", "\n", "data: b"])),
            (b"\xff\n\x00a", json!([{"hex": "ff0a"}, "\u{0}a"])),
            ("é".as_bytes().split_at(1).0, json!({"hex": "c3"})),
        ];
        for (bytes, written) in cases {
            let body = Body(bytes.to_owned());
            assert_eq!(serde_json::to_value(&body).unwrap(), written);
            assert_eq!(serde_json::from_value::<Body>(written).unwrap(), body);
        }
    }

    #[test]
    fn rejects_an_invalid_body() {
        for written in [json!(1), json!({"hex": "f"}), json!({"hex": "zz"}), json!([1]), json!(null)] {
            assert!(serde_json::from_value::<Body>(written).is_err());
        }
    }
}
