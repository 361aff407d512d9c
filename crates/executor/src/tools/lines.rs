//! Lines of a file of any size, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

/// How many bytes from the beginning decide whether a file is text, as in Git.
const SAMPLE_BYTES: usize = 8000;

/// Reads lines and keeps no more of each than asked.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    keep: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) bytes: Vec<u8>,
    /// How many bytes of it were not kept.
    pub(super) cut: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R, keep: usize) -> Self {
        Self { reader: BufReader::with_capacity(SAMPLE_BYTES.next_power_of_two(), reader), keep }
    }

    /// Whether the file looks binary: a NUL near its beginning. To be asked before the first line.
    pub(super) fn is_binary(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.iter().take(SAMPLE_BYTES).any(|&byte| byte == 0))
    }

    /// The next line; `None` at the end. A line that is longer than `budget` ends there.
    pub(super) fn next(&mut self, budget: u64) -> io::Result<Option<Line>> {
        let mut line = Line { bytes: Vec::new(), cut: 0 };
        let mut taken: u64 = 0;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok((taken > 0).then_some(line));
            }
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = buffer.split_at(end.unwrap_or(buffer.len())).0;
            let room = self.keep.saturating_sub(line.bytes.len()).min(part.len());
            let (kept, cut) = part.split_at(room);
            line.bytes.extend_from_slice(kept);
            line.cut += cut.len() as u64;
            let used = part.len() + usize::from(end.is_some());
            taken += used as u64;
            self.reader.consume(used);
            if end.is_some() || taken > budget {
                if line.bytes.last() == Some(&b'\r') && line.cut == 0 {
                    line.bytes.pop();
                }
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, keep: usize) -> Vec<(String, u64)> {
        let mut lines = Lines::new(text.as_bytes(), keep);
        std::iter::from_fn(|| lines.next(u64::MAX).unwrap())
            .map(|line| (String::from_utf8(line.bytes).unwrap(), line.cut))
            .collect()
    }

    #[test]
    fn lines_end_where_they_end() {
        let lines = |text| all(text, 100).into_iter().map(|line| line.0).collect::<Vec<_>>();
        assert_eq!(lines(""), Vec::<String>::new());
        assert_eq!(lines("a"), ["a"]);
        assert_eq!(lines("a\n"), ["a"]);
        assert_eq!(lines("a\r\n\nb"), ["a", "", "b"]);
    }

    #[test]
    fn a_long_line_is_cut_and_counted() {
        let text = format!("{}\nb", "a".repeat(50_000));
        assert_eq!(all(&text, 10), [("a".repeat(10), 49_990), ("b".to_owned(), 0)]);
    }
}
