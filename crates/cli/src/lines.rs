//! Lines of bounded length, in batches.
//!
//! A batch is what can be had without waiting: it ends where the buffer holds no further whole line. So a
//! program that writes one line and waits gets its answer, a file is read in large pieces, and memory is
//! bounded by the buffer and one line.

use std::io::{self, BufRead, BufReader, Read};

/// Enough for a text and a schema of the largest sizes that the engine accepts, escaped as JSON
/// usually is. A longer line is neither a request nor an example.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Large enough that a batch pays for handing it to the workers, small enough to be nothing.
const BUFFER_BYTES: usize = 256 * 1024;

/// A line with its number, counted from one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) number: u64,
    pub(crate) content: Content,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Without its line break.
    Whole(Vec<u8>),
    /// Longer than the limit, and skipped.
    TooLong,
}

pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
    limit: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self { reader: BufReader::with_capacity(BUFFER_BYTES, reader), number: 0, limit }
    }

    /// Waits for a line and takes all lines that are buffered; empty at the end of the input.
    pub(crate) fn batch(&mut self) -> io::Result<Vec<Line>> {
        let mut batch = Vec::new();
        while batch.is_empty() || self.reader.buffer().contains(&b'\n') {
            match self.next()? {
                Some(line) if is_blank(&line.content) => {}
                Some(line) => batch.push(line),
                None => break,
            }
        }
        Ok(batch)
    }

    fn next(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        if self.reader.by_ref().take(self.limit as u64).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if bytes.len() == self.limit {
            // Nothing is read beyond the limit, so that the buffer does not double for the one byte that tells.
            match self.reader.fill_buf()?.first() {
                Some(b'\n') => self.reader.consume(1),
                Some(_) => {
                    drop(bytes);
                    self.reader.skip_until(b'\n')?;
                    return Ok(Some(Line { number: self.number, content: Content::TooLong }));
                }
                None => {}
            }
        }
        if self.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        Ok(Some(Line { number: self.number, content: Content::Whole(bytes) }))
    }
}

fn is_blank(content: &Content) -> bool {
    matches!(content, Content::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, limit: usize) -> Vec<(u64, Option<String>)> {
        let mut lines = Lines::new(text.as_bytes(), limit);
        let mut found = Vec::new();
        loop {
            let batch = lines.batch().unwrap();
            if batch.is_empty() {
                return found;
            }
            found.extend(batch.into_iter().map(|line| match line.content {
                Content::Whole(bytes) => (line.number, Some(String::from_utf8(bytes).unwrap())),
                Content::TooLong => (line.number, None),
            }));
        }
    }

    #[test]
    fn lines_are_numbered_and_blank_ones_skipped() {
        let expected = vec![(1, Some("a".to_owned())), (4, Some("b".to_owned()))];
        assert_eq!(all("\u{feff}a\n\n \r\nb", 10), expected);
        assert_eq!(all("", 10), vec![]);
        assert_eq!(all("\n\n", 10), vec![]);
    }

    #[test]
    fn a_line_at_the_limit_is_whole_and_one_above_is_skipped() {
        let expected = vec![(1, Some("abc".to_owned())), (2, None), (3, Some("x".to_owned())), (4, None)];
        assert_eq!(all("abc\nabcd\nx\nabcdefghijkl", 3), expected);
    }
}
