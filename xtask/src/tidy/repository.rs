//! The tracked files, and which of their lines are test code.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Recorded and vendored material: looked at by the tests that use it, not by rules for what people write.
const DATA: &[&str] = &["crates/contract/tests/suite/vendor/", "crates/contract/tests/corpus/", "Cargo.lock"];

/// A tracked text file.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// The tracked files of one checkout, by their paths from its root.
#[derive(Debug, Clone, Default)]
pub(super) struct Repository {
    pub(super) files: Vec<SourceFile>,
    /// The paths of files that are not text: pictures.
    others: Vec<String>,
}

/// A line of a file, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
    pub(super) in_test: bool,
}

impl Repository {
    /// Reads what git tracks. Of what is not text only the name is kept.
    pub(super) fn tracked(root: &Path) -> Result<Self> {
        let output = Command::new("git").arg("ls-files").arg("-z").current_dir(root).output();
        let output = output.context("cannot run git")?;
        ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
        let names = String::from_utf8(output.stdout).context("a tracked file's name is not UTF-8")?;
        let mut repository = Self::default();
        for path in names.split('\0').filter(|name| !name.is_empty()) {
            match std::fs::read_to_string(root.join(path)) {
                Ok(text) => repository.files.push(SourceFile { path: path.to_owned(), text }),
                Err(_) if root.join(path).exists() => repository.others.push(path.to_owned()),
                // Gone from the folder, and soon from git.
                Err(_) => {}
            }
        }
        Ok(repository)
    }

    /// Made up, for tests.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| SourceFile { path: (*path).into(), text: (*text).into() };
        Self { files: files.iter().map(file).collect(), others: vec!["docs/picture.png".to_owned()] }
    }

    /// What people wrote: all but data.
    pub(super) fn written(&self) -> impl Iterator<Item = &SourceFile> {
        self.files
            .iter()
            .filter(|file| !DATA.iter().any(|data| file.path.starts_with(data)) || file.is_rust())
    }

    /// The Rust files.
    pub(super) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is_rust())
    }

    /// Whether a path is a tracked file or a folder of one.
    pub(super) fn holds(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let texts = self.files.iter().map(|file| &file.path);
        path.is_empty() || texts.chain(&self.others).any(|file| file == path || file.starts_with(&folder))
    }
}

impl SourceFile {
    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether the whole file is test code: it is in a `tests` folder, or is a module of that name.
    pub(super) fn is_test(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
    }

    /// The lines, each with whether it is test code. A `#[cfg(test)]` block ends at the closing brace with the
    /// indentation of its attribute, which is where rustfmt puts it.
    pub(super) fn lines(&self) -> Vec<Line<'_>> {
        let whole = self.is_test();
        let mut block: Option<String> = None;
        let mut lines = Vec::new();
        for (index, text) in self.text.lines().enumerate() {
            let trimmed = text.trim_start();
            if block.is_none() && trimmed == "#[cfg(test)]" {
                let indent = text.len() - trimmed.len();
                block = Some(" ".repeat(indent));
            }
            lines.push(Line { number: index + 1, text, in_test: whole || block.is_some() });
            if let Some(indent) = &block {
                let bare = text.strip_prefix(indent.as_str()).filter(|rest| !rest.starts_with(' '));
                if bare.is_some_and(|rest| rest == "}" || rest.ends_with(';')) {
                    block = None;
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_blocks_are_distinguished_from_code() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use x;\n    fn b() {\n    }\n}\nfn c() {}\n#[cfg(test)]\nmod t;\nfn d() {}\n";
        let file = SourceFile { path: "src/a.rs".into(), text: text.into() };
        let code: Vec<&str> =
            file.lines().into_iter().filter(|line| !line.in_test).map(|line| line.text).collect();
        assert_eq!(code, ["fn a() {}", "fn c() {}", "fn d() {}"]);
    }

    #[test]
    fn a_file_in_a_tests_folder_is_test_code() {
        let file = SourceFile { path: "crates/a/tests/b.rs".into(), text: "fn a() {}".into() };
        assert!(file.lines().iter().all(|line| line.in_test));
    }

    #[test]
    fn only_data_files_are_exempt() {
        let repository = Repository::of(&[
            ("crates/contract/tests/corpus/a.jsonl", ""),
            ("crates/contract/tests/corpus/main.rs", ""),
            ("Cargo.lock", ""),
        ]);
        let written: Vec<&str> = repository.written().map(|file| file.path.as_str()).collect();
        assert_eq!(written, ["crates/contract/tests/corpus/main.rs"]);
    }

    #[test]
    fn folders_are_held() {
        let repository = Repository::of(&[("docs/adr/0001-a.md", "")]);
        assert!(repository.holds("docs/adr") && repository.holds("docs/adr/0001-a.md"));
        assert!(repository.holds("docs/picture.png"));
        assert!(!repository.holds("docs/ad"));
    }
}
