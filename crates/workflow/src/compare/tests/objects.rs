//! Objects outside lists.

use super::*;

#[test]
fn an_object_with_annotations_is_an_entry() {
    let schema = json!({"x-conflict": "verdict", "x-text": "why", "properties": {
        "review": {"$ref": "#/$defs/review"}}, "$defs": {"review": {"x-conflict": ["grade"]}}});
    let of = |verdict: &str, grade: u64, severity: &str| {
        json!({"verdict": verdict, "why": "because", "review": {"grade": grade},
            "findings": [finding("a.rs", 1, severity, "t")]})
    };
    let found = with_schema(&schema, &[("a", of("approve", 1, "high")), ("b", of("reject", 2, "low"))]);
    let verdict = &found.contradictions[0];
    let expected = [json!({"at": "$"}), json!({"at": "$.review"}), json!({"file": "a.rs", "line": 1})];
    assert_eq!(keys(&found.contradictions), expected);
    assert_eq!(agents_and_values(&verdict.sides), [("a", &json!("approve")), ("b", &json!("reject"))]);
    assert_eq!((verdict.field.as_str(), verdict.sides[0].pointer.as_str()), ("verdict", ""));
    assert_eq!(found.near_duplicates.len(), 2, "what they give as their reasons, and the findings");
    let found = with_schema(&schema, &[("a", of("approve", 1, "high")), ("b", of("Approve", 1, "high"))]);
    assert_eq!((found.contradictions.len(), found.agreements.len()), (0, 3));
}

#[test]
fn a_key_identifies_an_object_and_an_empty_key_excludes_it() {
    let of = |id: u64, state: &str| json!({"task": {"id": id, "state": state}});
    let with = |key: Value| json!({"properties": {"task": {"x-key": key, "x-conflict": "state"}}});
    let found =
        with_schema(&with(json!("id")), &[("a", of(1, "open")), ("b", of(1, "done")), ("c", of(2, "new"))]);
    assert_eq!(keys(&found.contradictions), [json!({"id": 1})]);
    assert_eq!(found.contradictions[0].sides.len(), 2);
    let outputs = [("a", of(1, "open")), ("b", of(1, "done"))];
    assert_eq!(with_schema(&with(json!([])), &outputs), Comparison::default());
    // Without annotations in the schema it is not an entry.
    assert_eq!(
        compared(&[("a", finding("a.rs", 1, "high", "t")), ("b", finding("a.rs", 1, "low", "t"))]),
        Comparison::default()
    );
}

#[test]
fn in_a_list_an_object_is_identified_by_its_key_alone() {
    let schema = |task: Value| json!({"properties": {"list": {"x-key": "id", "items": {"properties": {"task": task}}}}});
    let of = |state: &str| json!({"list": [{"id": 1, "task": {"name": "t", "state": state}}]});
    let outputs = [("a", of("open")), ("b", of("done"))];
    let found = with_schema(&schema(json!({"x-key": "name", "x-conflict": "state"})), &outputs);
    assert_eq!(keys(&found.contradictions), [json!({"name": "t"})]);
    assert_eq!(with_schema(&schema(json!({"x-conflict": "state"})), &outputs), Comparison::default());
}
