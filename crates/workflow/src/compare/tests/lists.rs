//! Keys, values and annotations.

use super::*;
use accord_contract::Meter;

#[test]
fn different_severities_at_one_place_contradict() {
    let found = compared(&[
        ("security", findings(&[finding("src/a.rs", 10, "blocker", "SQL injection in the query")])),
        ("correctness", findings(&[finding("./src/a.rs", 10, "nit", "The query allows SQL injection")])),
    ]);
    let expected = json!({
        "contradictions": [{
            "kind": "different_values",
            "key": {"file": "src/a.rs", "line": 10},
            "field": "severity",
            "sides": [
                {"agent": "correctness", "pointer": "/findings/0", "value": "nit",
                    "text": "The query allows SQL injection"},
                {"agent": "security", "pointer": "/findings/0", "value": "blocker",
                    "text": "SQL injection in the query"}]}],
        "near_duplicates": found.near_duplicates,
        "agreements": []});
    assert_eq!(serde_json::to_value(&found).unwrap(), expected);
    assert_eq!(serde_json::from_value::<Comparison>(expected).unwrap(), found);
    assert_eq!(found.near_duplicates.len(), 1);
}

#[test]
fn the_same_severity_at_one_place_is_an_agreement() {
    let found = compared(&[
        ("a", findings(&[finding("x", 1, "Major", "The handle leaks")])),
        (
            "b",
            findings(&[finding("x", 1, "major", "Leaks the handle"), finding("x", 1, "major", "Wrong cast")]),
        ),
        ("c", findings(&[finding("x", 2, "major", "other")])),
    ]);
    assert_eq!(found.contradictions, []);
    let [agreement] = found.agreements.as_slice() else { panic!("{found:?}") };
    assert_eq!(Value::Object(agreement.key.clone()), json!({"file": "x", "line": 1}));
    assert_eq!((&agreement.value, agents_and_values(&agreement.sides).len()), (&json!("major"), 2));
}

#[test]
fn spellings_of_one_location_are_equal() {
    let of = |line: Value| json!({"findings": [{"file": "a.rs", "line": line, "severity": "major"}]});
    for line in
        [json!("10"), json!("L10"), json!(10.0), json!("10-12"), json!([10, 12]), json!({"start": 10})]
    {
        let found =
            compared(&[("a", findings(&[finding(".\\a.rs", 10, "minor", "t")])), ("b", of(line.clone()))]);
        assert_eq!(keys(&found.contradictions), [json!({"file": "a.rs", "line": 10})], "{line}");
    }
}

#[test]
fn a_line_after_a_file_name_is_the_line_if_there_is_no_other() {
    let of =
        |file: &str, line: Value| json!({"findings": [{"file": file, "line": line, "severity": "major"}]});
    let against = |output: Value| {
        compared(&[("a", findings(&[finding("a.rs", 10, "minor", "t")])), ("b", output)]).contradictions
    };
    for output in
        [of("a.rs:10", json!(10)), of("./a.rs:10:4", json!("Lines 10-14")), of("a.rs#L10", json!(null))]
    {
        assert_eq!(keys(&against(output.clone())), [json!({"file": "a.rs", "line": 10})], "{output}");
    }
    // The number is another line.
    for output in [of("a.rs:3", json!(10)), of("a.rs:10", json!(3)), of("a.rs:10", json!("top"))] {
        assert_eq!(against(output.clone()), [], "{output}");
    }
    // If the key has no line, a number after a name is part of the name.
    let schema = json!({"properties": {"findings": {"x-key": "file"}}});
    let outputs =
        [("a", of("host:80", json!(1))), ("b", json!({"findings": [{"file": "host:81", "severity": "x"}]}))];
    assert_eq!(with_schema(&schema, &outputs).contradictions, []);
}

#[test]
fn entries_without_a_location_or_a_value_contradict_nothing() {
    let without_line =
        |severity: &str| json!({"findings": [{"file": "a.rs", "line": null, "severity": severity}]});
    let odd = json!({"findings": [{"line": 1, "severity": "x"}, {"file": 7, "line": 1, "severity": "x"}, null, 5, "text",
        [], {"file": "a.rs", "line": 1}, {"file": "a.rs", "line": 1, "severity": null}]});
    let found = compared(&[
        ("a", without_line("blocker")),
        ("b", without_line("nit")),
        ("c", odd),
        ("d", findings(&[finding("a.rs", 1, "major", "t")])),
    ]);
    assert_eq!(found, Comparison::default());
}

#[test]
fn a_sibling_does_not_contradict_itself() {
    let twice = findings(&[
        finding("a.rs", 1, "blocker", "The lock is never released"),
        finding("a.rs", 1, "nit", "Release of the lock is missing"),
    ]);
    assert_eq!(compared(&[("a", twice.clone())]).contradictions, []);
    // Siblings that share a value do not contradict each other, unless they have others on the same line.
    for (line, expected) in [(1, (1, 1)), (2, (0, 1))] {
        let one = findings(&[finding("a.rs", line, "nit", "The lock is not released")]);
        let found = compared(&[("a", twice.clone()), ("b", one)]);
        assert_eq!((found.contradictions.len(), found.agreements.len()), expected, "line {line}");
    }
    let other = findings(&[finding("a.rs", 1, "major", "The lock is not released")]);
    let found = compared(&[("a", twice), ("b", other)]);
    let values: Vec<_> =
        found.contradictions.iter().flat_map(|each| agents_and_values(&each.sides)).collect();
    assert_eq!(values, [("a", &json!("nit")), ("a", &json!("blocker")), ("b", &json!("major"))]);
}

