//! Unified diffs, as `git diff`, `git show`, `git format-patch` and `diff -u` write them.
//!
//! A diff is read strictly: a hunk has the lines that its header announces, because line numbers are counted from there. What
//! is in front of the first file is skipped, except for the subject of a commit. Files without text (binary files, changes
//! of mode, empty files) have no hunks. Combined diffs of merges are refused: their lines have two old sides.

mod name;
mod numbered;
#[cfg(test)]
mod tests;

use std::fmt;

pub use numbered::numbered_lines;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff<'t> {
    /// The subject of the commit, if the text has one.
    pub subject: Option<&'t str>,
    /// The files, in the order of the text.
    pub files: Vec<FileDiff<'t>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDiff<'t> {
    /// The path after the change, or before it if the file was deleted.
    pub path: String,
    pub change: Change,
    pub is_binary: bool,
    pub hunks: Vec<Hunk<'t>>,
    pub text: &'t str,
    /// Whether `---` and `+++` were read.
    is_named: bool,
    start: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change {
    #[default]
    Modified,
    Added,
    Deleted,
    Renamed {
        from: String,
    },
}

/// A changed part of a file with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'t> {
    /// The number of its first line after the change.
    pub first: u64,
    /// Its lines, without `+`, `-` and blank in front of them.
    pub lines: Vec<(Side, &'t str)>,
}

/// Where a line of a hunk exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before and after the change.
    Both,
    /// Only before it.
    Old,
    /// Only after it.
    New,
}

/// Why a text is not a diff that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffError {
    /// No file is changed in it.
    NotADiff,
    /// It is the combined diff of a merge.
    Combined {
        /// Where, counted from 1.
        line: usize,
    },
    /// A part of it is damaged.
    Damaged {
        /// Where, counted from 1.
        line: usize,
        message: &'static str,
    },
}

impl fmt::Display for DiffError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADiff => formatter.write_str(
                "not a unified diff: expected lines such as '--- a/file', '+++ b/file' and '@@ -1 +1 @@'",
            ),
            Self::Combined { line } => {
                write!(
                    formatter,
                    "line {line}: combined diffs of merges are not supported; use the diff to one parent"
                )
            }
            Self::Damaged { line, message } => write!(formatter, "line {line}: {message}"),
        }
    }
}

impl std::error::Error for DiffError {}

impl<'t> Diff<'t> {
    /// Reads a text. An empty text is a diff without files.
    pub fn parse(text: &'t str) -> Result<Self, DiffError> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut reader =
            Reader { lines: &lines, next: 0, offset: 0, diff: Self::default(), is_commit: false };
        while let Some(line) = reader.take() {
            reader.read(line)?;
        }
        if reader.diff.files.is_empty() && !text.trim().is_empty() {
            return Err(DiffError::NotADiff);
        }
        let mut end = text.len();
        for file in reader.diff.files.iter_mut().rev() {
            file.text = text.get(file.start..end).unwrap_or_default();
            end = file.start;
        }
        Ok(reader.diff)
    }
}

struct Reader<'l, 't> {
    lines: &'l [&'t str],
    next: usize,
    /// Where the last line that was taken starts.
    offset: usize,
    diff: Diff<'t>,
    is_commit: bool,
}

