//! Messages out of an HTTP body: one as JSON, or many as server-sent events.

/// What some servers write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What came so far.
pub(super) struct Events {
    is_stream: bool,
    /// Whether the first line of a stream was read.
    begun: bool,
    /// A line without its end, or the whole body.
    pending: Vec<u8>,
    data: String,
}

impl Events {
    pub(super) fn new(is_stream: bool) -> Self {
        Self { is_stream, begun: false, pending: Vec::new(), data: String::new() }
    }

    /// Takes some bytes, and gives the messages that are whole with them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        self.pending.extend_from_slice(bytes);
        if !self.is_stream {
            return Vec::new();
        }
        let mut messages = Vec::new();
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            messages.extend(self.line(&String::from_utf8_lossy(&line)));
        }
        messages
    }

    /// The body has ended: the one message of a plain body, or an event that lacks its last empty line.
    pub(super) fn end(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.pending);
        let rest = String::from_utf8_lossy(&rest);
        if !self.is_stream {
            let rest = rest.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&rest);
            return (!rest.trim().is_empty()).then(|| rest.to_owned());
        }
        self.line(&rest).or_else(|| self.line(""))
    }

    fn line(&mut self, line: &str) -> Option<String> {
        let is_first = !std::mem::replace(&mut self.begun, true);
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then_some(data);
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_any_pieces() {
        let text = ": hello\r\nevent: message\r\nid: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:2\n\ndata: 3";
        for size in [1, 2, 7, text.len()] {
            let mut events = Events::new(true);
            let mut all: Vec<String> =
                text.as_bytes().chunks(size).flat_map(|bytes| events.take(bytes)).collect();
            all.extend(events.end());
            assert_eq!(all, ["{\"a\":\n1}", "2", "3"], "{size}");
            assert_eq!(events.end(), None);
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_message() {
        let text = "\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: 3\n\n";
        let mut events = Events::new(true);
        let all: Vec<String> = text.as_bytes().chunks(1).flat_map(|bytes| events.take(bytes)).collect();
        assert_eq!(all, ["1", "3"]);
        let mut events = Events::new(false);
        assert!(events.take("\u{feff}{}".as_bytes()).is_empty());
        assert_eq!(events.end().as_deref(), Some("{}"));
    }

    #[test]
    fn a_plain_body_is_one_message() {
        let mut events = Events::new(false);
        assert_eq!(events.take(b"{\n"), Vec::<String>::new());
        assert_eq!(events.take(b"\n}"), Vec::<String>::new());
        assert_eq!(events.end().as_deref(), Some("{\n\n}"));
        assert_eq!(Events::new(false).end(), None);
    }
}
