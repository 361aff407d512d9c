//! Reads the bytes of an answer as they come, in bounded memory.
//!
//! A server that was asked to stream may answer in one piece all the same: the first byte says so, together with the content
//! type, which alone is not always right.

use super::wire::{Framing, Growing, Problem, ReadError, Reader, Reply, Wire};
use crate::answer::Usage;

/// The longest line, and the longest answer in one piece. The text in it may be written with escapes, so this is more
/// than the answer itself may be.
const MAX_LINE_BYTES: usize = 4 * super::wire::MAX_ANSWER_BYTES;

/// All that a stream may bring. Every few characters are wrapped in an event of some hundred bytes, so this is far more
/// than the answer; without it a stream of comments would never end.
const MAX_STREAM_BYTES: usize = 32 * super::wire::MAX_ANSWER_BYTES;

/// What some servers write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The answer as far as it came.
pub(super) struct Intake {
    wire: &'static dyn Wire,
    form: Form,
    /// Whether the content type says that it is JSON.
    json: bool,
    reader: Box<dyn Reader>,
    /// The first bytes, until it is known whether they are a byte-order mark.
    opening: Option<Vec<u8>>,
    /// A line without its end, or the whole answer.
    pending: Vec<u8>,
    /// The data of an event without its end.
    data: String,
    /// Whether that event's name says that it tells an error.
    tells_error: bool,
    taken: usize,
    /// Whether the last line ended with `\r`.
    returned: bool,
    events: usize,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Undecided,
    Whole,
    Stream,
}

impl Intake {
    pub(super) fn new(wire: &'static dyn Wire, content_type: &str) -> Self {
        let form = if content_type.contains("ndjson") { Form::Stream } else { Form::Undecided };
        Self {
            wire,
            form,
            json: content_type.contains("json"),
            reader: wire.reader(),
            opening: Some(Vec::new()),
            pending: Vec::new(),
            data: String::new(),
            tells_error: false,
            taken: 0,
            returned: false,
            events: 0,
            ended: false,
        }
    }

