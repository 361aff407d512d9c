//! Server-sent events: from bytes to frames, wherever the bytes are cut.

/// The longest frame. An event holds at most one request's worth of data.
const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// One event as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Frame {
    pub(super) id: Option<String>,
    pub(super) data: String,
}

/// A frame that does not end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// The frame that is being read.
#[derive(Debug, Default)]
pub(super) struct Frames {
    line: Vec<u8>,
    id: Option<String>,
    data: Option<String>,
    /// A line feed that follows ends no further line.
    after_return: bool,
}

impl Frames {
    /// The frames that end in these bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLong> {
        let mut found = Vec::new();
        for &byte in bytes {
            let second_half = byte == b'\n' && std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if second_half => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    found.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > MAX_FRAME_BYTES {
                return Err(TooLong);
            }
        }
        Ok(found)
    }

    fn end_line(&mut self) -> Option<Frame> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_start_matches('\u{feff}');
        if line.is_empty() {
            let id = self.id.take();
            return self.data.take().map(|data| Frame { id, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
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
            // The type stands in the data too; comments are heartbeats.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(id: Option<&str>, data: &str) -> Frame {
        Frame { id: id.map(str::to_owned), data: data.to_owned() }
    }

    #[test]
    fn frames_are_the_same_wherever_the_bytes_are_cut() {
        let text = "\u{feff}: heartbeat\n\nid: 1\nevent: message\ndata: a\ndata: ü\n\ndata:b\r\n\r\ndata: c\rid: 3\r\r";
        let expected = vec![frame(Some("1"), "a\nü"), frame(None, "b"), frame(Some("3"), "c")];
        for cut in 0..text.len() {
            let (left, right) = text.as_bytes().split_at(cut);
            let mut frames = Frames::default();
            let mut found = frames.take(left).unwrap();
            found.extend(frames.take(right).unwrap());
            assert_eq!(found, expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_frame_without_data_is_none() {
        let mut frames = Frames::default();
        assert_eq!(frames.take(b"id: 1\n\n: x\n\n"), Ok(Vec::new()));
    }

    #[test]
    fn a_frame_without_end_is_refused() {
        let mut frames = Frames::default();
        let much = vec![b'x'; MAX_FRAME_BYTES + 1];
        assert_eq!(frames.take(&much), Err(TooLong));
    }
}
