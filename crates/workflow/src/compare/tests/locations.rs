//! Which entries are about the same thing: paths, lines that are a few off, and texts.

use super::*;

const ONE: &str = "The user name goes unescaped into the SQL query";
const ALIKE: &str = "SQL injection: user name is put into the query unescaped";
const OTHER: &str = "The name of this function says nothing";

fn contradictions(one: Value, other: Value) -> usize {
    compared(&[("a", findings(&[one])), ("b", findings(&[other]))]).contradictions.len()
}

#[test]
fn one_file_is_one_file_in_every_spelling() {
    let spellings = ["a/src/x.rs", "b/src/x.rs", "./src/x.rs", "src\\x.rs", "src/x.rs", "b/./src//x.rs"];
    for one in spellings {
        for other in spellings {
            let found = contradictions(finding(one, 10, "blocker", ONE), finding(other, 11, "nit", ALIKE));
            assert_eq!(found, 1, "{one} and {other}");
        }
    }
    let of = |file: &str, severity: &str| findings(&[finding(file, 1, severity, ONE)]);
    let found = compared(&[("a", of("b/src/x.rs", "nit")), ("b", of("src/x.rs", "major"))]);
    assert_eq!(keys(&found.contradictions), [json!({"file": "src/x.rs", "line": 1})]);
    // This is a valid name of a folder.
    let found =
        compared(&[("a", of("a/x.rs", "nit")), ("b", of("a/x.rs", "major")), ("c", of("y.rs", "nit"))]);
    assert_eq!(keys(&found.contradictions), [json!({"file": "a/x.rs", "line": 1})]);
    assert_eq!(contradictions(finding("a/x.rs", 1, "nit", ONE), finding("b/y.rs", 1, "major", ONE)), 0);
}

#[test]
fn a_few_lines_do_not_hide_a_contradiction() {
    for (line, expected) in [(10, 1), (7, 1), (13, 1), (6, 0), (14, 0)] {
        let found = contradictions(finding("x.rs", 10, "blocker", ONE), finding("x.rs", line, "nit", ALIKE));
        assert_eq!(found, expected, "line {line}");
    }
    let range = json!({"file": "x.rs", "line": "2-12", "severity": "nit", "description": ALIKE});
    assert_eq!(contradictions(finding("x.rs", 10, "blocker", ONE), range), 1);
}

#[test]
fn unrelated_remarks_near_each_other_are_neither_a_contradiction_nor_an_agreement() {
    for (line, severity) in [(10, "blocker"), (9, "nit"), (11, "nit"), (13, "nit"), (11, "blocker")] {
        let found = compared(&[
            ("a", findings(&[finding("x.rs", 10, "blocker", ONE)])),
            ("b", findings(&[finding("x.rs", line, severity, OTHER)])),
        ]);
        assert_eq!(found, Comparison::default(), "{line} {severity}");
    }
}

#[test]
fn different_severities_on_one_line_contradict_whatever_the_texts_say() {
    let traversal = "Absolute paths are not rejected, so a tool can read any file (path traversal).";
    let found = compared(&[
        ("security", findings(&[finding("x.rs", 10, "blocker", traversal)])),
        (
            "style",
            findings(&[finding("x.rs", 10, "nit", "Workspace path resolution prevents path traversal.")]),
        ),
        ("naming", findings(&[finding("x.rs", 11, "minor", OTHER)])),
    ]);
    let [contradiction] = found.contradictions.as_slice() else { panic!("{found:?}") };
    assert_eq!(contradiction.sides.len(), 2);
    let similarity = contradiction.similarity.unwrap();
    assert!((0.0..super::super::WORDS_THRESHOLD).contains(&similarity), "{similarity}");
    assert_eq!((found.near_duplicates.len(), found.agreements.len()), (0, 0));
}

#[test]
fn siblings_with_the_same_severities_on_one_line_do_not_contradict_each_other() {
    let both = |one: &str, other: &str| {
        findings(&[finding("x.rs", 10, "blocker", one), finding("x.rs", 10, "nit", other)])
    };
    let found = compared(&[("a", both(ONE, OTHER)), ("b", both(ALIKE, OTHER))]);
    assert_eq!(found.contradictions, []);
    let found = compared(&[("a", both(ONE, OTHER)), ("b", findings(&[finding("x.rs", 10, "nit", OTHER)]))]);
    assert_eq!(found.contradictions.len(), 1, "only one of them sees a blocker");
}

#[test]
fn an_entry_without_text_matches_others_on_the_same_line() {
    let bare = |line: u64| json!({"file": "x.rs", "line": line, "severity": "major"});
    assert_eq!(contradictions(bare(10), finding("x.rs", 10, "nit", ONE)), 1);
    assert_eq!(contradictions(bare(10), bare(10)), 0);
    assert_eq!(contradictions(bare(10), finding("x.rs", 11, "nit", ONE)), 0);
    // It does not make two unrelated remarks one.
    let found = compared(&[
        ("a", findings(&[finding("x.rs", 10, "major", ONE)])),
        ("b", findings(&[finding("x.rs", 11, "nit", OTHER)])),
        ("c", findings(&[bare(10), bare(11)])),
    ]);
    assert!(found.contradictions.iter().all(|each| each.sides.len() == 2), "{found:?}");
}

#[test]
fn texts_do_not_matter_if_the_key_is_more_than_a_location() {
    let schema = json!({"properties": {"findings": {"x-key": ["file", "line", "category"]}}});
    let of = |line: u64, category: &str, severity: &str, text: &str| {
        findings(&[json!({"file": "x.rs", "line": line, "category": category, "severity": severity,
            "description": text})])
    };
    let found = |line, category| {
        let outputs = [("a", of(10, "injection", "blocker", ONE)), ("b", of(line, category, "nit", OTHER))];
        with_schema(&schema, &outputs).contradictions.len()
    };
    assert_eq!((found(12, "injection"), found(12, "naming"), found(14, "injection")), (1, 0, 0));
}
