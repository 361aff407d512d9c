//! Pure crates take time, ids and files as arguments: their code names nothing that acts on the world.

use super::Finding;
use super::dependencies::PURE;
use super::manifest;
use super::repository::{Repository, SourceFile};

const FORBIDDEN: &[&str] = &[
    "async fn",
    "async move",
    "async {",
    "Instant::now",
    "time::Instant",
    "SystemTime",
    "std::env",
    "std::fs",
    "std::net",
    "rand::",
    "getrandom",
];

/// Members of `std` that must not hide in a grouped import.
const FORBIDDEN_MODULES: &[&str] = &["env", "fs", "net"];

/// Looks at the code of pure crates outside their tests.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let manifests = manifest::all(repository);
    let pure = manifests.iter().filter(|manifest| PURE.contains(&manifest.name.as_str()));
    let folders: Vec<String> =
        pure.map(|manifest| manifest.file.path.replace("Cargo.toml", "src/")).collect();
    let in_pure = |file: &&SourceFile| folders.iter().any(|folder| file.path.starts_with(folder));
    repository.rust().filter(in_pure).flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in file.lines().iter().filter(|line| !line.in_test) {
        let code = line.text.split("//").next().unwrap_or_default();
        let named = FORBIDDEN.iter().find(|forbidden| code.contains(*forbidden)).copied();
        if let Some(named) = named.or_else(|| grouped(code)) {
            let remedy = format!("'{named}' is not pure; take what it gives as an argument");
            findings.push(Finding::new(&file.path, line.number, "pure crate", remedy));
        }
    }
    findings
}

fn grouped(code: &str) -> Option<&'static str> {
    let group = code.split_once("use std::{")?.1;
    let mut words = group.split(|each: char| !each.is_alphanumeric() && each != '_');
    words.find_map(|word| FORBIDDEN_MODULES.iter().find(|module| **module == word).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"accord-contract\"\n";

    fn findings(code: &str) -> usize {
        let files = [("crates/contract/Cargo.toml", MANIFEST), ("crates/contract/src/a.rs", code)];
        check(&Repository::of(&files)).len()
    }

    #[test]
    fn side_effects_are_rejected() {
        for code in [
            "async fn a() {}",
            "use std::fs;",
            "use std::{fmt, fs};",
            "let now = SystemTime::now();",
            "use std::time::Instant;",
            "let home = std::env::var(\"HOME\");",
            "let dice = rand::random();",
        ] {
            assert_eq!(findings(code), 1, "{code}");
        }
    }

    #[test]
    fn tests_comments_and_other_crates_may() {
        assert_eq!(findings("// std::fs is absent\nuse std::time::Duration;\nuse std::{fmt, iter};"), 0);
        assert_eq!(findings("#[cfg(test)]\nmod tests {\n    use std::fs;\n}"), 0);
        let other = [
            ("crates/runner/Cargo.toml", "[package]\nname = \"accord-runner\"\n"),
            ("crates/runner/src/a.rs", "use std::fs;"),
        ];
        assert_eq!(check(&Repository::of(&other)), []);
    }
}
