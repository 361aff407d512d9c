//! Similar texts.

use accord_contract::Meter;
use std::collections::HashMap;

use super::super::{LINE_DISTANCE, texts_to_embed};
use super::*;

const ONE: &str = "The user name goes unescaped into the SQL query";
const ALIKE: &str = "SQL injection: user name is put into the query unescaped";
const OTHER: &str = "The connection is never closed";

fn lines(found: &Comparison) -> Vec<Vec<(&str, u64)>> {
    let of =
        |side: &'_ Side| side.key.as_ref().and_then(|key| key.get("line")).and_then(Value::as_u64).unwrap();
    let group = |sides: &'_ [Side]| -> Vec<(String, u64)> {
        sides.iter().map(|side| (side.agent.clone(), of(side))).collect()
    };
    let names = ["a", "b", "c"];
    let known = |(agent, line): (String, u64)| (*names.iter().find(|name| **name == agent).unwrap(), line);
    found.near_duplicates.iter().map(|each| group(&each.sides).into_iter().map(known).collect()).collect()
}

#[test]
fn a_rephrased_finding_a_few_lines_away_is_a_near_duplicate() {
    for (line, expected) in [(10, true), (13, true), (7, true), (14, false), (6, false)] {
        let found = compared(&[
            ("a", findings(&[finding("x.rs", 10, "major", ONE), finding("x.rs", 10, "major", OTHER)])),
            ("b", findings(&[finding("x.rs", line, "blocker", ALIKE)])),
        ]);
        let pair = vec![vec![("a", 10), ("b", line)]];
        assert_eq!(lines(&found), if expected { pair } else { vec![] }, "line {line}");
    }
    let elsewhere = compared(&[
        ("a", findings(&[finding("x.rs", 10, "major", ONE)])),
        ("b", findings(&[finding("y.rs", 10, "blocker", ALIKE)])),
    ]);
    assert_eq!(elsewhere, Comparison::default());
}

#[test]
fn a_near_duplicate_has_sides_location_and_similarity() {
    let found = compared(&[
        ("b", findings(&[finding("x.rs", 12, "minor", "Same text.")])),
        ("a", findings(&[finding("x.rs", 10, "major", "same text")])),
    ]);
    let expected = json!([{"key": {"file": "x.rs"}, "similarity": 1.0, "sides": [
        {"agent": "a", "pointer": "/findings/0", "value": "major", "text": "same text", "key": {"file": "x.rs", "line": 10}},
        {"agent": "b", "pointer": "/findings/0", "value": "minor", "text": "Same text.", "key": {"file": "x.rs", "line": 12}}]}]);
    assert_eq!(serde_json::to_value(&found.near_duplicates).unwrap(), expected);
}

#[test]
fn repeated_findings_are_matched_line_by_line() {
    let every = |lines: std::ops::Range<u64>| {
        findings(&lines.map(|line| finding("x.rs", line, "nit", "Missing doc comment")).collect::<Vec<_>>())
    };
    let found = compared(&[("a", every(1..6)), ("b", every(1..6))]);
    let expected: Vec<Vec<(&str, u64)>> = (1..6).map(|line| vec![("a", line), ("b", line)]).collect();
    assert_eq!(lines(&found), expected);
    // The finding without a counterpart joins its best match.
    let found = compared(&[("a", every(1..3)), ("b", every(1..2))]);
    assert_eq!(lines(&found), [vec![("a", 1), ("a", 2), ("b", 1)]]);
}

#[test]
fn the_nearest_and_then_the_most_similar_are_matched() {
    let at = |lines: &[u64]| {
        findings(&lines.iter().map(|line| finding("x.rs", *line, "nit", ONE)).collect::<Vec<_>>())
    };
    let found = compared(&[("a", at(&[10, 13])), ("b", at(&[12, 15]))]);
    assert_eq!(lines(&found), [vec![("a", 10), ("a", 13), ("b", 12), ("b", 15)]]);
    let both = || findings(&[finding("x.rs", 10, "nit", ONE), finding("x.rs", 10, "nit", ALIKE)]);
    let found = compared(&[("a", both()), ("b", both())]);
    let similarities: Vec<f64> = found.near_duplicates.iter().map(|group| group.similarity).collect();
    assert_eq!(similarities, [1.0, 1.0]);
}

#[test]
fn a_group_is_as_similar_as_its_least_similar_pair() {
    let of = |line, text: &str| findings(&[finding("x.rs", line, "nit", text)]);
    let found = compared(&[("a", of(10, ONE)), ("b", of(10, ALIKE)), ("c", of(11, ONE))]);
    assert_eq!(lines(&found), [vec![("a", 10), ("b", 10), ("c", 11)]]);
    assert!(found.near_duplicates.iter().all(|group| group.similarity < 1.0), "{found:?}");
}

#[test]
fn three_siblings_make_one_group() {
    let of = |line| findings(&[finding("x.rs", line, "nit", "Missing doc comment")]);
    let found = compared(&[("a", of(10)), ("b", of(12)), ("c", of(14))]);
    assert_eq!(lines(&found), [vec![("a", 10), ("b", 12), ("c", 14)]]);
}

#[test]
fn one_sibling_alone_has_no_near_duplicates() {
    let found =
        compared(&[("a", findings(&[finding("x.rs", 1, "nit", ONE), finding("x.rs", 2, "nit", ONE)]))]);
    assert_eq!(found, Comparison::default());
}

#[test]
fn findings_about_a_whole_file_are_compared_by_their_texts() {
    let of = |text: &str| json!({"findings": [{"file": "x.rs", "severity": "nit", "description": text}]});
    let found =
        compared(&[("a", of(ONE)), ("b", of(ALIKE)), ("c", findings(&[finding("x.rs", 1, "nit", ONE)]))]);
    assert_eq!((found.near_duplicates.len(), found.near_duplicates[0].sides.len()), (1, 2));
}

#[test]
fn embeddings_decide_if_present() {
    let outputs = [
        ("a", findings(&[finding("x.rs", 1, "nit", "left"), finding("x.rs", 40, "nit", "alone")])),
        ("b", findings(&[finding("x.rs", 2, "nit", "right"), finding("x.rs", 2, "nit", "unknown")])),
    ];
    let schema = json!({});
    let siblings: Vec<Sibling<'_>> = outputs
        .iter()
        .map(|(agent, output)| Sibling { agent, schema: &schema, output, is_map: false })
        .collect();
    assert_eq!(
        texts_to_embed(&siblings, LINE_DISTANCE, &Meter::default()).unwrap(),
        ["left", "right", "unknown"]
    );
    let vectors = HashMap::from([
        ("left".to_owned(), vec![1.0, 0.0]),
        ("right".to_owned(), vec![0.98, 0.1]),
        ("unknown".to_owned(), vec![f32::NAN, 1.0]),
    ]);
    let found = compare(&siblings, &CompareOptions::with_vectors(vectors), &Meter::default()).unwrap();
    assert_eq!(lines(&found), [vec![("a", 1), ("b", 2)]]);
    let left_out: Vec<u64> = found.truncated.iter().map(|each| each.entries).collect();
    assert_eq!(left_out, [1], "{:?}", found.truncated);
}
