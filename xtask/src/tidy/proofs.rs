//! Tests and constants that are named in tables of documents must exist.
//!
//! In a table of a document, code in a column `test` is a test's name, and in a column `constant` a constant's.

use std::collections::HashSet;

use super::Finding;
use super::repository::{Repository, SourceFile};

/// Every test and constant that a table names is somewhere in the code.
pub(super) fn named(repository: &Repository) -> Vec<Finding> {
    let known = Known::of(repository);
    let documents = repository.written().filter(|file| file.path.ends_with(".md"));
    documents.flat_map(|file| unknown(file, &known)).collect()
}

/// What tables may name.
struct Known<'a> {
    tests: HashSet<&'a str>,
    constants: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(repository: &'a Repository) -> Self {
        let (mut tests, mut constants) = (HashSet::new(), HashSet::new());
        for file in repository.rust() {
            for line in file.lines() {
                let names = line.in_test.then(|| name_behind(line.text, "fn ", &['(', '<'])).flatten();
                tests.extend(names);
                constants.extend(name_behind(line.text, "const ", &[':']));
            }
        }
        Self { tests, constants }
    }
}

/// The name between a keyword and one of the end characters.
fn name_behind<'a>(line: &'a str, keyword: &str, ends: &[char]) -> Option<&'a str> {
    let (before, rest) = line.split_once(keyword)?;
    let is_declared =
        before.trim().split(' ').all(|word| matches!(word, "" | "pub" | "async") || word.starts_with("pub("));
    let (name, _) = rest.split_once(ends)?;
    is_declared.then_some(name.trim())
}

fn unknown(file: &SourceFile, known: &Known<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut header: Vec<&str> = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let Some(row) = line.trim().strip_prefix('|') else {
            header.clear();
            continue;
        };
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").map(str::trim).collect();
        if header.is_empty() {
            header = cells;
            continue;
        }
        for (column, cell) in header.iter().zip(cells) {
            let names = match *column {
                "test" => &known.tests,
                "constant" => &known.constants,
                _ => continue,
            };
            let spans = cell.split('`').skip(1).step_by(2);
            for name in spans.filter(|span| !names.contains(span.rsplit("::").next().unwrap_or(span))) {
                let remedy = format!("there is no {column} '{name}'");
                findings.push(Finding::new(&file.path, index + 1, "unknown name in a table", remedy));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_test_or_constant_is_reported() {
        let table = "| what | constant | test |\n|---|---|---|\n\
                     | a | `MOST` | `holds`, `module::also_holds` |\n\
                     | `free` | `LEAST`, `MOST` | `is_gone`, `helper` |\n\n`no table`\n";
        let code = "pub(crate) const MOST: u8 = 1;\nfn helper() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn holds() {}\n\
                    \x20   async fn also_holds() {}\n}\n";
        let repository = Repository::of(&[("docs/a.md", table), ("crates/a/src/lib.rs", code)]);
        let told: Vec<(usize, String)> =
            named(&repository).into_iter().map(|finding| (finding.line, finding.remedy)).collect();
        let expected = [
            (4, "there is no constant 'LEAST'".to_owned()),
            (4, "there is no test 'is_gone'".to_owned()),
            (4, "there is no test 'helper'".to_owned()),
        ];
        assert_eq!(told, expected);
    }
}
