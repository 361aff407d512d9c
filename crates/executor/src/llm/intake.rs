//! Reads the bytes of an answer as they come, in bounded memory.
//!
//! A server may answer in one piece although streaming was requested. The first byte shows that, together with the content
//! type, which alone is not always right.

use accord_json::{Checked, Exceeded, Pieces, read_leniently};
use accord_sse::{Decoder, Event, EventError};

use super::wire::{FrameError, Frames, Framing, PartialText, ProviderError, ReadError, Reader, Reply, Wire};
use crate::answer::Usage;
use crate::json::MESSAGE;

/// The longest line, and the longest answer in one piece. The text in it may be written with escapes, so this is more
/// than the answer itself may be.
const MAX_LINE_BYTES: usize = 4 * super::wire::MAX_ANSWER_BYTES;

/// All that a stream may bring. Every few characters are wrapped in an event of some hundred bytes, so this is far more
/// than the answer; without it a stream of comments would never end.
const MAX_STREAM_BYTES: usize = 32 * super::wire::MAX_ANSWER_BYTES;

/// What some servers write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The answer so far.
pub(super) struct Intake {
    wire: &'static dyn Wire,
    form: Form,
    /// Whether the content type says that it is JSON, or JSON in lines.
    json: bool,
    ndjson: bool,
    reader: Box<dyn Reader>,
    taken: usize,
    events: usize,
    ended: bool,
}

enum Form {
    /// Only a byte-order mark or white space came so far.
    Undecided(Vec<u8>),
    Whole(Pieces),
    Events(Decoder),
    /// A line without its end.
    Lines(Vec<u8>),
    Frames(Frames),
}

impl Intake {
    pub(super) fn new(wire: &'static dyn Wire, content_type: &str) -> Self {
        Self {
            wire,
            form: Form::Undecided(Vec::new()),
            json: content_type.contains("json") && !content_type.contains("ndjson"),
            ndjson: content_type.contains("ndjson"),
            reader: wire.reader(),
            taken: 0,
            events: 0,
            ended: false,
        }
    }

