//! Rules see the values of the answer unchanged.

use serde_json::json;

use super::*;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn numbers_keep_their_kind_and_their_value() {
    for (output, rule) in [
        (r#"{"n": 41}"#, "output.n + 1 == 42"),
        (r#"{"n": -9223372036854775808}"#, "output.n < -9223372036854775807"),
        (r#"{"n": 18446744073709551615}"#, "output.n == 18446744073709551615u"),
        (r#"{"n": 1.5}"#, "output.n * 2.0 == 3.0"),
        (r#"{"n": 1e3}"#, "output.n == 1000.0 && output.n == 1000"),
        (r#"{"n": 100000000000000000000}"#, "output.n == 1e20"),
        (r#"{"n": 9007199254740993}"#, "output.n != 9007199254740992"),
    ] {
        assert!(holds(rule, &parsed(output)), "{rule} over {output}: {:?}", check(rule, &parsed(output)));
    }
}

#[test]
fn numbers_are_not_rounded() {
    let output = parsed(
        r#"{"ok": true, "n": 100000000000000000001, "same": 100000000000000000001, "near": 1e20,
            "more": 100000000000000000002, "list": [1, 100000000000000000001], "endless": -1e999}"#,
    );
    for rule in [
        "output.ok",
        "output.list.size() == 2",
        "output.n == output.same && output.n in output.list",
        "output.n != output.near && output.near != output.n && output.n != output.more",
        "output.n != 0 && 0u != output.n && output.endless != output.n",
        "has(output.n) && output.list[0] < 2",
        "output.list == [1, output.n]",
    ] {
        assert!(holds(rule, &output), "{rule}: {:?}", check(rule, &output));
    }
    for rule in [
        "output.n > 0 && 0.5 < output.n && output.n < output.more && output.endless < -1",
        "output.n - output.near == 1 && output.more + -output.n == 1",
        "output.list.all(x, x >= 1) && output.list.sum() == output.more",
        "output.n % 10 == 1 && int(output.n / 1e20) == 1",
    ] {
        assert!(holds(rule, &output), "{rule}: {:?}", check(rule, &output));
    }
    assert!(line("output.n", &output).contains("expected true or false, got 100000000000000000001"));
}

#[test]
fn decimals_that_differ_are_not_equal() {
    let output = parsed(
        r#"{"a": 0.12345678901234567890, "same": 1.234567890123456789e-1, "b": 0.12345678901234567891, "plain": 0.10}"#,
    );
    for rule in [
        "output.a == output.same && output.a != output.b && output.b != output.a",
        "output.a in [output.same] && !(output.a in [output.b, 0.5])",
        "output.a != 0.12345678901234568 && output.plain == 0.1",
        "output.a > 0.1 && 0.2 > output.a && output.a <= output.b && -output.a < 0",
        "output.a + 1.0 > 1.1 && 2.0 * output.a < 0.3 && double(output.a) < 1.0",
        "[output.a, output.b].all(x, x < 1)",
    ] {
        assert!(holds(rule, &output), "{rule}: {:?}", check(rule, &output));
    }
}

#[test]
fn an_unused_document_is_not_read() {
    let invariants = compile("output.a == 1").unwrap();
    assert_eq!(invariants.check(&json!({"a": 1}), &parsed("1e999")), []);
}

#[test]
fn text_of_any_language_is_counted_in_characters() {
    let output = json!({"naïve": "日本語", "s": "e\u{301}"});
    assert!(holds("output.s.size() == 2", &output));
    assert!(holds("output['naïve'] == '日本語' && size(output['naïve']) == 3", &output));
    assert!(compile_error("'日本語' == nope").starts_with("line 1, column 10: unknown variable 'nope'"));
}

#[test]
fn null_and_booleans_are_unchanged() {
    let output = json!({"n": null, "t": true});
    assert!(holds("output.n == null && output.t && !has(output.x)", &output));
}
