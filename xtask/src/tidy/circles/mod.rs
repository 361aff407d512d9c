//! Files of a crate do not import each other in large circles: what is in a circle can only be understood as a whole.
//!
//! A file depends on the files that define what it names, in `use` declarations and in paths. Re-exports are followed to the
//! definition and are no dependencies themselves, so that a `mod.rs` may list what is in its folder.

mod modules;
mod paths;

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::repository::{Repository, SourceFile};
use modules::Crate;

/// From this many files on, a circle is refused: a type and the parts of its implementation may need each other.
const TOO_MANY: usize = 6;

/// Crates for tests.
const EXEMPT: &[&str] = &["corpus", "test-support"];

/// Circles that stay: a file in it, how many files it may have, reason.
const EXCEPTIONS: &[(&str, usize, &str)] = &[
    (
        "crates/workflow/src/kinds/mod.rs",
        27,
        "a kind of node is one implementation of `Behaviour`, which checks it and runs it",
    ),
    (
        "crates/store-postgres/src/store.rs",
        20,
        "the store starts the groups of its use cases and what follows its events, and both read by its connections",
    ),
];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    check_except(repository, EXCEPTIONS)
}

fn check_except(repository: &Repository, exceptions: &[(&str, usize, &str)]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in repository.rust().filter(|file| !file.is_test()) {
        let name = file.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
        if let Some((name, _)) = name.filter(|(name, _)| !EXEMPT.contains(name)) {
            crates.entry(name).or_default().push(file);
        }
    }
    let circles: Vec<BTreeSet<&str>> = crates.values().flat_map(|files| circles(files)).collect();
    let mut findings = Vec::new();
    for circle in &circles {
        let allowed = exceptions.iter().find(|(file, ..)| circle.contains(file)).map(|(_, files, _)| *files);
        if circle.len() > allowed.unwrap_or(TOO_MANY - 1) {
            let files: Vec<&str> = circle.iter().copied().collect();
            let remedy = format!(
                "{} files import each other ({}); move what they share into a file that imports none of them",
                files.len(),
                files.join(", ")
            );
            findings.push(Finding::new(files.first().unwrap_or(&""), 1, "circle", remedy));
        }
    }
    for (file, ..) in exceptions {
        if !circles.iter().any(|circle| circle.len() >= TOO_MANY && circle.contains(file)) {
            let remedy = "this file is in no large circle any more; remove it from tidy/circles/mod.rs";
            findings.push(Finding::new(file, 1, "circle", remedy));
        }
    }
    findings
}

/// The circles of one crate: sets of files each of which depends on all others.
fn circles<'r>(files: &[&'r SourceFile]) -> Vec<BTreeSet<&'r str>> {
    let dependencies = Crate::of(files).dependencies();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        dependencies.keys().map(|file| (*file, reached_from(file, &dependencies))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let circle = |file: &&'r str| -> BTreeSet<&'r str> {
        let others = reached.keys().copied();
        others.filter(|other| reaches(file, other) && reaches(other, file)).collect()
    };
    let all: BTreeSet<BTreeSet<&str>> = dependencies.keys().map(circle).collect();
    all.into_iter().filter(|circle| circle.len() > 1).collect()
}

