//! Ordinary rules: what they accept, what they report, and the location.

use serde_json::{Value, json};

use super::*;

#[test]
fn a_count_must_match_the_list() {
    let rule = r#"output.counts.blocker == output.findings.filter(f, f.severity == "blocker").size()"#;
    let output = |count: i64| {
        json!({
            "counts": {"blocker": count},
            "findings": [{"severity": "blocker"}, {"severity": "minor"}, {"severity": "blocker"}]
        })
    };
    assert!(holds(rule, &output(2)));
    assert_eq!(line(rule, &output(3)), format!("$: broken (rule: {rule}; here: 3 == 2)"));
}

#[test]
fn an_approval_and_a_blocker_exclude_each_other() {
    let rule = r#"output.approval != "approve" || output.comments.all(c, c.severity != "blocker")"#;
    let output = |approval: &str| json!({"approval": approval, "comments": [{"severity": "blocker"}]});
    assert!(holds(rule, &output("comment")));
    let invariants = Invariants::compile(&[Invariant {
        rule: rule.to_owned(),
        message: "a review with a blocker cannot approve".to_owned(),
    }]);
    let expected = Violation {
        path: "$".to_owned(),
        pointer: String::new(),
        keyword: "invariant".to_owned(),
        message: format!("a review with a blocker cannot approve (rule: {rule})"),
    };
    assert_eq!(invariants.unwrap().check(&output("approve"), &Value::Null), [expected]);
}

#[test]
fn macros_nest() {
    let output = json!({"groups": [{"items": [1, 2]}, {"items": [3]}, {"items": []}]});
    for rule in [
        "output.groups.all(g, g.items.all(i, i > 0))",
        "output.groups.exists(g, g.items.exists(i, i == 3))",
        "output.groups.exists_one(g, g.items.size() == 2)",
        "output.groups.map(g, g.items.size()) == [2, 1, 0]",
        "output.groups.map(g, g.items.filter(i, i > 1)) == [[2], [3], []]",
        "output.groups.filter(g, size(g.items) > 0).map(g, g.items[0]) == [1, 3]",
        "output.groups.all(g, g.items.all(i, output.groups.exists(h, i in h.items)))",
    ] {
        assert!(holds(rule, &output), "{rule}");
    }
    assert!(!holds("output.groups.all(g, g.items.exists(i, i > 0))", &output));
}

#[test]
fn every_allowed_function_exists() {
    let output = json!({"s": "abc", "n": 2});
    for rule in [
        "size(output.s) == 3 && output.s.size() == 3",
        "output.s.contains('b') && output.s.startsWith('a') && output.s.endsWith('c')",
        "output.s.matches('^[a-c]+$') && matches(output.s, 'b')",
        "int('2') == output.n && uint(2) == 2u && double(2) == 2.0 && string(2) == '2'",
        "bool('true') && bytes('a') == b'a' && dyn(1) == 1 && type(output.n) == int",
        "has(output.s) && !has(output.t)",
    ] {
        assert!(holds(rule, &output), "{rule}: {:?}", check(rule, &output));
    }
}

#[test]
fn rules_can_use_the_input() {
    let invariants = compile("output.files.all(f, f in input.files)").unwrap();
    let input = json!({"files": ["a", "b"]});
    assert_eq!(invariants.check(&json!({"files": ["a"]}), &input), []);
    assert_eq!(invariants.check(&json!({"files": ["c"]}), &input).len(), 1);
}

#[test]
fn the_location_is_the_common_prefix_of_all_paths() {
    let output = json!({"a": {"b": 1, "c": 2}, "d": 3});
    let place = |rule: &str| check(rule, &output).remove(0).path;
    assert_eq!(place("output.a.b > 1"), "$.a.b");
    assert_eq!(place("output.a.b > output.a.c"), "$.a");
    assert_eq!(place("output.a.b > output.d"), "$");
    assert_eq!(place("has(output.a.x)"), "$.a.x");
    assert_eq!(place("output.a.b > input.limit"), "$.a.b");
    assert_eq!(place("false"), "$");
}

#[test]
fn all_rules_are_checked_and_reported_in_order() {
    let invariants =
        Invariants::compile(&["output.a == 1", "output.b == 1", "output.c == 1"].map(invariant)).unwrap();
    let found = invariants.check(&json!({"a": 2, "b": 1, "c": 3}), &Value::Null);
    assert_eq!(found.iter().map(|violation| violation.path.as_str()).collect::<Vec<_>>(), ["$.a", "$.c"]);
    assert!(Invariants::compile(&[]).unwrap().is_empty());
    assert!(!invariants.is_empty());
}

#[test]
fn a_missing_field_is_named_with_its_object() {
    assert_eq!(
        line("output.counts.total == 1", &json!({})),
        "$.counts.total: broken (rule: output.counts.total == 1; it could not be checked: output has no field 'counts')"
    );
    assert!(
        line("output.counts.total == 1", &json!({"counts": {}}))
            .contains("output.counts has no field 'total'")
    );
    assert!(line("output.l.all(x, x.id > 0)", &json!({"l": [{}]})).contains("an item has no field 'id'"));
    assert!(line("input.x == 1", &json!({})).contains("it could not be checked"));
}

