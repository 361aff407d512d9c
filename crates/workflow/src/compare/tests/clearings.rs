//! One sibling flags a place, another clears it.

use accord_domain::comparison::ContradictionKind;

use super::*;

fn clears(list: &str, entries: &[Value]) -> Value {
    json!({"findings": [], list: entries})
}

fn kinds(found: &Comparison) -> Vec<ContradictionKind> {
    found.contradictions.iter().map(|each| each.kind).collect()
}

#[test]
fn a_blocker_against_praise_at_the_same_place_surfaces() {
    let security =
        findings(&[finding("src/tools.rs", 42, "blocker", "Path traversal through an absolute path")]);
    let conventions = clears(
        "praise",
        &[json!({"file": "src/tools.rs", "line": "40-48", "description": "Paths are correctly sandboxed"})],
    );
    let found = compared(&[("security", security), ("conventions", conventions)]);
    let expected = json!([{
        "kind": "flagged_and_cleared",
        "key": {"file": "src/tools.rs", "line": 42},
        "field": "severity",
        "sides": [
            {"agent": "security", "pointer": "/findings/0", "value": "blocker",
                "text": "Path traversal through an absolute path"},
            {"agent": "conventions", "pointer": "/praise/0", "value": "praise", "text": "Paths are correctly sandboxed",
                "key": {"file": "src/tools.rs", "line": 40}}]}]);
    assert_eq!(serde_json::to_value(&found.contradictions).unwrap(), expected);
    assert_eq!(found.near_duplicates, []);
}

#[test]
fn every_kind_of_clearing_counts() {
    let flag = findings(&[finding("a.rs", 5, "major", "t")]);
    let place = json!({"file": "a.rs", "line": 5});
    let with = |name: &str, value: &str| {
        let mut entry = place.clone();
        entry[name] = json!(value);
        findings(&[entry])
    };
    for output in [
        clears("cleared", std::slice::from_ref(&place)),
        clears("strengths", std::slice::from_ref(&place)),
        with("kind", "praise"),
        with("type", "Cleared"),
        with("severity", "OK"),
        clears("cleared", &[json!({"file": "a.rs"})]),
        findings(&[json!({"file": "a.rs", "line": null, "severity": "ok"})]),
    ] {
        let found = compared(&[("a", flag.clone()), ("b", output.clone())]);
        assert_eq!(kinds(&found), [ContradictionKind::FlaggedAndCleared], "{output}");
    }
    for output in [
        clears("praise", &[json!({"file": "a.rs"})]),
        clears("praise", &[json!({"file": "a.rs", "line": 9})]),
        clears("praise", &[json!({"file": "b.rs", "line": 5})]),
        clears("praise", &[json!("a.rs is fine")]),
    ] {
        assert_eq!(compared(&[("a", flag.clone()), ("b", output.clone())]).contradictions, [], "{output}");
    }
}

#[test]
fn flagging_and_clearing_entries_are_not_duplicates() {
    let flag = findings(&[finding("a.rs", 5, "major", "The path is checked")]);
    let clear = json!({"file": "a.rs", "line": 5, "description": "The path is checked"});
    let found = compared(&[("a", flag), ("b", clears("praise", &[clear]))]);
    assert_eq!((kinds(&found), found.near_duplicates), (vec![ContradictionKind::FlaggedAndCleared], vec![]));
}

#[test]
fn a_long_range_clears_its_lines_after_a_short_one_too() {
    let stretch = |lines: &str| json!({"file": "a.rs", "line": lines});
    let clear = clears("praise", &[stretch("1-100"), stretch("3-4")]);
    let found = compared(&[("a", findings(&[finding("a.rs", 50, "major", "t")])), ("b", clear)]);
    assert_eq!(kinds(&found), [ContradictionKind::FlaggedAndCleared]);
}

#[test]
fn an_agent_does_not_clear_its_own_findings() {
    let both =
        json!({"findings": [finding("a.rs", 5, "major", "t")], "praise": [{"file": "a.rs", "line": 5}]});
    assert_eq!(compared(&[("a", both.clone())]).contradictions, []);
    let found = compared(&[("a", both), ("b", findings(&[finding("a.rs", 5, "major", "u")]))]);
    let [contradiction] = found.contradictions.as_slice() else { panic!("{found:?}") };
    assert_eq!(agents_and_values(&contradiction.sides), [("b", &json!("major")), ("a", &json!("praise"))]);
}

#[test]
fn equal_clearings_agree() {
    let found = compared(&[
        ("a", clears("praise", &[json!({"file": "a.rs", "line": 5})])),
        ("b", clears("praise", &[json!({"file": "a.rs", "line": 5})])),
        ("c", clears("cleared", &[json!({"file": "a.rs", "line": 5})])),
    ]);
    assert_eq!((found.contradictions.len(), found.agreements.len()), (0, 1));
}

#[test]
fn both_kinds_of_contradiction_can_meet_at_one_place() {
    let found = compared(&[
        ("a", findings(&[finding("a.rs", 5, "major", "t")])),
        ("b", findings(&[finding("a.rs", 5, "minor", "t")])),
        ("c", clears("cleared", &[json!({"file": "a.rs", "line": 5})])),
    ]);
    assert_eq!(kinds(&found), [ContradictionKind::DifferentValues, ContradictionKind::FlaggedAndCleared]);
    assert_eq!(found.contradictions[1].sides.len(), 3);
}

#[test]
fn clearing_reaches_a_few_lines() {
    let security = findings(&[finding("src/a.rs", 11, "blocker", "Path traversal through an absolute name")]);
    for (line, expected) in [
        (json!(10), 1),
        (json!(8), 1),
        (json!(14), 1),
        (json!("2-8"), 1),
        (json!(7), 0),
        (json!(15), 0),
        (json!("2-7"), 0),
    ] {
        let conventions =
            clears("cleared", &[json!({"file": "src/a.rs", "line": line, "description": "Sandboxed"})]);
        let found = compared(&[("security", security.clone()), ("conventions", conventions)]);
        assert_eq!(found.contradictions.len(), expected, "line {line}");
        for each in found.contradictions {
            assert_eq!(Value::Object(each.key), json!({"file": "src/a.rs", "line": 11}));
            assert!(each.sides[1].key.is_some(), "the cleared line is named");
        }
    }
}

/// Two remarks about one subject that another agent clears are one contradiction; remarks about two
/// subjects are two.
#[test]
fn each_cleared_subject_is_one_contradiction() {
    let clear = || clears("cleared", &[json!({"file": "a.rs", "line": 5})]);
    let one = |line| findings(&[finding("a.rs", line, "major", "The lock is never released")]);
    let other = findings(&[finding("a.rs", 5, "nit", "Unclear name")]);
    let found = compared(&[("a", one(4)), ("b", one(6)), ("c", clear())]);
    assert_eq!((found.contradictions.len(), found.contradictions[0].sides.len()), (1, 3));
    assert_eq!(compared(&[("a", one(4)), ("b", other), ("c", clear())]).contradictions.len(), 2);
}