fn reached_from<'r>(
    start: &'r str,
    dependencies: &BTreeMap<&'r str, BTreeSet<&'r str>>,
) -> BTreeSet<&'r str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(file) = waiting.pop() {
        for next in dependencies.get(file).into_iter().flatten() {
            if reached.insert(*next) {
                waiting.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files `a` to `f`; each one uses the next, in this form, and the last uses the first.
    fn ring(form: fn(&str) -> String) -> Vec<(String, String)> {
        let names = ["a", "b", "c", "d", "e", "f"];
        let next = names.iter().cycle().skip(1);
        let file = |(name, next): (&&str, &&str)| (format!("crates/x/src/{name}.rs"), form(next));
        let mut files: Vec<_> = names.iter().zip(next).map(file).collect();
        files.push(("crates/x/src/lib.rs".to_owned(), names.map(|name| format!("mod {name};\n")).concat()));
        files
    }

    fn findings(files: &[(String, String)]) -> Vec<Finding> {
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        check_except(&Repository::of(&files), &[])
    }

    #[test]
    fn circles_of_six_files_are_refused_however_they_are_written() {
        let forms: [fn(&str) -> String; 7] = [
            |next| format!("use crate::{next}::of_{next};"),
            |next| format!("use super::{next}::{{self, of_{next}}};"),
            |next| format!("use crate::{{other, {next}::{{Thing as Next}}}};"),
            |next| format!("use crate::{next};\nfn work() {{ {next}::work(); }}"),
            |next| format!("fn work() {{ crate::{next}::work(); }}"),
            |next| format!("use crate::{next} as next;\nfn work() -> next::Thing {{}}"),
            |next| format!("use super::{next}::*;\nfn work() {{}}"),
        ];
        for form in forms {
            let files = ring(form);
            assert_eq!(findings(&files).len(), 1, "{}", files[0].1);
            assert_eq!(findings(&files[1..]), [], "without one of them: {}", files[0].1);
        }
    }

    #[test]
    fn comments_strings_and_tests_import_nothing() {
        let forms: [fn(&str) -> String; 4] = [
            |next| format!("// use crate::{next}::of_{next};"),
            |next| format!("const TEXT: &str = \"crate::{next}::Thing\";"),
            |next| format!("const TEXT: &str = r#\"\"crate::{next}::Thing\"#;"),
            |next| format!("#[cfg(test)]\nmod tests {{\n    use crate::{next}::of_{next};\n}}"),
        ];
        for form in forms {
            assert_eq!(findings(&ring(form)), []);
        }
        let tests = ring(|next| format!("use crate::{next}::of_{next};"));
        let tests: Vec<_> =
            tests.into_iter().map(|(path, text)| (path.replace("/src/", "/src/tests/"), text)).collect();
        assert_eq!(findings(&tests), []);
    }

    #[test]
    fn a_module_may_list_what_is_in_its_folder() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let listed = names.map(|name| format!("mod {name};\npub use {name}::{name};\n")).concat();
        let child = |name: &str| (format!("crates/x/src/part/{name}.rs"), "use super::At;\n".to_owned());
        let mut files: Vec<(String, String)> = names.iter().map(|name| child(name)).collect();
        files.push(("crates/x/src/part/mod.rs".to_owned(), format!("{listed}struct At;\n")));
        assert_eq!(findings(&files), []);
        let last = files.last_mut().unwrap();
        last.1 =
            names.map(|name| format!("mod {name};\nuse {name}::check_{name};\n")).concat() + "struct At;\n";
        assert_eq!(findings(&files).len(), 1, "it calls its children, and they use its type");
    }

    #[test]
    fn reexports_lead_to_the_definition() {
        let mut files = ring(|next| format!("use super::part::{next};"));
        let part =
            ["a", "b", "c", "d", "e", "f"].map(|name| format!("pub use crate::{name}::Thing as {name};\n"));
        files.push(("crates/x/src/part.rs".to_owned(), part.concat()));
        let found = findings(&files);
        assert_eq!(found.len(), 1);
        assert!(!found[0].remedy.contains("part.rs"), "{}", found[0]);
    }

    #[test]
    fn an_exception_holds_for_a_circle_of_its_size_while_there_is_one() {
        let files = ring(|next| format!("use crate::{next}::of_{next};"));
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let found = |files: &[(&str, &str)], most| {
            check_except(&Repository::of(files), &[("crates/x/src/c.rs", most, "a reason")]).len()
        };
        assert_eq!(found(&files, 6), 0);
        assert_eq!(found(&files, 5), 1, "it has grown");
        assert_eq!(found(&files[1..], 6), 1, "it is gone");
    }
}
