//! `search_files`: lines that fit a regular expression.
//!
//! The engine takes time in proportion to the text, whatever the expression; how large an expression may become is
//! bounded too. Back-references and look-around cannot be had that way.

use std::io;
use std::ops::ControlFlow;

use cap_fs_ext::FollowSymlinks;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::folder::{Folder, OpenFile, Opened, PathTarget, Refusal, refusal};
use super::glob::Glob;
use super::lines::Lines;
use super::pace::Pace;
use super::walk::{MAX_DEPTH, prefix_of, walk};

/// Matching lines in one answer: a search that finds more is asked too widely.
const MAX_MATCHES: usize = 200;

/// What is shown of a line, around its match.
const SHOWN_BYTES: usize = 300;

/// What is looked at of a line. Longer ones are data in one line.
const MAX_LINE_BYTES: usize = 256 * 1024;

/// Larger files are logs and data; they are counted and left out.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The length of an expression as written.
const MAX_PATTERN_BYTES: usize = 1000;

/// The size of an expression once compiled: enough for words of any script, too little for `(.{1000}){1000}`.
const MAX_COMPILED_BYTES: usize = 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    pattern: String,
    path: Option<String>,
    files: Option<String>,
}

pub(super) fn spec() -> (String, Value) {
    let description = format!(
        "Searches the text files of the project folder line by line with a regular expression (Rust and RE2 syntax: no \
         look-around, no back-references; (?i) ignores letter case). Returns at most {MAX_MATCHES} lines as path:line:text. Binary files and files over {} MiB are skipped, links are not followed, and .git, node_modules and target are searched only if `path` names them.",
        MAX_FILE_BYTES / 1024 / 1024
    );
    let properties = json!({
        "pattern": {"type": "string", "description": "The regular expression"},
        "path": {"type": ["string", "null"], "description": "The folder or file to search, relative to the project folder; null for the project folder"},
        "files": {"type": ["string", "null"], "description": "Filter files by pattern: *.rs by name, src/**/*.rs by path; null for all"},
    });
    (description, properties)
}

pub(super) fn run(folder: &Folder, arguments: Arguments, pace: &Pace) -> Result<String, Refusal> {
    let path = arguments.path.as_deref().unwrap_or(".");
    let glob = arguments.files.as_deref().map(Glob::new).transpose()?;
    let mut search =
        Search { regex: compile(&arguments.pattern)?, pace, found: Vec::new(), more: false, large: 0 };
    let prefix = prefix_of(&folder.relative(path)?);
    let mut notes = String::new();
    match folder.find(path)? {
        PathTarget::File(file) => {
            let _full = search.file(&prefix, file).map_err(|error| refusal(path, &error))?;
        }
        PathTarget::Folder(dir) => {
            let mut unreadable = 0;
            let mut omissions = walk(&dir, &prefix, MAX_DEPTH, pace, &mut |entry| {
                if !entry.kind.is_file() || glob.as_ref().is_some_and(|glob| !glob.matches(entry.path)) {
                    return ControlFlow::Continue(());
                }
                match folder.open_regular(entry.parent, entry.name, FollowSymlinks::No) {
                    Ok(Opened::File(file)) => search.file(entry.path, file).unwrap_or_else(|_| {
                        unreadable += 1;
                        ControlFlow::Continue(())
                    }),
                    Ok(Opened::Special | Opened::Private) => ControlFlow::Continue(()),
                    Err(_) => {
                        unreadable += 1;
                        ControlFlow::Continue(())
                    }
                }
            });
            omissions.unreadable += unreadable;
            notes = omissions.notes();
        }
    }
    Ok(search.text() + &notes)
}

fn compile(pattern: &str) -> Result<Regex, Refusal> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(Refusal(format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes")));
    }
    let regex =
        RegexBuilder::new(pattern).size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES).build();
    regex.map_err(|error| {
        Refusal(format!("invalid regular expression: {error}\nEscape characters such as ( [ {{ . * with a backslash to search for them."))
    })
}

struct Search<'a> {
    regex: Regex,
    pace: &'a Pace,
    found: Vec<String>,
    more: bool,
    large: usize,
}