    /// Takes some bytes, and says whether the answer has ended.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<bool, ReadError> {
        self.taken = self.taken.saturating_add(bytes.len());
        if self.taken > MAX_STREAM_BYTES {
            return Err(ReadError::TooLarge);
        }
        match &mut self.form {
            Form::Undecided(opening) => {
                opening.extend_from_slice(bytes);
                let opening = std::mem::take(opening);
                let is_mark_cut =
                    opening.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&opening);
                let rest = opening.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&opening).trim_ascii_start();
                let first = rest.first().filter(|_| !is_mark_cut);
                let Some(form) = first.map(|first| self.form_of(*first)) else {
                    // White space is not kept, except that there was some: a mark after it is not at the start.
                    self.form = Form::Undecided(if is_mark_cut { opening } else { b" ".to_vec() });
                    return Ok(false);
                };
                self.form = form;
                self.read(rest)?;
            }
            _ => self.read(bytes)?,
        }
        Ok(self.ended)
    }

    fn form_of(&self, first: u8) -> Form {
        match (self.wire.framing(), self.json) {
            // A comment, or one of the fields `data`, `event`, `id` and `retry`: events, whatever they are called.
            (Framing::Events, true) if !b":deir".contains(&first) => Form::Whole(Pieces::new(MESSAGE)),
            (Framing::Events, false) if first == b'{' && !self.ndjson => Form::Whole(Pieces::new(MESSAGE)),
            (Framing::Events, _) => Form::Events(Decoder::new(MAX_LINE_BYTES).after_byte_order_mark()),
            (Framing::Lines, true) => Form::Whole(Pieces::new(MESSAGE)),
            (Framing::Frames, is_json) if is_json || first == b'{' => Form::Whole(Pieces::new(MESSAGE)),
            (Framing::Frames, _) => Form::Frames(Frames::default()),
            (Framing::Lines, false) => Form::Lines(Vec::new()),
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        match &mut self.form {
            Form::Undecided(_) => Ok(()),
            Form::Whole(body) if body.len().saturating_add(bytes.len()) > MAX_LINE_BYTES => {
                Err(ReadError::TooLarge)
            }
            Form::Lines(pending) if pending.len().saturating_add(bytes.len()) > MAX_LINE_BYTES => {
                Err(ReadError::TooLarge)
            }
            Form::Whole(body) => body.push(bytes).map(drop).map_err(too_many),
            Form::Events(decoder) => {
                let events = decoder.feed(bytes);
                self.events(events)
            }
            Form::Frames(frames) => {
                let events = frames.feed(bytes).map_err(|error| match error {
                    FrameError::TooLong => ReadError::TooLarge,
                    FrameError::Damaged => ReadError::Unreadable("a message of the stream is damaged".into()),
                })?;
                for event in events {
                    if !self.ended {
                        self.event(&event)?;
                    }
                }
                Ok(())
            }
            Form::Lines(pending) => {
                let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
                    pending.extend_from_slice(bytes);
                    return Ok(());
                };
                let (lines, rest) = bytes.split_at(end);
                pending.extend_from_slice(lines);
                let lines = std::mem::replace(pending, rest.to_vec());
                self.lines(&lines)
            }
        }
    }

    /// The part that is being written, so far.
    pub(super) fn partial_text(&self) -> Option<PartialText<'_>> {
        self.reader.partial_text()
    }

    /// The usage that was reported so far.
    pub(super) fn usage(&self) -> Usage {
        self.reader.usage()
    }

    pub(super) fn finish(mut self) -> Result<Reply, ReadError> {
        let last = match std::mem::replace(&mut self.form, Form::Undecided(Vec::new())) {
            Form::Whole(body) => return self.whole(&body.finish()),
            Form::Undecided(opening) => std::str::from_utf8(&opening).map(drop).map_err(|_| not_utf8()),
            Form::Events(mut decoder) => self.events(decoder.finish()),
            Form::Lines(line) => self.lines(&line),
            Form::Frames(frames) if frames.is_cut() && !self.ended => Err(ReadError::BrokenOff),
            Form::Frames(_) => Ok(()),
        };
        last.map_err(|error| match error {
            // An event that cannot be read is only half of one, if nothing comes after it.
            ReadError::Unreadable(_) if self.events > 0 => ReadError::BrokenOff,
            other => other,
        })?;
        if self.taken == 0 {
            return Err(ReadError::BrokenOff);
        }
        if self.events == 0 {
            return Err(ReadError::Unreadable("it contains no answer".into()));
        }
        self.reader.finish()
    }

    fn whole(mut self, text: &Checked<Vec<u8>>) -> Result<Reply, ReadError> {
        match read_leniently(text) {
            Ok(body) => match ProviderError::find_in(&body) {
                Some(problem) => Err(ReadError::Provider(problem)),
                None => {
                    self.wire.read_whole(body, std::str::from_utf8(text.bytes()).map_err(|_| not_utf8())?)
                }
            },
            Err(_) if self.wire.framing() == Framing::Lines => {
                self.lines(text.bytes())?;
                self.reader.finish()
            }
            Err(error) if error.is_eof() => Err(ReadError::BrokenOff),
            Err(error) => Err(ReadError::Unreadable(format!("it is not JSON: {error}"))),
        }
    }

    fn lines(&mut self, lines: &[u8]) -> Result<(), ReadError> {
        for line in lines.split(|byte| *byte == b'\n') {
            let line = std::str::from_utf8(line).map_err(|_| not_utf8())?;
            if !line.trim().is_empty() && !self.ended {
                self.event(line.strip_suffix('\r').unwrap_or(line))?;
            }
        }
        Ok(())
    }

    /// The name of an event is not needed, because the data says what it is, unless that is an error: some write those in
    /// a form of their own.
    fn events(&mut self, events: Vec<Result<Event, EventError>>) -> Result<(), ReadError> {
        for event in events {
            if self.ended {
                break;
            }
            let event = event.map_err(|error| match error {
                EventError::TooLong { .. } => ReadError::TooLarge,
                EventError::NotUtf8 => not_utf8(),
            })?;
            let is_error = event.name.is_some_and(|name| name.trim() == "error");
            if let Some(problem) = is_error.then(|| ProviderError::of_event(&event.data)).flatten() {
                return Err(ReadError::Provider(problem));
            }
            if !event.data.is_empty() {
                self.event(&event.data)?;
            }
        }
        Ok(())
    }

    fn event(&mut self, data: &str) -> Result<(), ReadError> {
        self.ended = self.reader.event(data)?;
        self.events = self.events.saturating_add(1);
        Ok(())
    }
}

