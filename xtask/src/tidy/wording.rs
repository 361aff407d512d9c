//! Phrases that users stumbled over, each with what to write instead. They must not come back in anything that users read.

use super::Finding;
use super::repository::{Repository, SourceFile};

/// What not to write, and what to write instead. A phrase is added when the last occurrence of it is gone.
const PHRASES: &[(&str, &str)] = &[
    ("is like that", "'no runs match these filters'"),
    ("have mistakes", "'are invalid'"),
    ("a beginning that no other has", "'a unique prefix'"),
    ("beginnings that no others have", "'unique prefixes'"),
    ("a beginning is enough", "'ids can be abbreviated to a unique prefix'"),
    ("stderr is talk", "'progress and messages go to stderr'"),
    ("the talk to stderr", "'progress and messages go to stderr'"),
    ("is shut out", "'the key is revoked'"),
    ("key to show", "'API key'"),
    ("Asked again with the same key", "'repeating the command with the same key'"),
    ("work as it looks", "'likely problems'"),
    ("draws each place", "'run … for details'"),
    ("is to look like", "'expected …, for example …'"),
    ("made at the first start", "'will be created on first start'"),
    ("these are there already", "'already exist'"),
    ("all that is known of", "'all details'"),
    ("come from elsewhere", "say where they come from"),
    ("FED BY", "'INPUTS FROM'"),
    ("nothing but that is printed", "'only … is printed'"),
    ("mistake is told", "'all errors are reported'"),
    ("is explained in docs", "say it here: an installed binary has no docs folder"),
    ("so that everybody", "'so anyone'"),
    ("put into the store", "'saved in the database'"),
];

/// Nothing that users read has a phrase of the list.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.files.iter().filter(|file| is_read_by_users(file)) {
        for line in file.lines().into_iter().filter(|line| !line.in_test) {
            let found = PHRASES.iter().filter(|(phrase, _)| line.text.contains(phrase));
            findings.extend(found.map(|(phrase, better)| {
                let remedy = format!("instead of '{phrase}' write {better}");
                Finding::new(&file.path, line.number, "odd wording", remedy)
            }));
        }
    }
    findings
}

/// The sources with messages and help texts, the documents, and the pages of the dashboard.
fn is_read_by_users(file: &SourceFile) -> bool {
    let path = file.path.as_str();
    let of_crate = path.starts_with("crates/") && path.contains("/src/") && file.is_rust();
    of_crate || path == "README.md" || path.starts_with("docs/") || path.starts_with("dashboard/src/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, text: &str) -> usize {
        check(&Repository::of(&[(path, text)])).len()
    }

    #[test]
    fn each_phrase_is_found_where_users_read() {
        for (phrase, _) in PHRASES {
            let text = format!("    \"{phrase}\"\n");
            for path in ["crates/cli/src/a.rs", "docs/a.md", "README.md", "dashboard/src/a.tsx"] {
                assert_eq!(broken(path, &text), 1, "{path}: {phrase}");
            }
            for path in ["crates/cli/tests/a.rs", "xtask/src/tidy/wording.rs", "CHANGELOG.md"] {
                assert_eq!(broken(path, &text), 0, "{path}: {phrase}");
            }
        }
    }
}
