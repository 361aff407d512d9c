//! Reads server-sent events from bytes, wherever the bytes are cut, in bounded memory.
//!
//! The format is that of the HTML standard: lines end with `\n`, `\r\n` or `\r`, and a byte-order mark is ignored at the
//! start of the stream only. `sse-stream` 0.2 was not used because it does not bound an event.

use std::borrow::Cow;

/// An event with data. Events without data are ignored, as the standard says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `id` field.
    pub id: Option<String>,
    /// The `event` field.
    pub name: Option<String>,
    /// The `data` fields, joined with line feeds.
    pub data: String,
}

/// An event that cannot be read. The events after it can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventError {
    /// It is longer than the limit.
    TooLong {
        /// Its `id` field, if that came first.
        id: Option<String>,
    },
    /// A line is not UTF-8.
    NotUtf8,
}

/// Collects bytes until they make an event.
#[derive(Debug)]
pub struct Decoder {
    max_bytes: usize,
    lossy: bool,
    at_start: bool,
    line: Vec<u8>,
    id: Option<String>,
    name: Option<String>,
    data: Option<String>,
    /// The event was reported as an error, so the rest of it is skipped.
    skipping: bool,
    /// The last line ended with `\r`, so a following `\n` belongs to the same line end.
    after_return: bool,
}

impl Decoder {
    /// A decoder for a stream whose events have at most this many bytes. Invalid UTF-8 is an error.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            lossy: false,
            at_start: true,
            line: Vec::new(),
            id: None,
            name: None,
            data: None,
            skipping: false,
            after_return: false,
        }
    }

    /// Replaces invalid UTF-8 by U+FFFD.
    #[must_use]
    pub fn lossy(self) -> Self {
        Self { lossy: true, ..self }
    }

    /// For a stream whose byte-order mark the caller has removed.
    #[must_use]
    pub fn after_byte_order_mark(self) -> Self {
        Self { at_start: false, ..self }
    }

    /// The events that end in these bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Result<Event, EventError>> {
        let mut events = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            let is_return = rest.starts_with(b"\r");
            let after_return = std::mem::replace(&mut self.after_return, is_return);
            bytes = rest.get(1..).unwrap_or_default();
            if after_return && line.is_empty() && !is_return {
                continue;
            }
            events.extend(self.append(line).map(Err));
            events.extend(self.end_line().transpose());
        }
        self.after_return &= bytes.is_empty();
        events.extend(self.append(bytes).map(Err));
        events
    }

    /// The event that lacks its last empty line. The standard drops it; some servers end like this.
    pub fn finish(&mut self) -> Vec<Result<Event, EventError>> {
        self.feed(b"\n\n")
    }

    fn append(&mut self, bytes: &[u8]) -> Option<EventError> {
        if bytes.is_empty() {
            return None;
        }
        let data = self.data.as_ref().map_or(0, String::len);
        if !self.skipping && self.line.len() + bytes.len() + data <= self.max_bytes {
            self.line.extend_from_slice(bytes);
            return None;
        }
        // Not empty, which would end the event, and not a field.
        self.line = vec![b':'];
        let id = self.id.take();
        (!self.skipping).then(|| self.skip(EventError::TooLong { id }))
    }

    fn skip(&mut self, error: EventError) -> EventError {
        (self.skipping, self.data) = (true, None);
        error
    }

    fn end_line(&mut self) -> Result<Option<Event>, EventError> {
        let line = std::mem::take(&mut self.line);
        let line = match std::mem::take(&mut self.at_start) {
            true => line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line),
            false => &line,
        };
        if line.is_empty() {
            self.skipping = false;
            let (id, name, data) = (self.id.take(), self.name.take(), self.data.take());
            return Ok(data.map(|data| Event { id, name, data }));
        }
        if self.skipping {
            return Ok(None);
        }
        let line = match (std::str::from_utf8(line), self.lossy) {
            (Ok(line), _) => Cow::Borrowed(line),
            (Err(_), true) => String::from_utf8_lossy(line),
            (Err(_), false) => return Err(self.skip(EventError::NotUtf8)),
        };
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" => self.id = Some(value.to_owned()),
            "event" => self.name = Some(value.to_owned()),
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: Option<&str>, data: &str) -> Result<Event, EventError> {
        Ok(Event { id: id.map(str::to_owned), name: None, data: data.to_owned() })
    }

    /// The events of a text, which must be the same wherever it is cut.
    fn decoded(text: &[u8], new: impl Fn() -> Decoder) -> Vec<Result<Event, EventError>> {
        let whole = new().feed(text);
        for cut in 0..text.len() {
            let (left, right) = text.split_at(cut);
            let mut decoder = new();
            let mut events = decoder.feed(left);
            events.extend(decoder.feed(right));
            assert_eq!(events, whole, "cut at {cut}");
            assert!(decoder.line.capacity() <= 2 * decoder.max_bytes);
        }
        whole
    }

    #[test]
    fn lines_end_with_line_feeds_returns_or_both() {
        let text =
            ": heartbeat\n\nid: 1\nevent: message\ndata: a\ndata: ü\n\ndata:b\r\n\r\ndata: c\rid: 3\r\r";
        let named = Event { id: Some("1".into()), name: Some("message".into()), data: "a\nü".into() };
        let expected = [Ok(named), event(None, "b"), event(Some("3"), "c")];
        assert_eq!(decoded(text.as_bytes(), || Decoder::new(100)), expected);
    }

    #[test]
    fn ignores_a_byte_order_mark_at_the_start_only() {
        let text = "\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: 3\n\n".as_bytes();
        assert_eq!(decoded(text, || Decoder::new(100)), [event(None, "1"), event(None, "3")]);
        assert_eq!(decoded(text, || Decoder::new(100).after_byte_order_mark()), [event(None, "3")]);
    }

    #[test]
    fn ignores_events_without_data() {
        assert_eq!(decoded(b"id: 1\n\n: x\n\nevent: y\n\n", || Decoder::new(100)), []);
    }

    #[test]
    fn skips_an_event_that_is_too_long() {
        let line = format!("data: {}\n", "x".repeat(60));
        let text = format!(
            "id: 1\ndata: a\n\nid: 2\n{}\nid: 3\ndata: {}\n\nid: 4\ndata: b\n\n",
            line.repeat(3),
            "y".repeat(500)
        );
        let too_long = |id: &str| Err(EventError::TooLong { id: Some(id.to_owned()) });
        let expected = [event(Some("1"), "a"), too_long("2"), too_long("3"), event(Some("4"), "b")];
        assert_eq!(decoded(text.as_bytes(), || Decoder::new(100)), expected);
    }

    #[test]
    fn invalid_utf8_is_an_error_or_replaced() {
        let text = b"data: \xff\ndata: a\n\ndata: b\n\n";
        assert_eq!(decoded(text, || Decoder::new(100)), [Err(EventError::NotUtf8), event(None, "b")]);
        let lossy = decoded(text, || Decoder::new(100).lossy());
        assert_eq!(lossy, [event(None, "\u{fffd}\na"), event(None, "b")]);
    }

    #[test]
    fn the_last_event_may_lack_its_empty_line() {
        for text in ["data: 1", "data: 1\r", "data: 1\r\n"] {
            let mut decoder = Decoder::new(100);
            assert_eq!(decoder.feed(text.as_bytes()), []);
            assert_eq!(decoder.finish(), [event(None, "1")], "{text:?}");
            assert_eq!(decoder.finish(), []);
        }
    }
}
