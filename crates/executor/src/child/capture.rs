//! What is kept of a stream that may be endless.

use std::collections::VecDeque;

/// The beginning and the end of a stream.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    head_limit: usize,
    tail: VecDeque<u8>,
    tail_limit: usize,
    total: u64,
}

impl Capture {
    /// Keeps so many bytes of the beginning, and so many of the end.
    pub(crate) fn new(head_limit: usize, tail_limit: usize) -> Self {
        Self { head: Vec::new(), head_limit, tail: VecDeque::new(), tail_limit, total: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.head_limit.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let newest = rest.split_at(rest.len().saturating_sub(self.tail_limit)).1;
        self.tail.extend(newest);
        let excess = self.tail.len().saturating_sub(self.tail_limit);
        self.tail.drain(..excess);
    }

    /// How many bytes of the middle were not kept.
    pub(crate) fn left_out(&self) -> u64 {
        self.total.saturating_sub((self.head.len() + self.tail.len()) as u64)
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        bytes.extend(self.tail);
        bytes
    }

    /// The kept bytes as text, with `gap` where the middle is missing.
    pub(crate) fn text(self, gap: impl FnOnce(u64) -> String) -> String {
        match self.left_out() {
            0 => String::from_utf8_lossy(&self.into_bytes()).into_owned(),
            missing => {
                let tail = Vec::from(self.tail);
                let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
                format!("{head}{}{tail}", gap(missing))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(head: usize, tail: usize, pieces: &[&str]) -> String {
        let mut capture = Capture::new(head, tail);
        for piece in pieces {
            capture.push(piece.as_bytes());
        }
        capture.text(|missing| format!("<{missing}>"))
    }

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        assert_eq!(kept(3, 2, &["abc", "de"]), "abcde");
        assert_eq!(kept(3, 2, &["abcdef"]), "abc<1>ef");
        assert_eq!(kept(3, 2, &["a", "b", "c", "d", "e", "f", "g"]), "abc<2>fg");
        assert_eq!(kept(0, 2, &["abcdef", "g"]), "<5>fg");
        assert_eq!(kept(2, 0, &["abcdef"]), "ab<4>");
    }
}
