//! The output of a map is a list of outputs.

use super::*;

fn pointers(found: &Comparison) -> Vec<&str> {
    let sides = found.contradictions.iter().flat_map(|each| &each.sides);
    sides.map(|side| side.pointer.as_str()).collect()
}

#[test]
fn the_outputs_of_two_maps_are_compared_whatever_their_order() {
    let of = |severity: &str| findings(&[finding("a.rs", 1, severity, "t")]);
    let other = || findings(&[finding("b.rs", 1, "nit", "u")]);
    let found =
        maps(&json!({}), &[("a", json!([of("high"), other()])), ("b", json!([null, other(), of("low")]))]);
    assert_eq!(pointers(&found), ["/0/findings/0", "/2/findings/0"]);
    assert_eq!(found.agreements.len(), 1);
    // Two outputs of one map are one sibling.
    let found = maps(&json!({}), &[("a", json!([of("high"), of("low")])), ("b", json!([other()]))]);
    assert_eq!(found.contradictions, []);
}

#[test]
fn an_output_with_a_file_is_searched_and_a_finding_is_an_entry() {
    let of = |severity: &str| json!([{"file": "a.rs", "findings": [finding("a.rs", 1, severity, "t")]}]);
    let found = maps(&json!({}), &[("a", of("high")), ("b", of("low"))]);
    assert_eq!(pointers(&found), ["/0/findings/0", "/0/findings/0"]);
    let of = |severity: &str, related: &str| {
        let related = [finding("b.rs", 2, related, "see here")];
        json!([{"file": "a.rs", "line": 1, "severity": severity, "related": related}])
    };
    let found = maps(&json!({}), &[("a", of("high", "high")), ("b", of("low", "low"))]);
    assert_eq!(pointers(&found), ["/0", "/0"]);
}

#[test]
fn outputs_are_compared_by_key_and_never_by_index() {
    let of = |id: u64, verdict: &str, severity: &str| json!([{"id": id, "verdict": verdict, "findings": [finding("a.rs", 1, severity, "t")]}]);
    let schema = json!({"x-key": "id", "x-conflict": "verdict"});
    let found = maps(&schema, &[("a", of(7, "approve", "high")), ("b", of(7, "reject", "low"))]);
    assert_eq!(keys(&found.contradictions), [json!({"file": "a.rs", "line": 1}), json!({"id": 7})]);
    // The first outputs of two maps need not be about the same thing.
    let schema = json!({"x-conflict": "verdict", "properties": {"more": {"x-conflict": "verdict"}}});
    let of = |verdict: &str| json!([{"verdict": verdict, "more": {"verdict": verdict}}]);
    assert_eq!(maps(&schema, &[("a", of("approve")), ("b", of("reject"))]), Comparison::default());
}
