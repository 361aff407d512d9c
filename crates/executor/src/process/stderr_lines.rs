//! What a command writes to stderr, line by line while it works.

/// The longest line that becomes an event. Longer ones are dropped, because a secret that is cut cannot be recognised.
const LONGEST_LINE: usize = 4 * 1024;

/// Written instead of a line that is left out.
const LEFT_OUT: &str = "[a long line is left out]\n";

#[derive(Debug, Default)]
pub(super) struct StderrLines {
    pending: Vec<u8>,
    /// Whether the line that is being written is too long.
    too_long: bool,
}

impl StderrLines {
    /// The lines that are whole with these bytes, as one text. A carriage return ends a line too: progress bars write nothing else.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<String> {
        let mut text = String::new();
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_whole = piece.ends_with(b"\n") || piece.ends_with(b"\r");
            self.too_long |= self.pending.len() + piece.len() > LONGEST_LINE;
            match self.too_long {
                true => self.pending.clear(),
                false => self.pending.extend_from_slice(piece),
            }
            if is_whole && std::mem::take(&mut self.too_long) {
                text.push_str(LEFT_OUT);
            } else if is_whole {
                text.push_str(&String::from_utf8_lossy(&std::mem::take(&mut self.pending)));
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_only_complete_lines() {
        let mut lines = StderrLines::default();
        assert_eq!(lines.take(b"load"), None);
        assert_eq!(lines.take(b"ing\nparsing\r50 %").as_deref(), Some("loading\nparsing\r"));
        assert_eq!(lines.take(b"\n").as_deref(), Some("50 %\n"));
        assert_eq!(lines.take("\u{e9}\n".as_bytes().split_at(1).0), None);
        assert_eq!(lines.take("\u{e9}\n".as_bytes().split_at(1).1).as_deref(), Some("\u{e9}\n"));
    }

    #[test]
    fn a_line_without_end_is_left_out() {
        let mut lines = StderrLines::default();
        for _ in 0..10 {
            assert_eq!(lines.take(&[b'x'; 1024]), None);
            assert!(lines.pending.len() <= LONGEST_LINE);
        }
        assert_eq!(lines.take(b"end\nnext\n").as_deref(), Some("[a long line is left out]\nnext\n"));
    }
}
