//! Messages out of an HTTP body: one as JSON, or many as server-sent events.

use accord_sse::Decoder;

use super::limits::STREAM_BYTES;

/// What some servers write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The part of a body that is not yet a message.
pub(super) enum Body {
    Json(Vec<u8>),
    Events(Decoder),
}

impl Body {
    pub(super) fn new(is_stream: bool) -> Self {
        match is_stream {
            true => Self::Events(Decoder::new(STREAM_BYTES).lossy()),
            false => Self::Json(Vec::new()),
        }
    }

    /// The messages that are complete with these bytes. The caller bounds the whole body, so no event is too long.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        match self {
            Self::Json(body) => {
                body.extend_from_slice(bytes);
                Vec::new()
            }
            Self::Events(decoder) => data(decoder.feed(bytes)),
        }
    }

    /// The message that ends with the body: a plain body, or an event that lacks its last empty line.
    pub(super) fn end(&mut self) -> Option<String> {
        match self {
            Self::Json(body) => {
                let body = std::mem::take(body);
                let text = String::from_utf8_lossy(&body);
                let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
                (!text.trim().is_empty()).then(|| text.to_owned())
            }
            Self::Events(decoder) => data(decoder.finish()).pop(),
        }
    }
}

fn data(events: Vec<Result<accord_sse::Event, accord_sse::EventError>>) -> Vec<String> {
    events.into_iter().flatten().map(|event| event.data).filter(|data| !data.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_any_pieces() {
        let text = ": hello\r\nevent: message\r\nid: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:2\n\ndata: 3";
        for size in [1, 2, 7, text.len()] {
            let mut events = Body::new(true);
            let mut all: Vec<String> =
                text.as_bytes().chunks(size).flat_map(|bytes| events.take(bytes)).collect();
            all.extend(events.end());
            assert_eq!(all, ["{\"a\":\n1}", "2", "3"], "{size}");
            assert_eq!(events.end(), None);
        }
    }

    #[test]
    fn ignores_a_byte_order_mark_before_a_message() {
        let text = "\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: 3\n\n";
        let mut events = Body::new(true);
        let all: Vec<String> = text.as_bytes().chunks(1).flat_map(|bytes| events.take(bytes)).collect();
        assert_eq!(all, ["1", "3"]);
        let mut events = Body::new(false);
        assert!(events.take("\u{feff}{}".as_bytes()).is_empty());
        assert_eq!(events.end().as_deref(), Some("{}"));
    }

    #[test]
    fn a_plain_body_is_one_message() {
        let mut events = Body::new(false);
        assert_eq!(events.take(b"{\n"), Vec::<String>::new());
        assert_eq!(events.take(b"\n}"), Vec::<String>::new());
        assert_eq!(events.end().as_deref(), Some("{\n\n}"));
        assert_eq!(events.end(), None);
        assert_eq!(Body::new(false).end(), None);
    }
}
