//! Documents that lead somewhere: crate docs, numbered decisions, links that resolve.

use super::Finding;
use super::repository::{Repository, SourceFile};

/// Every `lib.rs` and `main.rs` says what its crate is for.
pub(super) fn module_docs(repository: &Repository) -> Vec<Finding> {
    let roots = repository
        .rust()
        .filter(|file| ["src/lib.rs", "src/main.rs"].iter().any(|root| file.path.ends_with(root)));
    roots
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| Finding::new(&file.path, 1, "crate docs", "begin with //! and say what the crate is for"))
        .collect()
}

/// Decisions are numbered from 0001 without gaps or twins.
pub(super) fn decisions(repository: &Repository) -> Vec<Finding> {
    const FOLDER: &str = "docs/adr/";
    let mut findings = Vec::new();
    let mut names: Vec<&str> =
        repository.files.iter().filter_map(|file| file.path.strip_prefix(FOLDER)).collect();
    names.sort_unstable();
    for (index, name) in names.iter().enumerate() {
        let expected = format!("{:04}-", index + 1);
        if !name.starts_with(&expected) || !name.ends_with(".md") {
            let remedy = format!("the next decision is called {expected}….md");
            findings.push(Finding::new(&format!("{FOLDER}{name}"), 1, "decision number", remedy));
        }
    }
    findings
}

/// Relative links in Markdown lead to tracked files.
pub(super) fn links(repository: &Repository) -> Vec<Finding> {
    let documents = repository.written().filter(|file| file.path.ends_with(".md"));
    documents.flat_map(|file| broken_links(repository, file)).collect()
}

fn broken_links(repository: &Repository, file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (index, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for target in targets(line) {
            if !resolve(&file.path, &target).is_some_and(|path| repository.holds(&path)) {
                let remedy = format!("'{target}' leads to nothing that is tracked");
                findings.push(Finding::new(&file.path, index + 1, "broken link", remedy));
            }
        }
    }
    findings
}

/// The relative targets of `[text](target)` in a line, without code spans and fragments.
fn targets(line: &str) -> Vec<String> {
    let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let mut found = Vec::new();
    for (at, opening) in outside.match_indices("](") {
        let rest = outside.get(at + opening.len()..).unwrap_or_default();
        let Some((target, _)) = rest.split_once(')') else { continue };
        let path = target.split(['#', ' ']).next().unwrap_or_default();
        if !path.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
            found.push(path.trim_end_matches('/').to_owned());
        }
    }
    found
}

/// The path from the root that a target means in a file; nothing when it leaves the repository.
fn resolve(file: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_without_docs_is_rejected() {
        let repository =
            Repository::of(&[("crates/a/src/lib.rs", "mod b;"), ("crates/b/src/lib.rs", "//! B.")]);
        let files: Vec<String> = module_docs(&repository).into_iter().map(|finding| finding.file).collect();
        assert_eq!(files, ["crates/a/src/lib.rs"]);
    }

    #[test]
    fn decisions_are_numbered_without_gaps_or_twins() {
        let broken = |names: [&str; 2]| {
            let files = names.map(|name| (name, ""));
            decisions(&Repository::of(&files)).len()
        };
        assert_eq!(broken(["docs/adr/0001-a.md", "docs/adr/0002-b.md"]), 0);
        assert_eq!(broken(["docs/adr/0001-a.md", "docs/adr/0003-b.md"]), 1);
        assert_eq!(broken(["docs/adr/0001-a.md", "docs/adr/0001-b.md"]), 1);
        assert_eq!(broken(["docs/adr/0001-a.md", "docs/adr/0002-b.txt"]), 1);
    }

    #[test]
    fn links_lead_to_tracked_files() {
        let text = "[a](b.md#part) [c](../README.md) [d](https://e.f) [g](#h) `[i](j.md)` [k](adr/)\n\
                    ```\n[l](m.md)\n```\n[n](gone.md)\n[o](../../p.md)\n";
        let repository = Repository::of(&[
            ("docs/a.md", text),
            ("docs/b.md", ""),
            ("README.md", ""),
            ("docs/adr/0001-a.md", ""),
        ]);
        let found: Vec<(usize, String)> =
            links(&repository).into_iter().map(|finding| (finding.line, finding.remedy)).collect();
        let expected = [
            (5, "'gone.md' leads to nothing that is tracked".to_owned()),
            (6, "'../../p.md' leads to nothing that is tracked".to_owned()),
        ];
        assert_eq!(found, expected);
    }
}
