//! Texts and diffs with line numbers, for models: a model that is shown the numbers does not have to count.

use std::fmt::Write as _;

use super::{Change, Diff, FileDiff, Side};

/// Numbers of fewer digits are padded, so that the usual text has one indentation.
const LEAST_WIDTH: usize = 4;

/// A text with a number in front of each line, counted from 1.
pub fn numbered_lines(text: &str) -> String {
    let width = width(text.lines().count() as u64);
    let mut numbered = String::with_capacity(text.len() * 2);
    for (index, line) in text.lines().enumerate() {
        let _ = writeln!(numbered, "{}", format!("{:>width$}  {line}", index + 1).trim_end());
    }
    numbered
}

impl Diff<'_> {
    /// The diff as text in which every line that exists after the change has its number: `12 + added`, `13   unchanged`,
    /// and `- removed` without one.
    pub fn numbered(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            if !text.is_empty() {
                text.push('\n');
            }
            file.write_numbered(&mut text);
        }
        text
    }
}

impl FileDiff<'_> {
    fn write_numbered(&self, text: &mut String) {
        let change = match &self.change {
            Change::Modified if self.hunks.is_empty() && !self.is_binary => {
                " (no change of its text)".to_owned()
            }
            Change::Modified => String::new(),
            Change::Added => " (new file)".to_owned(),
            Change::Deleted => " (deleted)".to_owned(),
            Change::Renamed { from } => format!(" (renamed from {})", on_one_line(from)),
        };
        let binary = if self.is_binary { " (binary, not shown)" } else { "" };
        let _ = writeln!(text, "{}{change}{binary}", on_one_line(&self.path));
        let last = self.hunks.last().map_or(0, |hunk| hunk.first.saturating_add(hunk.lines.len() as u64));
        let width = width(last);
        for (index, hunk) in self.hunks.iter().enumerate() {
            if index > 0 {
                let _ = writeln!(text, "{:>width$}", "...");
            }
            let mut number = hunk.first;
            for (side, line) in &hunk.lines {
                let line = match side {
                    Side::Old => format!("{:>width$} - {line}", ""),
                    Side::New => format!("{number:>width$} + {line}"),
                    Side::Both => format!("{number:>width$}   {line}"),
                };
                let _ = writeln!(text, "{}", line.trim_end());
                number = number.saturating_add(u64::from(*side != Side::Old));
            }
        }
    }
}

/// A name may hold line breaks, which could pass for lines of the diff.
fn on_one_line(path: &str) -> String {
    let shown = |each: char| match each.is_control() {
        true => each.escape_default().to_string(),
        false => each.to_string(),
    };
    path.chars().map(shown).collect()
}

fn width(last: u64) -> usize {
    last.to_string().len().max(LEAST_WIDTH)
}
