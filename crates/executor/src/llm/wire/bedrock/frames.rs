//! The binary messages in which Amazon's services stream: lengths, a checksum, headers, the payload, a checksum.
//!
//! A message becomes the text of one event, `{"TYPE": PAYLOAD}`, because the payload does not say what it is.

use serde_json::{Value, json};

use crate::json::read_message;

/// Two lengths and their checksum.
const PRELUDE: usize = 12;

/// The checksum of the whole message.
const CHECKSUM: usize = 4;

/// A message may have 24 MiB by the specification; an event of a model is far smaller.
const MAX_FRAME_BYTES: usize = 24 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm) enum FrameError {
    TooLong,
    Damaged,
}

/// Messages, wherever the bytes are cut.
#[derive(Debug, Default)]
pub(in crate::llm) struct Frames {
    pending: Vec<u8>,
}

impl Frames {
    /// Takes some bytes and gives the events that are complete.
    pub(in crate::llm) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, FrameError> {
        self.pending.extend_from_slice(bytes);
        let mut events = Vec::new();
        let mut start = 0;
        while let Some(prelude) = self.pending.get(start..start + PRELUDE) {
            let length = length_at(prelude, 0).ok_or(FrameError::Damaged)?;
            if length > MAX_FRAME_BYTES {
                return Err(FrameError::TooLong);
            }
            let Some(frame) = self.pending.get(start..start + length.max(PRELUDE)) else { break };
            events.push(event(frame).ok_or(FrameError::Damaged)?);
            start += frame.len();
        }
        self.pending.drain(..start);
        Ok(events)
    }

    /// Whether a message is incomplete.
    pub(in crate::llm) fn is_cut(&self) -> bool {
        !self.pending.is_empty()
    }
}

fn length_at(bytes: &[u8], place: usize) -> Option<usize> {
    let bytes: [u8; 4] = bytes.get(place..place + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(bytes)).ok()
}

/// The event in a message; `None` if the message is damaged.
fn event(frame: &[u8]) -> Option<String> {
    let end = frame.len().checked_sub(CHECKSUM)?;
    if length_at(frame, end)? != usize::try_from(crc32(frame.get(..end)?)).ok()? {
        return None;
    }
    let headers_end = PRELUDE.checked_add(length_at(frame, 4)?)?;
    let headers = headers(frame.get(PRELUDE..headers_end)?)?;
    let header = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let payload = std::str::from_utf8(frame.get(headers_end..end)?).ok()?;
    if let Some(kind) = header(":exception-type").or(header(":error-code")) {
        let told: Value = read_message(payload).unwrap_or_default();
        let message = told.get("message").and_then(Value::as_str).or(header(":error-message"));
        return Some(json!({"error": {"type": kind, "message": message.unwrap_or(payload)}}).to_string());
    }
    let kind = Value::from(header(":event-type")?);
    let payload = if payload.trim().is_empty() { "{}" } else { payload };
    Some(format!("{{{kind}:{payload}}}"))
}

/// The headers with a string; the others are not needed.
fn headers(mut bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let mut headers = Vec::new();
    while let Some((length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (kind, rest) = rest.split_first()?;
        let (size, rest) = match kind {
            0 | 1 => (0, rest),
            2 => (1, rest),
            3 => (2, rest),
            4 => (4, rest),
            5 | 8 => (8, rest),
            9 => (16, rest),
            6 | 7 => {
                let (size, rest) = rest.split_first_chunk::<2>()?;
                (usize::from(u16::from_be_bytes(*size)), rest)
            }
            _ => return None,
        };
        let (value, rest) = rest.split_at_checked(size)?;
        if *kind == 7 {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
            headers.push((text(name)?, text(value)?));
        }
        bytes = rest;
    }
    Some(headers)
}

/// The checksum of the specification, CRC-32 as in zip files.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[cfg(test)]
pub(in crate::llm) mod tests {
    use super::*;

    /// A message with string headers.
    pub(in crate::llm) fn frame(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
        let mut head = Vec::new();
        for (name, value) in headers {
            head.push(u8::try_from(name.len()).unwrap());
            head.extend(name.bytes());
            head.push(7);
            head.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
            head.extend(value.bytes());
        }
        let length = |length: usize| u32::try_from(length).unwrap().to_be_bytes();
        let mut frame = length(PRELUDE + head.len() + payload.len() + CHECKSUM).to_vec();
        frame.extend(length(head.len()));
        frame.extend(crc32(&frame).to_be_bytes());
        frame.extend(head);
        frame.extend(payload.bytes());
        frame.extend(crc32(&frame).to_be_bytes());
        frame
    }

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn messages_are_read_wherever_they_are_cut() {
        let mut bytes = frame(&[(":message-type", "event"), (":event-type", "messageStop")], r#"{"a":1}"#);
        bytes.extend(frame(
            &[(":message-type", "exception"), (":exception-type", "throttlingException")],
            r#"{"message":"slow down"}"#,
        ));
        let expected = [
            r#"{"messageStop":{"a":1}}"#.to_owned(),
            json!({"error": {"type": "throttlingException", "message": "slow down"}}).to_string(),
        ];
        for cut in 0..bytes.len() {
            let mut frames = Frames::default();
            let (left, right) = bytes.split_at(cut);
            let mut events = frames.feed(left).unwrap();
            events.extend(frames.feed(right).unwrap());
            assert_eq!(events, expected, "cut at {cut}");
            assert!(!frames.is_cut());
        }
    }

    #[test]
    fn a_changed_byte_is_found() {
        let whole = frame(&[(":event-type", "messageStop")], "{}");
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            let mut frames = Frames::default();
            let read = frames.feed(&bytes);
            assert!(read.is_err() || frames.is_cut(), "byte {place}: {read:?}");
        }
        let mut long = Frames::default();
        assert_eq!(long.feed(&[0xff; PRELUDE]), Err(FrameError::TooLong));
    }
}
