//! The change that is reviewed: read, checked and bounded before anybody is asked to review it.

use accord_workflow::diff::Diff;
use serde_json::{Value, json};

use super::Arguments;
use super::git::Wanted;
use crate::document::Input;
use crate::failure::{Failure, Problem};
use crate::view::text::{count, line};

/// Larger changes are refused: this is about 100,000 tokens, which fits into the context of most models together with
/// the answer. A larger one would fail at each reviewer, after it was paid for.
const MAX_DIFF_BYTES: usize = 400_000;

/// So much is read to find out which files are the largest.
pub(super) const MOST_READ_BYTES: u64 = 64 * 1024 * 1024;

/// How many of the largest files are named.
const MOST_FILES_TOLD: usize = 5;

/// A diff as it was found.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) title: Option<String>,
    /// Its name in messages.
    pub(super) origin: String,
}

/// A change that can be reviewed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) title: String,
    /// The diff without binary files; empty if there is nothing to review.
    pub(super) diff: String,
    /// The files that were left out.
    pub(super) binary: Vec<String>,
}

impl Change {
    /// Reads what the arguments name.
    pub(super) fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let is_stdin = arguments.rev.as_deref() == Some("-");
        let text = match &arguments.diff {
            Some(file) => of_file(&Input::of(Some(file)))?,
            None if is_stdin => of_file(&Input::Stdin)?,
            None => Wanted::of(arguments.rev.as_deref())?.read(&arguments.paths)?,
        };
        let change = Self::of(&text)?;
        Ok(match &arguments.title {
            Some(title) => Self { title: title.clone(), ..change },
            None => change,
        })
    }

    fn of(text: &Text) -> Result<Self, Problem> {
        let diff = Diff::parse(&text.text).map_err(|error| {
            let message = format!("{} cannot be read: {error}", text.origin);
            Problem::new(message).hint("expected the output of `git diff`, `git show` or `diff -u`")
        })?;
        let (binary, files): (Vec<_>, Vec<_>) = diff.files.iter().partition(|file| file.is_binary);
        // Renames and mode changes alone have no lines to review.
        let has_lines = files.iter().any(|file| !file.hunks.is_empty());
        let kept: String = files.iter().filter(|_| has_lines).map(|file| file.text).collect();
        if kept.len() > MAX_DIFF_BYTES {
            return Err(too_large(
                kept.len(),
                files.iter().map(|file| (file.text.len(), file.path.as_str())),
            ));
        }
        let subject = diff.subject.map(str::to_owned);
        Ok(Self {
            title: text.title.clone().or(subject).unwrap_or_else(|| text.origin.clone()),
            diff: kept,
            binary: binary.into_iter().map(|file| file.path.clone()).collect(),
        })
    }

    /// The input of the workflow.
    pub(super) fn input(&self) -> Value {
        json!({"title": self.title, "diff": self.diff})
    }

    /// Which files were left out; nothing if none were.
    pub(super) fn left_out(&self) -> String {
        let named: Vec<String> = self.binary.iter().take(MOST_FILES_TOLD).map(|path| line(path)).collect();
        let more = self.binary.len().saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        match named.is_empty() {
            true => String::new(),
            false => format!("note: binary files are not reviewed: {}{more}\n", named.join(", ")),
        }
    }
}

fn of_file(input: &Input) -> Result<Text, Problem> {
    let text = input.read()?.text;
    Ok(Text { text, title: None, origin: input.name() })
}

fn too_large<'p>(bytes: usize, files: impl Iterator<Item = (usize, &'p str)>) -> Problem {
    let mut files: Vec<(usize, &str)> = files.collect();
    files.sort_by(|one, other| other.cmp(one));
    let largest: String = files
        .iter()
        .take(MOST_FILES_TOLD)
        .map(|(bytes, path)| format!("\n  {} bytes  {}", count(*bytes as u64), line(path)))
        .collect();
    let message = format!(
        "the change is too large to review: {} bytes, the limit is {}; the largest files:{largest}",
        count(bytes as u64),
        count(MAX_DIFF_BYTES as u64)
    );
    Problem::new(message).hint("review parts of it: accord review REV -- PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(text: &str) -> Result<Change, (String, Option<String>)> {
        let text = Text { text: text.to_owned(), title: None, origin: "x.diff".to_owned() };
        Change::of(&text).map_err(Problem::into_parts)
    }

    fn file(path: &str, lines: usize) -> String {
        let body = "+a line of some length\n".repeat(lines);
        format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{body}")
    }

    #[test]
    fn binary_files_are_named_and_left_out() {
        let binary = "diff --git a/l.png b/l.png\nGIT binary patch\nliteral 5\nMc$@(*000001\n\n";
        let (before, after) = (file("a.rs", 2), file("b.rs", 1));
        let change = change(&format!("Subject: Add it\n{before}{binary}{after}")).unwrap();
        assert_eq!(change.input(), json!({"title": "Add it", "diff": format!("{before}{after}")}));
        assert_eq!(change.left_out(), "note: binary files are not reviewed: l.png\n");
    }

    #[test]
    fn a_change_that_is_too_large_names_its_largest_files() {
        let text = format!("{}{}{}", file("small.rs", 1), file("huge.rs", 15_000), file("big.rs", 5_000));
        let (message, hint) = change(&text).unwrap_err();
        let (huge, big) = (message.find("huge.rs").unwrap(), message.find("big.rs").unwrap());
        assert!(huge < big && message.contains("the limit is 400.0k"), "{message}");
        assert!(hint.unwrap().contains("-- PATH"));
    }

    #[test]
    fn a_text_that_is_not_a_diff_is_named() {
        let (message, _) = change("{\"title\": \"x\"}").unwrap_err();
        assert!(message.starts_with("x.diff cannot be read: not a unified diff"), "{message}");
        let renamed = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
        for nothing in ["", renamed] {
            let nothing = change(nothing).unwrap();
            assert_eq!((nothing.diff.as_str(), nothing.title.as_str()), ("", "x.diff"));
        }
    }
}