#[test]
fn repetitions_count_once() {
    let repeated = findings(&vec![finding("a.rs", 1, "nit", "same"); 50]);
    let found = compared(&[("a", repeated), ("b", findings(&[finding("a.rs", 1, "major", "same")]))]);
    let [contradiction] = found.contradictions.as_slice() else { panic!("{found:?}") };
    assert_eq!(agents_and_values(&contradiction.sides), [("a", &json!("nit")), ("b", &json!("major"))]);
}

#[test]
fn annotations_select_what_is_compared() {
    let schema = json!({"properties": {"report": {"$ref": "#/definitions/report"}}, "definitions": {
        "report": {"properties": {"tasks": {"type": "array", "items": {"$ref": "#/definitions/task"}}}},
        "task": {"type": "object", "x-key": ["id"], "x-conflict": ["status", "owner"], "x-text": "note"}}});
    let of = |status: &str, owner: &str| json!({"report": {"tasks": [{"id": 7, "status": status, "owner": owner, "note": "n"}]}});
    let found = with_schema(&schema, &[("a", of("done", "ann")), ("b", of("open", "ann"))]);
    let [contradiction] = found.contradictions.as_slice() else { panic!("{found:?}") };
    assert_eq!(contradiction.field, "status");
    assert_eq!(Value::Object(contradiction.key.clone()), json!({"id": 7}));
    assert_eq!(contradiction.sides[0].pointer, "/report/tasks/0");
    assert_eq!(contradiction.sides[0].text.as_deref(), Some("n"));
    assert_eq!(found.agreements.iter().map(|each| each.field.as_str()).collect::<Vec<_>>(), ["owner"]);
}

#[test]
fn annotations_are_on_the_list_or_its_items() {
    let schema = json!({"properties": {
        "tasks": {"x-key": "id", "x-conflict": "status"},
        "users": {"items": {"x-key": "id", "x-conflict": "status"}},
        "places": {"x-key": ["where.path", "where.line"], "x-conflict": "level"},
        "quiet": {"x-key": []}}});
    let of = |status: &str, level: &str| {
        json!({"tasks": [{"id": 1, "status": status}], "users": [{"id": 1, "status": "active"}],
            "places": [{"where": {"path": "./a.rs", "line": "3"}, "level": level}],
            "quiet": [{"file": "a.rs", "line": 3, "severity": level}]})
    };
    let found = with_schema(&schema, &[("a", of("done", "high")), ("b", of("open", "low"))]);
    assert_eq!(
        keys(&found.contradictions),
        [json!({"id": 1}), json!({"where.path": "a.rs", "where.line": 3})],
        "{found:?}"
    );
    assert_eq!(keys(&found.contradictions).len() + found.agreements.len(), 3);
}

#[test]
fn lists_with_locations_are_compared_across_names_and_depths() {
    let found = compared(&[
        ("a", json!({"issues": [finding("a.rs", 1, "high", "t")]})),
        ("b", json!({"parts": [{"deep": {"findings": [finding("a.rs", 1, "low", "t")]}}]})),
        ("c", json!([finding("a.rs", 1, "medium", "t")])),
    ]);
    let [contradiction] = found.contradictions.as_slice() else { panic!("{found:?}") };
    let pointers: Vec<&str> = contradiction.sides.iter().map(|side| side.pointer.as_str()).collect();
    assert_eq!(pointers, ["/issues/0", "/parts/0/deep/findings/0", "/0"]);
}

#[test]
fn locations_inside_a_finding_are_not_findings() {
    let related = json!({"findings": [{"file": "a.rs", "line": 1, "severity": "major", "description": "t",
        "related": [{"file": "b.rs", "line": 2, "severity": "minor", "message": "see here"}]}]});
    let found = compared(&[("a", related), ("b", findings(&[finding("b.rs", 2, "major", "see here")]))]);
    assert_eq!(found, Comparison::default());
}

#[test]
fn properties_with_odd_names_have_proper_pointers() {
    let of = |severity: &str| json!({"a/b~c": [finding("größe.rs", 1, severity, "t")]});
    let found = compared(&[("a", of("high")), ("b", of("low"))]);
    assert_eq!(found.contradictions[0].sides[0].pointer, "/a~1b~0c/0");
    assert_eq!(keys(&found.contradictions), [json!({"file": "größe.rs", "line": 1})]);
}

#[test]
fn a_key_named_in_the_schema_is_compared_exactly() {
    let schema =
        |key: &str| json!({"type": "object", "properties": {"list": {"type": "array", "x-key": key}}});
    for (key, value) in [("line", json!("red")), ("path", json!("/")), ("file", json!(7)), ("line", json!(7))]
    {
        let schema = schema(key);
        let with_severity = |severity: &str| json!({"list": [{key: value, "severity": severity}]});
        let (one, other) = (with_severity("major"), with_severity("minor"));
        let siblings = [("a", &one), ("b", &other)].map(|(agent, output)| Sibling {
            agent,
            schema: &schema,
            output,
            is_map: false,
        });
        let found = compare(&siblings, &CompareOptions::default(), &Meter::default()).unwrap();
        assert_eq!(keys(&found.contradictions), [json!({key: value})]);
    }
}

#[test]
fn siblings_that_share_values_in_pairs_do_not_contradict_each_other() {
    let of = |one: &str, other: &str| {
        findings(&[finding("a.rs", 5, one, "the same"), finding("a.rs", 5, other, "the same")])
    };
    let outputs = [("a", of("major", "minor")), ("b", of("minor", "nit")), ("c", of("major", "nit"))];
    let by_file = json!({"properties": {"findings": {"x-key": "file"}}});
    assert_eq!(with_schema(&by_file, &outputs).contradictions, []);
    assert_eq!(compared(&outputs).contradictions.len(), 1, "on one line");
}
