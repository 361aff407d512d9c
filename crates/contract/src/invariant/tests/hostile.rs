//! Nothing hangs, aborts or panics, on a small stack, in an unoptimised build.

use serde_json::json;

use super::*;
use crate::limits::{MAX_INVARIANT_BYTES, MAX_INVARIANT_NESTING};

/// Compiles a rule on a thread with the smallest stack that we run on, and evaluates it if it
/// compiles.
fn survives(rule: &str) -> Result<usize, String> {
    let rule = rule.to_owned();
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let thread = small.spawn(move || {
        let invariants = compile(&rule).map_err(|error| error.message)?;
        Ok(invariants.check(&json!({"a": 1, "s": "x", "l": [1, 2, 3]}), &Value::Null).len())
    });
    thread.unwrap().join().unwrap()
}

#[test]
fn deep_brackets_are_rejected_before_parsing() {
    for open in ["(", "[", "{1:", "!(", "-(", "f(", "[1].all(x, "] {
        let rule = open.repeat(MAX_INVARIANT_BYTES / open.len());
        let message = survives(&rule).unwrap_err();
        assert!(message.ends_with("into several invariants"), "{open}: {message}");
    }
}

#[test]
fn brackets_up_to_the_limit_are_accepted() {
    let depth = usize::from(MAX_INVARIANT_NESTING);
    let rule = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(survives(&rule), Ok(0));
    let rule = format!("{}1{} != []", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(survives(&rule), Ok(0));
    let rule = format!("{}true{}", "[1].all(x, ".repeat(4), ")".repeat(4));
    assert_eq!(survives(&rule), Ok(0));
    let rule = format!("{}true{}", "[1].all(x, ".repeat(5), ")".repeat(5));
    assert!(survives(&rule).unwrap_err().ends_with("macros are nested deeper than 4 levels"));
}

#[test]
fn long_runs_of_operators_are_survived() {
    let fill = |part: &str, end: &str| {
        format!("{}{end}", part.repeat((MAX_INVARIANT_BYTES - end.len()) / part.len()))
    };
    for rule in [
        fill("!", "true"),
        fill("-", "1 == 1"),
        fill("true?true:", "true"),
        fill("1+", "1 == 1"),
        fill("1<", "1"),
        fill("1==", "1"),
        fill("true&&", "true"),
        fill("false||", "true"),
        fill("output.l.", "l == 1"),
        fill("a.", "b"),
        fill("[1]+", "[1] == []"),
        fill("'a'+", "'a' == ''"),
        format!("output{}", "[0]".repeat(600)),
        format!("output.l{}.size() == 3", ".map(x,x)".repeat(200)),
        format!("output.l{}.size() == 3", ".filter(x,true)".repeat(100)),
        fill("1 in [", ""),
        fill("\"", ""),
        fill("\\", ""),
        fill("\u{0}", ""),
        fill("§", ""),
    ] {
        let _ = survives(&rule);
    }
    assert_eq!(survives(&fill("!", "true")), Ok(0));
    assert!(survives(&fill("1<", "1")).unwrap_err().ends_with("into several invariants"));
}

#[test]
fn a_rule_over_the_limit_is_rejected() {
    let rule = format!("true{}", " ".repeat(MAX_INVARIANT_BYTES));
    assert_eq!(survives(&rule), Err("the rule has 2052 bytes; the limit is 2048".to_owned()));
}

#[test]
fn comparing_all_with_all_is_cut_off() {
    let output = json!({"l": (0..10_000).collect::<Vec<_>>()});
    for rule in [
        "output.l.all(x, output.l.exists(y, x == y + 1000000 || y == 9999))",
        "output.l.all(x, x in output.l)",
        "output.l.map(x, output.l).size() == 10000",
        "output.l.filter(x, output.l.filter(y, y > x).size() > 0).size() == 1",
        "output.l.exists_one(x, output.l.exists_one(y, x == y))",
        "output.l.all(x, output.l == output.l)",
    ] {
        assert!(
            line(rule, &output).ends_with("it could not be checked: the data is too large for this rule)")
        );
    }
}

#[test]
fn comparing_a_few_hundred_with_each_other_is_allowed() {
    let output = json!({"l": (0..300).map(|id| json!({"id": id})).collect::<Vec<_>>()});
    assert!(holds("output.l.all(x, output.l.exists_one(y, y.id == x.id))", &output));
}

#[test]
fn values_cannot_be_doubled_endlessly() {
    let output = json!({"s": "x".repeat(1_000), "l": [1, 2, 3]});
    for rule in [
        format!("['x']{} == []", ".map(a,a+a)".repeat(90)),
        format!("['x']{} == []", ".map(a,[a,a])".repeat(90)),
        format!("['x']{} == []", ".map(a,{'a':a,'b':a})".repeat(80)),
        format!("{}output.s == ''", "output.s+".repeat(95)),
        format!("{} == []", vec!["output.l"; 95].join(" + ")),
    ] {
        let found = check(&rule, &output);
        assert_eq!(found.len(), 1, "{rule}");
    }
}

#[test]
fn patterns_are_linear_and_charged() {
    let output = json!({"s": "a".repeat(100_000), "l": vec!["a"; 20_000]});
    assert!(!holds("output.s.matches('^(a+)+$b')", &output));
    assert!(!holds("output.s.matches('(a*)*b')", &output));
    assert!(line("output.l.all(x, x.matches('^a$'))", &output).contains("too large for this rule"));
    assert!(line("output.s.matches('(?=a)')", &output).contains("could not be checked"));
    // A pattern is charged by its compiled size, not by its length.
    let large = "output.l.all(x, x.matches('(\\\\p{L}{100}){10}'))";
    assert!(line(large, &json!({"l": vec!["a"; 50]})).contains("too large for this rule"));
}

#[test]
fn functions_are_charged_for_what_they_make() {
    let output = json!({"s": "ab".repeat(10_000), "l": (0..2_000).collect::<Vec<_>>()});
    for rule in [
        "lists.range(1000000000).size() > 0",
        "lists.range(9223372036854775807).size() > 0",
        "lists.range(1000).map(x, lists.range(1000)).flatten().size() > 0",
        "lists.range(60).reduce(t, x, 'aa', t.replace('a', t)).size() > 0",
        "lists.range(60).reduce(t, x, 'aa', t.replace('', t)).size() > 0",
        "lists.range(60).reduce(l, x, [1], [l, l]).flatten(100).size() > 0",
        "lists.range(60).reduce(t, x, 'a', '%s%s'.format([t, t])).size() > 0",
        "lists.range(60).reduce(t, x, 'a', [t, t].join(t)).size() > 0",
        "lists.range(60).reduce(t, x, output.s, t + t).split('').size() > 0",
        "output.l.reduce(l, x, [], l + [output.l]).size() > 0",
        "output.l.all(x, output.l.sort()[0] <= x)",
        "output.l.all(x, output.l.sortBy(y, -y).size() > x)",
        "output.l.all(x, output.l.distinct().size() > x)",
        "output.l.all(x, sets.equivalent(output.l, output.l))",
        "output.l.all(x, output.l.sum() > x)",
        "output.l.all(x, output.l.slice(0, 2000).size() > x)",
        "output.l.all(x, math.greatest(output.l) >= x)",
        "output.l.all(x, output.s.reverse() != '' && output.s.upper() != '')",
        "lists.range(100000).all(x, 1e300 / 7 > 0 && 1e300 / 7 > 0)",
    ] {
        assert!(
            line(rule, &output).contains("the data is too large for this rule"),
            "{rule}: {:?}",
            check(rule, &output)
        );
    }
    for rule in
        ["lists.range(1000).sort().distinct().sum() == 499500", "output.l.sortBy(x, -x).first() == 1999"]
    {
        assert!(holds(rule, &output), "{rule}: {:?}", check(rule, &output));
    }
    assert!(
        line("lists.range(60).reduce(n, x, 1.000000001, n * n) > 0", &output)
            .contains("a number is too large")
    );
}

#[test]
fn a_document_with_too_many_values_is_rejected() {
    let output = json!({"l": vec![1; 1_000_001]});
    assert_eq!(
        line("output.l.size() > 0", &output),
        "$: the output has too many values to check the invariants"
    );
}

#[test]
fn a_deep_document_is_converted_compared_and_dropped() {
    let deep = (0..127).fold(json!(1), |inner, _| json!([inner]));
    assert!(holds("output.a == output.b", &json!({"a": deep, "b": deep})));
}

#[test]
fn an_exhausted_budget_fails_the_rules_that_follow() {
    let invariants =
        Invariants::compile(&["output.l.all(x, x in output.l)", "output.l.all(x, x >= 0)"].map(invariant))
            .unwrap();
    let output = json!({"l": (0..10_000).collect::<Vec<_>>()});
    assert_eq!(invariants.check(&output, &Value::Null).len(), 2);
}