    /// Takes some bytes, and says whether the answer has ended.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<bool, ReadError> {
        self.taken = self.taken.saturating_add(bytes.len());
        if self.taken > MAX_STREAM_BYTES || self.pending.len().saturating_add(bytes.len()) > MAX_LINE_BYTES {
            return Err(ReadError::TooLarge);
        }
        let Some(mut opening) = self.opening.take() else { return self.read(bytes) };
        opening.extend_from_slice(bytes);
        if opening.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&opening) {
            self.opening = Some(opening);
            return Ok(false);
        }
        self.read(opening.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&opening))
    }

    fn read(&mut self, bytes: &[u8]) -> Result<bool, ReadError> {
        let mut rest = bytes;
        if self.form == Form::Undecided {
            // Before the first byte that counts there is nothing to keep.
            rest = bytes.trim_ascii_start();
            self.decide(rest.first().copied());
        }
        while self.form == Form::Stream && !self.ended {
            let Some(end) = rest.iter().position(|byte| self.ends_line(*byte)) else {
                break;
            };
            let (line, after) = rest.split_at(end);
            let returned = std::mem::replace(&mut self.returned, after.first() == Some(&b'\r'));
            rest = after.get(1..).unwrap_or_default();
            if returned && line.is_empty() && self.pending.is_empty() && !self.returned {
                // The second half of `\r\n`.
                continue;
            }
            self.pending.extend_from_slice(line);
            let line = std::mem::take(&mut self.pending);
            self.line(&line)?;
        }
        self.pending.extend_from_slice(rest);
        Ok(self.ended)
    }

    /// The part that is being written, as far as it came.
    pub(super) fn growing(&self) -> Option<Growing<'_>> {
        self.reader.growing()
    }

    /// What was told to be used so far.
    pub(super) fn usage(&self) -> Usage {
        self.reader.usage()
    }

    /// Gives what was read.
    pub(super) fn finish(mut self) -> Result<Reply, ReadError> {
        if let Some(opening) = self.opening.take() {
            self.read(&opening)?;
        }
        let pending = std::mem::take(&mut self.pending);
        if self.form == Form::Whole {
            return self.whole(&pending);
        }
        if !self.ended {
            // An event that cannot be read is only half of one, if nothing comes after it.
            let last = self.line(&pending).and_then(|()| self.line(b""));
            last.map_err(|error| match error {
                ReadError::Unreadable(_) if self.events > 0 => ReadError::BrokenOff,
                other => other,
            })?;
        }
        if self.taken == 0 {
            return Err(ReadError::BrokenOff);
        }
        if self.events == 0 {
            return Err(ReadError::Unreadable("it contains no answer".into()));
        }
        self.reader.finish()
    }

    /// Events may end their lines with `\n`, `\r\n` or `\r` alone.
    fn ends_line(&self, byte: u8) -> bool {
        byte == b'\n' || byte == b'\r' && self.wire.framing() == Framing::Events
    }

    fn decide(&mut self, first: Option<u8>) {
        let Some(first) = first else { return };
        let whole = match (self.wire.framing(), self.json) {
            // A comment, or one of the fields `data`, `event`, `id` and `retry`: events, whatever they are called.
            (Framing::Events, true) => !b":deir".contains(&first),
            (Framing::Events, false) => first == b'{',
            (Framing::Lines, json) => json,
        };
        self.form = if whole { Form::Whole } else { Form::Stream };
    }

    fn whole(mut self, bytes: &[u8]) -> Result<Reply, ReadError> {
        match serde_json::from_slice(bytes) {
            // What is JSON is text.
            Ok(body) => match Problem::told_by(&body) {
                Some(problem) => Err(ReadError::Provider(problem)),
                None => self.wire.read_whole(body, std::str::from_utf8(bytes).unwrap_or_default()),
            },
            Err(_) if self.wire.framing() == Framing::Lines => {
                for line in bytes.split(|byte| *byte == b'\n') {
                    self.line(line)?;
                }
                self.reader.finish()
            }
            Err(error) if error.is_eof() => Err(ReadError::BrokenOff),
            Err(error) => Err(ReadError::Unreadable(format!("it is not JSON: {error}"))),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), ReadError> {
        let line = std::str::from_utf8(line).map_err(|_| ReadError::Unreadable("it is not UTF-8".into()))?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        match self.wire.framing() {
            Framing::Lines if line.trim().is_empty() || self.ended => Ok(()),
            Framing::Lines => self.event(line),
            Framing::Events if line.is_empty() => {
                let data = std::mem::take(&mut self.data);
                let tells_error = std::mem::take(&mut self.tells_error);
                match tells_error.then(|| Problem::of_event(&data)).flatten() {
                    Some(problem) => Err(ReadError::Provider(problem)),
                    None if data.is_empty() => Ok(()),
                    None => self.event(&data),
                }
            }
            Framing::Events => self.field(line),
        }
    }

    /// One field of an event. Its name is not needed, because the data says what it is, unless that is an error: some write
    /// those in a form of their own.
    fn field(&mut self, line: &str) -> Result<(), ReadError> {
        if let Some(name) = line.strip_prefix("event:") {
            self.tells_error = name.trim() == "error";
        }
        let Some(value) = line.strip_prefix("data:") else {
            return Ok(());
        };
        let value = value.strip_prefix(' ').unwrap_or(value);
        if self.data.len().saturating_add(value.len()) > MAX_LINE_BYTES {
            return Err(ReadError::TooLarge);
        }
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data.push_str(value);
        Ok(())
    }

    fn event(&mut self, data: &str) -> Result<(), ReadError> {
        self.ended = self.reader.event(data)?;
        self.events = self.events.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use accord_domain::provider::Dialect;

    use super::*;
    use crate::llm::wire::{End, wire};

    fn chat(content_type: &str, pieces: &[&[u8]]) -> Result<Reply, ReadError> {
        let mut intake = Intake::new(wire(Dialect::CompatibleChat), content_type);
        for piece in pieces {
            if intake.take(piece)? {
                break;
            }
        }
        intake.finish()
    }

    const STREAM: &str = ": hello\r\nevent: x\r\ndata: {\"choices\":[{\"delta\":\ndata: {\"content\":\"a\u{e9}\u{1f600}b\"}}]}\r\n\r\n\
        data:{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

    #[test]
    fn a_stream_reads_the_same_wherever_it_is_cut() {
        let whole = chat("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        assert_eq!((whole.text.as_str(), &whole.end), ("a\u{e9}\u{1f600}b", &End::Finished));
        for cut in 0..STREAM.len() {
            let (left, right) = STREAM.as_bytes().split_at(cut);
            assert_eq!(chat("text/event-stream", &[left, right]), Ok(whole.clone()), "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
        assert_eq!(chat("", &bytes), Ok(whole));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_answer() {
        let whole = chat("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        let first = STREAM.trim_start_matches(": hello\r\nevent: x\r\n");
        let marked = format!("\u{feff}{first}");
        for cut in 0..marked.len() {
            let (left, right) = marked.as_bytes().split_at(cut);
            assert_eq!(chat("text/event-stream", &[left, right]), Ok(whole.clone()), "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = marked.as_bytes().chunks(1).collect();
        assert_eq!(chat("application/json", &bytes), Ok(whole.clone()));
        // Only one is taken away: what follows is a field that nobody knows.
        assert_ne!(chat("text/event-stream", &[format!("\u{feff}{marked}").as_bytes()]), Ok(whole));
        let body = "\u{feff}{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}";
        assert_eq!(chat("application/json", &[body.as_bytes()]).unwrap().text, "a");
        assert_eq!(
            chat("text/event-stream", &[b"\xef\xbb"]).unwrap_err(),
            ReadError::Unreadable("it is not UTF-8".into())
        );
    }

    #[test]
    fn the_first_byte_decides_where_the_content_type_does_not() {
        let body = br#"  {"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#;
        assert_eq!(chat("text/plain", &[b" ", body]).unwrap().text, "a");
        assert_eq!(chat("application/json; charset=utf-8", &[body]).unwrap().text, "a");
        assert_eq!(chat("text/event-stream", &[b"\n", body]).unwrap().text, "a");
        let events = format!("\n\r\n{STREAM}");
        for cut in 0..events.len() {
            let (left, right) = events.as_bytes().split_at(cut);
            assert_eq!(
                chat("", &[left, right]),
                chat("text/event-stream", &[STREAM.as_bytes()]),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn an_end_without_an_empty_line_is_an_end() {
        let cut = STREAM.trim_end();
        assert_eq!(chat("text/event-stream", &[cut.as_bytes()]).unwrap().end, End::Finished);
    }

    #[test]
    fn what_is_no_answer_is_said_to_be_none() {
        let html = chat("application/json", &[b"<html>"]).unwrap_err();
        assert!(matches!(html, ReadError::Unreadable(why) if why.contains("not JSON")));
        for nothing in ["<html>\n\n</html>", ": hello\n\n"] {
            let error = chat("text/event-stream", &[nothing.as_bytes()]).unwrap_err();
            assert_eq!(error, ReadError::Unreadable("it contains no answer".into()));
        }
        let bytes = chat("text/event-stream", &[b"data: \xff\n\n"]).unwrap_err();
        assert_eq!(bytes, ReadError::Unreadable("it is not UTF-8".into()));
    }

    #[test]
    fn lines_may_end_with_a_carriage_return_alone() {
        let whole = chat("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        let returns = STREAM.replace("\r\n", "\n").replace('\n', "\r");
        for cut in 0..returns.len() {
            let (left, right) = returns.as_bytes().split_at(cut);
            assert_eq!(chat("text/event-stream", &[left, right]), Ok(whole.clone()), "cut at {cut}");
        }
    }

    #[test]
    fn events_are_read_where_the_content_type_says_json() {
        let whole = chat("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        assert_eq!(chat("application/json", &[STREAM.as_bytes()]), Ok(whole));
    }

    #[test]
    fn what_ends_before_its_last_event_broke_off() {
        let first = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
        for end in ["", "data: {\"choi", "data", ": still here\n\n"] {
            let text = format!("{first}{end}");
            let read = chat("text/event-stream", &[text.as_bytes()]);
            assert_eq!(read, Err(ReadError::BrokenOff), "{end:?}");
        }
        assert_eq!(chat("text/event-stream", &[]), Err(ReadError::BrokenOff));
        assert_eq!(chat("application/json", &[b"{\"choices\":[{\"mess"]), Err(ReadError::BrokenOff));
    }

    #[test]
    fn an_event_that_is_called_an_error_is_one() {
        let first = "data: {\"choices\":[{\"delta\":{\"content\":\"1\"}}]}\n\n";
        let told = [
            ("{\"message\":\"upstream died\",\"code\":502}", 502),
            ("{\"error\":{\"message\":\"upstream died\"}}", 500),
        ];
        for (data, status) in told {
            let text = format!("{first}event: error\ndata: {data}\n\ndata: [DONE]\n\n");
            let Err(ReadError::Provider(problem)) = chat("text/event-stream", &[text.as_bytes()]) else {
                panic!("{data} is no answer");
            };
            assert_eq!((problem.status, problem.message.as_str()), (status, "upstream died"), "{data}");
        }
        let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        let other = format!("event: error\n\nevent: message\n{first}{end}");
        assert_eq!(chat("text/event-stream", &[other.as_bytes()]).unwrap().text, "1");
    }

    #[test]
    fn memory_is_bounded() {
        let mebibyte = vec![b'x'; 1024 * 1024];
        let mut line = Intake::new(wire(Dialect::AnthropicMessages), "text/event-stream");
        assert_eq!((0..64).find_map(|_| line.take(&mebibyte).err()), Some(ReadError::TooLarge));
        let mut comments = vec![b':'; 1024 * 1024];
        comments.push(b'\n');
        let mut stream = Intake::new(wire(Dialect::AnthropicMessages), "text/event-stream");
        assert_eq!((0..1024).find_map(|_| stream.take(&comments).err()), Some(ReadError::TooLarge));
    }
}