impl<'t> Reader<'_, 't> {
    fn take(&mut self) -> Option<&'t str> {
        let line = self.lines.get(self.next).copied()?;
        let before = self.next.checked_sub(1).and_then(|before| self.lines.get(before));
        self.offset += before.map_or(0, |before| before.len());
        self.next += 1;
        Some(without_end(line))
    }

    fn damaged(&self, message: &'static str) -> DiffError {
        DiffError::Damaged { line: self.next, message }
    }

    fn read(&mut self, line: &'t str) -> Result<(), DiffError> {
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.start(FileDiff { path: name::of_header(names), ..FileDiff::default() });
            return Ok(());
        }
        if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") || line.starts_with("@@@ ")
        {
            return Err(DiffError::Combined { line: self.next });
        }
        if let Some(old) = line.strip_prefix("--- ") {
            let new = self.lines.get(self.next).and_then(|line| without_end(line).strip_prefix("+++ "));
            if let Some(new) = new {
                self.name(old, new);
                self.take();
            }
            return Ok(());
        }
        if line.starts_with("@@ ") {
            let hunk = self.hunk(line)?;
            return match self.diff.files.last_mut() {
                Some(file) if file.is_named => {
                    file.hunks.push(hunk);
                    Ok(())
                }
                _ => Err(self.damaged(
                    "a hunk without the name of its file: expected '--- a/file' and '+++ b/file' before it",
                )),
            };
        }
        match self.diff.files.last_mut() {
            Some(file) => extended(file, line),
            None => self.preamble(line),
        }
        Ok(())
    }

    fn start(&mut self, file: FileDiff<'t>) {
        self.diff.files.push(FileDiff { start: self.offset, ..file });
    }

    /// Reads `---` and `+++`. Without a header of git they start a new file.
    fn name(&mut self, old: &'t str, new: &'t str) {
        if self.diff.files.last().is_none_or(|file| file.is_named) {
            self.start(FileDiff::default());
        }
        let Some(file) = self.diff.files.last_mut() else { return };
        file.is_named = true;
        match name::of_sides(old, new) {
            (None, Some(new)) => (file.path, file.change) = (new, Change::Added),
            (Some(old), None) => (file.path, file.change) = (old, Change::Deleted),
            (_, Some(new)) => file.path = new,
            (None, None) => {}
        }
    }

    fn hunk(&mut self, header: &str) -> Result<Hunk<'t>, DiffError> {
        let Some((mut old, first, mut new)) = ranges(header) else {
            return Err(self.damaged("expected a hunk header such as '@@ -10,7 +10,8 @@'"));
        };
        let mut lines = Vec::new();
        while old > 0 || new > 0 {
            let Some(line) = self.take() else {
                return Err(self.damaged("the diff ends inside a hunk"));
            };
            let (side, text) = match line.split_at_checked(1) {
                Some(("+", text)) if new > 0 => (Side::New, text),
                Some(("-", text)) if old > 0 => (Side::Old, text),
                Some((" ", text)) if old > 0 && new > 0 => (Side::Both, text),
                // Some programs remove blanks at the end of lines.
                None if line.is_empty() && old > 0 && new > 0 => (Side::Both, ""),
                Some(("\\", _)) => continue,
                _ => return Err(self.damaged("a hunk is shorter than its header says")),
            };
            old -= u64::from(side != Side::New);
            new -= u64::from(side != Side::Old);
            lines.push((side, text));
        }
        Ok(Hunk { first, lines })
    }

    /// What is in front of the first file: the head of a mail or of a commit, perhaps.
    fn preamble(&mut self, line: &'t str) {
        self.is_commit |= line.starts_with("commit ");
        if self.diff.subject.is_some() {
            return;
        }
        let subject = match line.strip_prefix("Subject: ") {
            Some(subject) if subject.starts_with("[PATCH") => subject.split_once("] ").map(|(_, rest)| rest),
            Some(subject) => Some(subject),
            None if self.is_commit => line.strip_prefix("    "),
            None => None,
        };
        self.diff.subject = subject.map(str::trim).filter(|subject| !subject.is_empty());
    }
}

/// Reads what git says about a file between its header and its first hunk.
fn extended(file: &mut FileDiff<'_>, line: &str) {
    if line.starts_with("new file mode ") {
        file.change = Change::Added;
    } else if line.starts_with("deleted file mode ") {
        file.change = Change::Deleted;
    } else if let Some(from) = line.strip_prefix("rename from ") {
        file.change = Change::Renamed { from: name::unquoted(from) };
    } else if let Some(to) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
        file.path = name::unquoted(to);
    } else if line == "GIT binary patch" || line.starts_with("Binary files ") {
        file.is_binary = true;
    }
}

/// The counts of a hunk header: lines before, first line after, lines after.
fn ranges(header: &str) -> Option<(u64, u64, u64)> {
    let (ranges, _) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((first, count)) => Some((first.parse::<u64>().ok()?, count.parse::<u64>().ok()?)),
        None => Some((text.parse::<u64>().ok()?, 1)),
    };
    let ((_, old), (first, new)) = (range(old)?, range(new)?);
    Some((old, first, new))
}

fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