fn too_many(exceeded: Exceeded) -> ReadError {
    ReadError::Unreadable(exceeded.to_string())
}

fn not_utf8() -> ReadError {
    ReadError::Unreadable("it is not UTF-8".into())
}

#[cfg(test)]
mod tests {
    use accord_domain::provider::{Dialect, ProviderKind};

    use super::*;
    use crate::llm::wire::{ReplyEnd, wire};

    fn chat(content_type: &str, pieces: &[&[u8]]) -> Result<Reply, ReadError> {
        let mut intake = Intake::new(wire(ProviderKind::OpenAiCompatible.row().dialect), content_type);
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
        assert_eq!((whole.text.as_str(), &whole.end), ("a\u{e9}\u{1f600}b", &ReplyEnd::Finished));
        for cut in 0..STREAM.len() {
            let (left, right) = STREAM.as_bytes().split_at(cut);
            assert_eq!(chat("text/event-stream", &[left, right]), Ok(whole.clone()), "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
        assert_eq!(chat("", &bytes), Ok(whole));
    }

    #[test]
    fn ignores_a_byte_order_mark_before_the_answer() {
        let whole = chat("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        let first = STREAM.trim_start_matches(": hello\r\nevent: x\r\n");
        let marked = format!("\u{feff}{first}");
        for cut in 0..marked.len() {
            let (left, right) = marked.as_bytes().split_at(cut);
            assert_eq!(chat("text/event-stream", &[left, right]), Ok(whole.clone()), "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = marked.as_bytes().chunks(1).collect();
        assert_eq!(chat("application/json", &bytes), Ok(whole.clone()));
        // Only one is removed: what follows is an unknown field.
        assert_ne!(chat("text/event-stream", &[format!("\u{feff}{marked}").as_bytes()]), Ok(whole));
        let body = "\u{feff}{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}";
        assert_eq!(chat("application/json", &[body.as_bytes()]).unwrap().text, "a");
        assert_eq!(
            chat("text/event-stream", &[b"\xef\xbb"]).unwrap_err(),
            ReadError::Unreadable("it is not UTF-8".into())
        );
    }

    #[test]
    fn the_first_byte_decides_if_the_content_type_does_not() {
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
        assert_eq!(chat("text/event-stream", &[cut.as_bytes()]).unwrap().end, ReplyEnd::Finished);
    }

    #[test]
    fn a_body_without_an_answer_is_an_error() {
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
    fn events_are_read_despite_a_json_content_type() {
        let whole = chat("text/event-stream", &[STREAM.as_bytes()]).unwrap();
        assert_eq!(chat("application/json", &[STREAM.as_bytes()]), Ok(whole));
    }

    #[test]
    fn a_stream_without_its_last_event_is_incomplete() {
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
    fn an_answer_with_too_many_values_is_not_parsed() {
        let mut whole = Intake::new(wire(Dialect::AnthropicMessages), "application/json");
        let lists = "[[],[],[]],".repeat(10_000);
        let refused = (0..64).find_map(|_| whole.take(lists.as_bytes()).err());
        assert_eq!(refused, Some(ReadError::Unreadable("it has more than 1000000 values, the limit".into())));
        let event = format!("data: [{}0]\n\n", "[],".repeat(1_000_000));
        let refused = chat("text/event-stream", &[event.as_bytes()]).unwrap_err();
        assert_eq!(
            refused,
            ReadError::Unreadable(
                "an event of the response is too large: it has more than 1000000 values, the limit".into()
            )
        );
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
