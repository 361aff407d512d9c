//! Words that must not appear in the repository. They are assembled here from halves, so that this
//! file follows its own rules.

use super::Finding;
use super::repository::{Line, Repository};

const MARKERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

/// Rules for Rust code: a name, a test and a remedy each.
struct Rule {
    name: &'static str,
    remedy: &'static str,
    breaks: fn(&Line<'_>) -> bool,
}

const RULES: &[Rule] = &[
    Rule {
        name: "allow attribute",
        remedy: "use #[expect(…, reason = \"…\")], which says why and goes stale aloud",
        breaks: |line| {
            line.text.contains(concat!("#[al", "low(")) || line.text.contains(concat!("#![al", "low("))
        },
    },
    Rule {
        name: "unfinished code",
        remedy: "finish it or leave it out",
        breaks: |line| line.text.contains(concat!("to", "do!")),
    },
    Rule {
        name: "ignored test",
        remedy: "mend the test or delete it",
        breaks: |line| line.text.contains(concat!("#[ig", "nore")),
    },
    Rule {
        name: "sleep in a test",
        remedy: "wait for the event itself",
        breaks: |line| line.in_test && line.text.contains(concat!("sle", "ep(")),
    },
    Rule {
        name: "banner comment",
        remedy: "a file with sections is two files; a heading is a module's doc",
        breaks: |line| {
            let comment = line.text.trim_start().strip_prefix("//").unwrap_or_default().trim_start();
            ["---", "===", "***", "###", "~~~"].iter().any(|rule| comment.starts_with(rule))
        },
    },
];

/// Rust code keeps the rules, and nothing that people write carries a note to be done later.
pub(super) fn code(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust() {
        for line in file.lines() {
            let broken = RULES.iter().filter(|rule| (rule.breaks)(&line));
            findings.extend(broken.map(|rule| Finding::new(&file.path, line.number, rule.name, rule.remedy)));
        }
    }
    for file in repository.written() {
        for (index, line) in file.text.lines().enumerate() {
            let mut words = line.split(|each: char| !each.is_alphanumeric() && each != '_');
            if let Some(word) = words.find(|word| MARKERS.contains(word)) {
                let remedy = format!("'{word}' is a promise to nobody: do it, or open an issue");
                findings.push(Finding::new(&file.path, index + 1, "note to self", remedy));
            }
        }
    }
    findings
}

/// No example in a doc comment is a test: `.ci/run` does not run doc tests, which rustdoc compiles one crate at a time.
pub(super) fn doc_tests(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust() {
        let mut is_open = false;
        for line in file.lines() {
            let text = line.text.trim_start();
            let comment = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"));
            let Some(language) = comment.and_then(|comment| comment.trim_start().strip_prefix("```")) else {
                continue;
            };
            is_open = !is_open;
            if is_open && !matches!(language, "text" | "json" | "yaml" | "sh") {
                let remedy = "write a test or a file in examples/, or mark the block as text";
                findings.push(Finding::new(&file.path, line.number, "doc test", remedy));
            }
        }
    }
    findings
}

/// Nothing tracked names a folder of one machine.
pub(super) fn paths(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.written() {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(path) = MACHINE_PATHS.iter().find(|path| starts_a_path(line, path)) {
                let remedy = format!("'{path}' exists on one machine; use a relative path or a variable");
                findings.push(Finding::new(&file.path, index + 1, "machine path", remedy));
            }
        }
    }
    findings
}

/// Whether a folder is at the beginning of a path, not in the middle of one.
fn starts_a_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|each| each.is_alphanumeric() || matches!(each, '.' | '_' | '-' | '~' | '}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules_broken(path: &str, text: &str) -> Vec<&'static str> {
        code(&Repository::of(&[(path, text)])).into_iter().map(|finding| finding.rule).collect()
    }

    #[test]
    fn each_rule_can_be_broken() {
        for (text, rule) in [
            (concat!("#[al", "low(dead_code)]"), "allow attribute"),
            (concat!("#![al", "low(dead_code)]"), "allow attribute"),
            (concat!("to", "do!()"), "unfinished code"),
            (concat!("#[ig", "nore = \"slow\"]"), "ignored test"),
            ("// ---- parsing ----", "banner comment"),
            ("    //=====", "banner comment"),
            (concat!("// TO", "DO: later"), "note to self"),
            (concat!("// XX", "X"), "note to self"),
        ] {
            assert_eq!(rules_broken("src/a.rs", text), [rule], "{text}");
        }
    }

    #[test]
    fn sleeping_is_rejected_only_in_tests() {
        let text = concat!("sle", "ep(second);");
        assert_eq!(rules_broken("tests/a.rs", text), ["sleep in a test"]);
        assert_eq!(rules_broken("src/a.rs", text), [] as [&str; 0]);
    }

    #[test]
    fn only_blocks_that_rustdoc_would_run_are_rejected() {
        let broken = |text: &str| doc_tests(&Repository::of(&[("src/a.rs", text)])).len();
        assert_eq!(broken("//! ```text\n//! a\n//! ```\n/// ```json\n/// 1\n/// ```\n"), 0);
        assert_eq!(broken("//! ```\n//! a();\n//! ```\n    /// ```no_run\n    /// b();\n    /// ```\n"), 2);
    }

    #[test]
    fn notes_are_rejected_in_documents_too() {
        assert_eq!(rules_broken("README.md", concat!("FIX", "ME")), ["note to self"]);
        assert_eq!(rules_broken("README.md", concat!("METHO", "DO and TO", "DOs")), [] as [&str; 0]);
    }

    #[test]
    fn machine_paths_are_rejected() {
        let broken = |text: &str| !paths(&Repository::of(&[("Makefile", text)])).is_empty();
        assert!(broken(concat!("cp /wo", "rk/a b")));
        assert!(broken(concat!("\"/ho", "me/me\"")));
        assert!(!broken(concat!("cp ../wo", "rk/a frame", "work/ https://a.b/wo", "rk/")));
    }
}