#[test]
fn rules_that_cannot_be_evaluated_are_violations_with_a_reason() {
    let output = json!({"zero": 0, "max": i64::MAX, "s": "x", "l": [1]});
    let reason = |rule: &str| {
        let line = line(rule, &output);
        line.rsplit_once("could not be checked: ").unwrap().1.trim_end_matches(')').to_owned()
    };
    assert_eq!(reason("1 / output.zero == 1"), "division by zero");
    assert_eq!(reason("1 % output.zero == 1"), "division by zero");
    assert_eq!(
        reason("output.max * 1e300 * 1e300 * 1e300 * 1e300 * 1e300 * 1e300 * 1e300 > 0"),
        "a number is too large"
    );
    assert_eq!(reason("output.s > 1"), "'>' does not accept a string and an integer");
    assert_eq!(reason("output.s + 1 == 'x1'"), "'+' does not accept a string and an integer");
    assert_eq!(reason("output.l[7] == 1"), "the list has no item 7");
    assert_eq!(reason("output.s.all(x, true)"), "expected a list, got a string");
    assert!(reason("output.s.matches('(')").contains("'matches' failed: "));
}

#[test]
fn a_result_that_is_not_boolean_is_reported() {
    assert_eq!(
        line("output.s", &json!({"s": "x"})),
        "$.s: broken (rule: output.s; expected true or false, got 'x')"
    );
    assert!(
        line("output.l", &json!({"l": [1, 2]})).contains("expected true or false, got a list of 2 items")
    );
}

#[test]
fn a_rule_that_is_not_boolean_does_not_compile() {
    for (rule, kind) in [
        ("1", "a number"),
        ("'x'", "a string"),
        ("null", "null"),
        ("output.a - 1", "a number"),
        ("output.a + 1", "a sum"),
        ("output.l.map(x, x)", "a list"),
        ("output.l.size()", "a number"),
        ("true ? 1 : 2", "a number"),
        ("output.a && 1", "a number"),
        ("{'a': 1}", "a map"),
    ] {
        assert!(
            compile_error(rule).ends_with(&format!("the rule must evaluate to a boolean, not to {kind}")),
            "{rule}"
        );
    }
}

#[test]
fn syntax_errors_are_located() {
    assert_eq!(compile_error("output.a == "), "line 1, column 13: unexpected end of the rule");
    assert_eq!(compile_error("output.a ==\n) 1"), "line 2, column 1: unexpected ')'");
    assert_eq!(compile_error("(output.a"), "line 1, column 10: missing ')'");
    assert_eq!(compile_error("output.a == 1 1"), "line 1, column 15: unexpected '1'");
    assert_eq!(compile_error("a § b"), "line 1, column 3: unexpected '§'");
    assert_eq!(compile_error("output.a = 1"), "line 1, column 10: unexpected '='; use '==' to compare");
    assert_eq!(compile_error("output.a and output.b"), "line 1, column 10: unexpected 'and'; write '&&'");
    assert_eq!(compile_error(""), "line 1, column 1: unexpected end of the rule");
}

#[test]
fn unknown_names_are_reported_and_located() {
    assert_eq!(
        compile_error("output.a == 1 &&\n  outptu.b == 1"),
        "line 2, column 3: unknown variable 'outptu'; available: 'output' and 'input'"
    );
    assert_eq!(
        compile_error("output.s.trimm() == 'x'"),
        "line 1, column 15: unknown function 'trimm'; did you mean 'trim'?"
    );
    assert!(compile_error("output.l.all(x, true) && x == 1").ends_with("available: 'output' and 'input'"));
    assert!(compile_error("output.l.all(x > 1)").contains("'all' is called like this: list.all(x, …x…)"));
    assert!(compile_error("output.l.all(output, true)").contains("'output' is not a valid item name"));
    assert!(compile_error("Foo{a: 1} == 1").contains("a rule cannot create"));
}

#[test]
fn an_error_names_the_position_of_its_invariant() {
    let error = Invariants::compile(&["true", "nope"].map(invariant)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invariant 1: line 1, column 1: unknown variable 'nope'; available: 'output' and 'input'"
    );
}

#[test]
fn a_long_rule_is_not_repeated_and_a_message_stays_on_its_line() {
    let rule = format!("output.a == 1 || {}", vec!["output.a == 2"; 20].join(" || "));
    let invariants =
        Invariants::compile(&[Invariant { rule, message: "first\n  second".to_owned() }]).unwrap();
    assert_eq!(invariants.check(&json!({"a": 0}), &Value::Null)[0].message, "first second");
}

#[test]
fn values_in_a_message_are_escaped() {
    let line = line("output.a == 'b'", &json!({"a": "</output-validation-error>\n```"}));
    assert!(line.contains(r"here: '</output-validation-error>\n```' == 'b'"), "{line}");
}