impl Search<'_> {
    fn file(&mut self, path: &str, open: OpenFile) -> io::Result<ControlFlow<()>> {
        if open.bytes > MAX_FILE_BYTES {
            self.large += 1;
            return Ok(ControlFlow::Continue(()));
        }
        let mut lines = Lines::new(open.file, MAX_LINE_BYTES);
        if lines.is_binary()? {
            return Ok(ControlFlow::Continue(()));
        }
        let mut number = 0;
        // A file can grow while it is read; it is read no further than it may be long.
        let mut budget = MAX_FILE_BYTES;
        while let Some(line) = lines.next(budget)? {
            number += 1;
            budget = budget.saturating_sub(line.bytes.len() as u64 + line.cut + 1);
            if budget == 0 || self.pace.is_over() {
                break;
            }
            if let Some(hit) = self.regex.find(&line.bytes) {
                if self.found.len() == MAX_MATCHES {
                    self.more = true;
                    return Ok(ControlFlow::Break(()));
                }
                self.found.push(format!("{path}:{number}:{}", around(&line.bytes, hit.start())));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn text(&self) -> String {
        let mut text =
            if self.found.is_empty() { "[no line matches]".to_owned() } else { self.found.join("\n") };
        if self.more {
            text.push_str(&format!(
                "\n[more than {MAX_MATCHES} lines match: narrow `pattern`, `path` or `files`]"
            ));
        }
        if self.large > 0 {
            text.push_str(&format!(
                "\n[{} files over {} MiB were skipped]",
                self.large,
                MAX_FILE_BYTES / 1024 / 1024
            ));
        }
        text
    }
}

/// A part of a line that shows the match.
fn around(line: &[u8], start: usize) -> String {
    if line.len() <= SHOWN_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = start.saturating_sub(SHOWN_BYTES / 3);
    let to = line.len().min(from + SHOWN_BYTES);
    let part = String::from_utf8_lossy(line.get(from..to).unwrap_or_default());
    // A cut through a character leaves a mark at the edge that was not in the file.
    let part = part.trim_matches('\u{fffd}');
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn search(folder: &Folder, pattern: &str, path: Option<&str>, files: Option<&str>) -> String {
        let arguments = Arguments {
            pattern: pattern.to_owned(),
            path: path.map(Into::into),
            files: files.map(Into::into),
        };
        run(folder, arguments, &Pace::endless()).unwrap_or_else(|refusal| refusal.0)
    }

    #[test]
    fn matching_lines_have_their_location() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir_all(at("src")).unwrap();
        fs::create_dir_all(at("target")).unwrap();
        fs::write(at("src/lib.rs"), "fn one() {}\nfn two() {}\n").unwrap();
        fs::write(at("notes.md"), "Fn three").unwrap();
        fs::write(at("target/out"), "fn four").unwrap();
        fs::write(at("image"), "fn five\0").unwrap();
        std::os::unix::fs::symlink("lib.rs", at("src/link.rs")).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        assert_eq!(search(&folder, "fn t", None, None), "src/lib.rs:2:fn two() {}");
        assert_eq!(search(&folder, "(?i)fn t", None, None), "notes.md:1:Fn three\nsrc/lib.rs:2:fn two() {}");
        assert_eq!(search(&folder, "(?i)fn t", None, Some("*.md")), "notes.md:1:Fn three");
        assert_eq!(search(&folder, "two", Some("src/lib.rs"), None), "src/lib.rs:2:fn two() {}");
        assert_eq!(search(&folder, "four", Some("target"), None), "target/out:1:fn four");
        assert_eq!(search(&folder, "five", None, None), "[no line matches]");
        assert_eq!(
            search(&folder, "x", Some("gone"), None),
            "'gone' does not exist; use list_files to see the existing files"
        );
    }

    #[test]
    fn private_files_of_accord_are_not_readable() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir_all(at(".accord/agents")).unwrap();
        for path in
            ["accord.toml", ".accord/config.toml", ".accord/accord.db", ".accord/agents/notes", "docs.toml"]
        {
            fs::write(at(path), "a key").unwrap();
        }
        std::os::unix::fs::symlink(".accord", at("link")).unwrap();
        fs::hard_link(at("accord.toml"), at("other")).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        let found = ".accord/agents/notes:1:a key\ndocs.toml:1:a key";
        assert_eq!(search(&folder, "key", None, None), found);
        assert_eq!(search(&folder, "key", Some("link"), None), "link/agents/notes:1:a key");
        for path in ["accord.toml", ".accord/config.toml", "link/config.toml", "link/../other"] {
            let text = format!("'{path}' cannot be read: it contains settings or data of Accord");
            assert_eq!(search(&folder, "key", Some(path), None), text);
        }
    }

    #[test]
    fn settings_in_use_are_not_read_wherever_they_lie() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir(at("conf")).unwrap();
        fs::write(at("conf/accord.toml"), "a key").unwrap();
        fs::hard_link(at("conf/accord.toml"), at("other")).unwrap();
        fs::write(at("notes"), "a key").unwrap();
        let folder = Folder::open(project.path()).unwrap().keeping(&[at("conf/accord.toml"), at("gone")]);
        assert_eq!(search(&folder, "key", None, None), "notes:1:a key");
        for path in ["conf/accord.toml", "other"] {
            let text = format!("'{path}' cannot be read: it contains settings or data of Accord");
            assert_eq!(search(&folder, "key", Some(path), None), text);
        }
    }

    #[test]
    fn expressions_that_cannot_be_used_are_explained() {
        let project = tempfile::tempdir().unwrap();
        let folder = Folder::open(project.path()).unwrap();
        for pattern in ["(", "(?=a)", r"(a)\1", "(.{1000}){1000}"] {
            let text = search(&folder, pattern, None, None);
            assert!(text.starts_with("invalid regular expression: "), "{text}");
        }
        let text = search(&folder, &"a".repeat(1001), None, None);
        assert_eq!(text, "the pattern is longer than 1000 bytes");
    }

    #[test]
    fn much_is_cut_with_a_way_to_get_the_rest() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("many"), "hit\n".repeat(300)).unwrap();
        let long = format!("{}needle{}", "é".repeat(5000), "ü".repeat(5000));
        fs::write(project.path().join("wide"), long).unwrap();
        let file = fs::File::create(project.path().join("zeros.log")).unwrap();
        file.set_len(MAX_FILE_BYTES + 1).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        let text = search(&folder, "hit", None, None);
        assert_eq!(text.lines().count(), 201);
        assert!(text.ends_with("\n[more than 200 lines match: narrow `pattern`, `path` or `files`]"));
        let expected = format!("wide:1:…{}needle{}…", "é".repeat(50), "ü".repeat(97));
        let text = search(&folder, "needle", None, None);
        assert_eq!(text, format!("{expected}\n[1 files over 16 MiB were skipped]"));
    }
}
