//! Oversized inputs: the comparison ends and reports what it left out.

use accord_domain::comparison::ComparisonLimit;

use super::*;

fn limits(found: &Comparison) -> Vec<ComparisonLimit> {
    found.truncated.iter().map(|each| each.limit).collect()
}

#[test]
fn a_hundred_thousand_entries_are_compared() {
    let of = |severity: &str| {
        let entry = |index: u64| {
            finding(&format!("src/{}.rs", index % 500), index / 500 * 8, severity, "A text of some length")
        };
        findings(&(0..50_000).map(entry).collect::<Vec<_>>())
    };
    let found = compared(&[("a", of("major")), ("b", of("minor"))]);
    assert_eq!((found.contradictions.len(), found.near_duplicates.len()), (50_000, 50_000));
    assert_eq!(limits(&found), []);
}

#[test]
fn thousands_at_one_location_are_bounded_and_reported() {
    let of = |agent: u64| {
        let entry = |index: u64| finding("a.rs", 1, "nit", &format!("{agent} {index}"));
        findings(&(0..2_000).map(entry).collect::<Vec<_>>())
    };
    let found = compared(&[("a", of(1)), ("b", of(2))]);
    assert_eq!(limits(&found), [ComparisonLimit::Neighbours]);
    assert!(found.truncated[0].message.contains("nearest 64"), "{:?}", found.truncated);
    assert_eq!(found.contradictions, []);
}

#[test]
fn thousands_of_clearings_of_one_location_are_bounded_and_reported() {
    let flagged = findings(&(1..500).map(|line| finding("a.rs", line, "nit", "t")).collect::<Vec<_>>());
    let clearing = |index: u64| json!({"file": "a.rs", "line": [1, 1_000], "text": index.to_string()});
    let cleared = json!({"cleared": (0..2_000).map(clearing).collect::<Vec<_>>()});
    let found = compared(&[("a", flagged), ("b", cleared)]);
    assert_eq!(found.contradictions.len(), 499);
    assert!(found.contradictions.iter().all(|each| each.sides.len() == 101));
    assert!(limits(&found).contains(&ComparisonLimit::Clearings));
}

#[test]
fn too_deep_values_are_not_read_and_reported() {
    let deep = (0..200).fold(findings(&[finding("a.rs", 1, "nit", "t")]), |inner, _| json!({ "a": inner }));
    assert_eq!(limits(&compared(&[("a", deep)])), [ComparisonLimit::Depth]);
}

#[test]
fn reads_odd_documents_as_far_as_possible() {
    for schema in
        [json!(null), json!(true), json!([]), json!({"$ref": "#"}), json!({"items": {"$ref": "#/nowhere"}})]
    {
        for output in [json!(null), json!("x"), json!([[[]]]), json!({"findings": {"file": "a"}})] {
            assert_eq!(with_schema(&schema, &[("a", output.clone()), ("b", output)]), Comparison::default());
        }
    }
}
