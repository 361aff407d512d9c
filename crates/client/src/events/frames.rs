//! Server-sent events: from bytes to frames, wherever the bytes are cut.

/// One event as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Frame {
    pub(super) id: Option<String>,
    /// None, where there is too much of it.
    pub(super) data: Option<String>,
}

/// The frame that is being read.
#[derive(Debug)]
pub(super) struct Frames {
    /// The largest frame that is kept.
    most_bytes: usize,
    line: Vec<u8>,
    id: Option<String>,
    data: Option<String>,
    /// The frame is too long: the rest of it is passed by.
    too_long: bool,
    /// A line feed that follows ends no further line.
    after_return: bool,
}

impl Frames {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, line: Vec::new(), id: None, data: None, too_long: false, after_return: false }
    }

    /// The frames that end in these bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Frame> {
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
                    self.push(byte);
                }
            }
        }
        found
    }

    fn push(&mut self, byte: u8) {
        self.line.push(byte);
        if self.line.len() + self.data.as_ref().map_or(0, String::len) > self.most_bytes {
            self.too_long = true;
            self.data = None;
            // Not empty, which would be the end of the frame, and no field either.
            self.line = vec![b':'];
        }
    }

    fn end_line(&mut self) -> Option<Frame> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_start_matches('\u{feff}');
        if line.is_empty() {
            let (id, data) = (self.id.take(), self.data.take());
            let too_long = std::mem::take(&mut self.too_long);
            return (too_long || data.is_some()).then(|| Frame { id, data: data.filter(|_| !too_long) });
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
        Frame { id: id.map(str::to_owned), data: Some(data.to_owned()) }
    }

    #[test]
    fn frames_are_the_same_wherever_the_bytes_are_cut() {
        let text = "\u{feff}: heartbeat\n\nid: 1\nevent: message\ndata: a\ndata: ü\n\ndata:b\r\n\r\ndata: c\rid: 3\r\r";
        let expected = vec![frame(Some("1"), "a\nü"), frame(None, "b"), frame(Some("3"), "c")];
        for cut in 0..text.len() {
            let (left, right) = text.as_bytes().split_at(cut);
            let mut frames = Frames::new(100);
            let mut found = frames.take(left);
            found.extend(frames.take(right));
            assert_eq!(found, expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_frame_without_data_is_none() {
        let mut frames = Frames::new(100);
        assert_eq!(frames.take(b"id: 1\n\n: x\n\n"), []);
    }

    #[test]
    fn a_frame_that_is_too_long_is_passed_by() {
        let line = format!("data: {}\n", "x".repeat(60));
        let text = format!(
            "id: 1\ndata: a\n\nid: 2\n{}\nid: 3\ndata: {}\n\nid: 4\ndata: b\n\n",
            line.repeat(3),
            "y".repeat(500)
        );
        let too_long = |id: &str| Frame { id: Some(id.to_owned()), data: None };
        let expected = vec![frame(Some("1"), "a"), too_long("2"), too_long("3"), frame(Some("4"), "b")];
        for cut in 0..text.len() {
            let (left, right) = text.as_bytes().split_at(cut);
            let mut frames = Frames::new(100);
            let mut found = frames.take(left);
            found.extend(frames.take(right));
            assert_eq!(found, expected, "cut at {cut}");
            assert!(frames.line.capacity() <= 200);
        }
    }
}
