//! One line of `--jsonl`: a request to judge a text.

use accord_contract::Mode;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::reason;

/// A request. Missing or null fields come from the command line. Other fields are ignored, so that
/// data sets can be piped in unchanged, with labels and notes next to the text.
#[derive(Debug, Deserialize)]
pub(super) struct Request<'a> {
    /// Given back as it was written.
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    pub(super) text: String,
    #[serde(borrow, default)]
    pub(super) schema: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) mode: Option<Mode>,
}

/// An invalid line, with its id if that can be read.
#[derive(Debug)]
pub(super) struct Malformed<'a> {
    pub(super) id: Option<&'a RawValue>,
    /// Continues "line 7 …".
    pub(super) message: String,
}

#[derive(Deserialize)]
struct OnlyId<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Result<Self, Malformed<'a>> {
        let line = std::str::from_utf8(line).map_err(|error| Malformed {
            id: None,
            message: format!("is not UTF-8 at byte {} of the line", error.valid_up_to()),
        })?;
        // A list of values in the right order would also pass for a request.
        if line.trim_start().starts_with('[') {
            return Err(Malformed {
                id: None,
                message: "is no request: it is a list, not an object".to_owned(),
            });
        }
        serde_json::from_str(line).map_err(|error| {
            let complaint = if error.is_data() { "is no request" } else { "is not JSON" };
            Malformed {
                id: serde_json::from_str::<OnlyId<'_>>(line).ok().and_then(|only| only.id),
                message: format!("{complaint}: {} (column {})", reason(&error), error.column()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_needs_only_a_text() {
        let request = Request::parse(br#"{"text": "x", "schema": null}"#).unwrap();
        assert!(request.id.is_none() && request.schema.is_none() && request.mode.is_none());
        assert_eq!(request.text, "x");
    }

    #[test]
    fn the_id_survives_a_malformed_request() {
        let malformed = Request::parse(br#"{"id": 1.50, "txt": "x"}"#).unwrap_err();
        assert_eq!(malformed.id.map(RawValue::get), Some("1.50"));
        assert_eq!(malformed.message, "is no request: missing field `text` (column 24)");
    }
}
