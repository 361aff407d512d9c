//! What each function gives, what it says of wrong arguments, and that `docs/guides/rules.md` is right about it.

use proptest::prelude::*;
use serde_json::json;

use super::super::functions;
use super::*;

const GUIDE: &str = include_str!("../../../../../docs/guides/rules.md");

/// Whether two expressions are equal, and of the same type.
fn same(left: &str, right: &str) -> String {
    format!("({left}) == ({right}) && type({left}) == type({right})")
}

/// The rows of the guide with an example and its result.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let code = |cell: &'static str| cell.trim().strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
    GUIDE.lines().filter_map(move |line| {
        let mut cells = line.trim_matches('|').rsplit(" | ");
        let (result, example) = (cells.next()?, cells.next()?);
        Some((code(example)?, code(result)?))
    })
}

#[test]
fn every_example_of_the_guide_is_right() {
    let mut count = 0;
    for (example, result) in examples() {
        let found = match result.strip_prefix("error: ") {
            Some(message) => line(&format!("[{example}] == []"), &json!({})).contains(message),
            None => holds(&same(example, result), &json!({})),
        };
        assert!(found, "{example} is not {result}: {:?}", check(&same(example, result), &json!({})));
        count += 1;
    }
    assert!(count > 80, "{count} examples");
}

#[test]
fn every_function_is_in_the_guide_and_every_function_of_the_guide_exists() {
    let named: Vec<&str> = GUIDE
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name))
        .collect();
    for function in functions::all() {
        assert!(named.contains(&function.name), "docs/guides/rules.md does not list {}", function.name);
        let last = function.name.rsplit('.').next().unwrap();
        let is_called = |example: &str| example.contains(&format!("{last}("));
        assert!(
            examples().any(|(example, _)| is_called(example)),
            "docs/guides/rules.md has no example of {}",
            function.name
        );
    }
    for (name, _) in functions::MACROS {
        assert!(named.contains(name), "docs/guides/rules.md does not list {name}");
    }
    let known = |name: &str| functions::all().any(|function| function.name == name);
    let is_macro = |name: &str| functions::MACROS.iter().any(|(known, _)| *known == name);
    let is_name =
        |name: &&&str| name.chars().all(|letter| letter.is_ascii_alphabetic() || "._".contains(letter));
    for name in named.iter().filter(is_name) {
        assert!(
            known(name) || is_macro(name) || *name == "in",
            "{name} of docs/guides/rules.md does not exist"
        );
    }
}

#[test]
fn functions_give_what_they_should() {
    for (example, result) in [
        // Numbers.
        ("[1, 2.5].sum()", "3.5"),
        ("[].sum()", "0"),
        ("sum([9223372036854775807, 1]) - 1", "9223372036854775807"),
        ("min(3, 1.5, 2)", "1.5"),
        ("['b', 'a'].min()", "'a'"),
        ("max(7)", "7"),
        ("abs(-9223372036854775807 - 1) - 1", "9223372036854775807"),
        ("round(-2.5)", "-3.0"),
        ("round(1250, -2)", "1300"),
        ("math.trunc(-2.9)", "-2.0"),
        ("1 / 3.0 * 3 == 1", "false"),
        ("7 / 2", "3"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "-1"),
        ("7.5 % 2", "1.5"),
        ("2u + 1", "3"),
        ("0.1 + 0.2", "0.3"),
        ("1.1 * 1.1", "1.21"),
        ("0.3 - 0.1", "0.2"),
        ("-.5 + .25", "-0.25"),
        ("[-0.5, -0.12345678901234567890123, - 0.5].sum()", "-1.12345678901234567890123"),
        ("1e300 * 1e300 / 1e300", "1e300"),
        ("1e-400 > 0", "true"),
        ("0.12345678901234567890123 - 0.12345678901234567890122", "1e-23"),
        ("[1, 2.0] == [1.0, 2]", "true"),
        ("{'a': 1.0} == {'a': 1}", "true"),
        ("1.0 in [1, 2]", "true"),
        ("1 < 1.0000000000000000001", "true"),
        ("[10, 20][2.0 - 1]", "20"),
        // Lists.
        ("[3, 1.5, 2].sort()", "[1.5, 2, 3]"),
        ("[].sort()", "[]"),
        ("[1, 1.0, 2, {'a': 1}, {'a': 1.0}].distinct()", "[1, 2, {'a': 1}]"),
        ("['a', 'a '].distinct()", "['a', 'a ']"),
        ("[[1, [2]], 3].flatten(5)", "[1, 2, 3]"),
        ("[[1, [2]], 3].flatten(0)", "[[1, [2]], 3]"),
        ("['bb', 'a', 'cc', 'd'].sortBy(x, x.size())", "['a', 'd', 'bb', 'cc']"),
        ("[1, 2, 3].reduce(list, x, [], list + [x * 2])", "[2, 4, 6]"),
        ("[].reduce(total, x, 7, total + x)", "7"),
        ("[1, 2].reduce(total, x, 0, total + [x].reduce(inner, y, 1, inner * y))", "3"),
        ("lists.range(0)", "[]"),
        // Texts.
        ("'a,b,,c'.split(',')", "['a', 'b', '', 'c']"),
        ("'日本'.split('')", "['日', '本']"),
        ("'abc'.split('', 2)", "['a', 'bc']"),
        ("'a b c'.split(' ', 2)", "['a', 'b c']"),
        ("'a b'.split(' ', 0)", "[]"),
        ("'a b'.split(' ', -1)", "['a', 'b']"),
        ("'日本語'.charAt(3)", "''"),
        ("'日本語本'.indexOf('本', 2)", "3"),
        ("'日本語本'.lastIndexOf('本', 2)", "1"),
        ("'abab'.lastIndexOf('ab')", "2"),
        ("'日本語'.substring(1, 2)", "'本'"),
        ("'aaa'.replace('a', 'b', 2)", "'bba'"),
        ("'ab'.replace('', '-')", "'-a-b-'"),
        ("strings.quote('a\"\\n')", "'\"a\\\\\"\\\\n\"'"),
        (
            "'%s|%d|%.2f|%x|%X|%o|%b|%%'.format(['a', 2.0, 1.005, 255, 255, 8, -2])",
            "'a|2|1.00|ff|FF|10|-10|%'",
        ),
        ("'%f'.format([0.1])", "'0.100000'"),
        // Times.
        ("timestamp('2026-01-31T00:00:00Z') + duration('24h')", "timestamp('2026-02-01T00:00:00Z')"),
        ("timestamp('2026-01-31T01:00:00+01:00')", "date('2026-01-31')"),
        ("date('2026-03-01') - date('2026-02-01')", "duration('672h')"),
        ("date(timestamp('2026-01-31T12:34:56Z'))", "date('2026-01-31')"),
        ("timestamp('2026-01-31T23:30:00Z').getDate('+01:00')", "1"),
        ("duration('90m').getHours()", "1"),
        ("-duration('1s') < duration('0s')", "true"),
        ("string(duration('90m'))", "'5400s'"),
        ("int(timestamp(86400))", "86400"),
        // Types.
        ("string(1.50)", "'1.5'"),
        ("int('12') + int(2.9)", "14"),
        ("type(1.0) == double && type(1) == int && type(2u) == uint", "true"),
        ("double(10) / 4", "2.5"),
        ("size(b'abc') + size({'a': 1})", "4"),
        ("bytes('a') + b'b'", "b'ab'"),
        ("string(b'ab')", "'ab'"),
    ] {
        let rule = same(example, result);
        assert!(holds(&rule, &json!({})), "{example}: {:?}", check(&rule, &json!({})));
    }
}

#[test]
fn a_function_with_wrong_arguments_says_what_it_got() {
    let output = json!({"s": "x", "n": 5, "d": 1.5, "l": [1, "x", null], "o": {}, "none": null});
    for (call, message) in [
        ("output.l.sum()", "'sum' does not accept a list with a string ('x') at index 1; write list.sum()"),
        ("output.s.sum()", "'sum' does not accept a string; write list.sum()"),
        ("[output.none].sum()", "'sum' does not accept a list with null at index 0; write list.sum()"),
        (
            "output.l.sort()",
            "'sort' does not accept a list with a string ('x') at index 1; write list.sort()",
        ),
        ("[output.none].sort()", "'sort' does not accept a list with null at index 0; write list.sort()"),
        (
            "output.l.min()",
            "'min' does not accept a list with a string ('x') at index 1; write min(a, b) or list.min()",
        ),
        ("[].max()", "'max' failed: the list is empty"),
        ("[].first()", "'first' failed: the list is empty"),
        (
            "output.l.join()",
            "'join' does not accept a list with an integer (1) at index 0; write list.join() or list.join(separator)",
        ),
        (
            "output.n.split(',')",
            "'split' does not accept an integer and a string; write text.split(separator) or text.split(separator, parts)",
        ),
        ("abs(output.s)", "'abs' does not accept a string; write abs(number)"),
        (
            "round(output.d, output.d)",
            "'round' does not accept a decimal number and a decimal number; write round(number) or round(number, places)",
        ),
        ("output.s.charAt(2)", "'charAt' failed: a string of 1 characters has no position 2"),
        ("output.s.substring(1, 0)", "'substring' failed: the end is before the start"),
        ("output.l.slice(2, 9)", "'slice' failed: a list of 3 items has no part from 2 to 9"),
        ("lists.range(-1)", "'lists.range' failed: the size is negative: -1"),
        ("date(output.s)", "'date' failed: 'x' is not a date such as 2026-01-31"),
        ("timestamp(output.s)", "'timestamp' failed: 'x' is not a timestamp such as 2026-01-31T12:00:00Z"),
        ("duration(output.s)", "'duration' failed: 'x' is not a duration such as 1h30m"),
        ("timestamp(9223372036854775807)", "'timestamp' failed: a time is out of range"),
        ("date('9999-12-30') + duration('48h')", "a time is out of range"),
        (
            "date('2026-01-01').getDate('Mars')",
            "'getDate' failed: 'Mars' is not a time zone; write 'UTC' or an offset such as '+02:00'",
        ),
        ("int(output.s)", "'int' failed: 'x' is not a number"),
        ("int('1.5')", "'int' failed: 1.5 is not an integer"),
        ("uint(-1)", "'uint' failed: -1 is not between 0 and 18446744073709551615"),
        ("double('NaN')", "'double' failed: 'NaN' is not a number"),
        ("bool('yes')", "'bool' failed: 'yes' is neither 'true' nor 'false'"),
        ("string(output.o)", "'string' does not accept an object; write string(value)"),
        ("'%d'.format(['x'])", "'format' failed: %d does not accept 'x'"),
        ("'%d'.format([])", "'format' failed: there are fewer values than directives"),
        ("'%q'.format([1])", "'format' failed: '%' is followed by none of s, d, f, x, X, o, b and %"),
        ("''.format([1])", "'format' failed: there are more values than directives"),
        ("output.s.matches('(')", "'matches' failed: '(' is not a pattern: unclosed group"),
        ("['a', 1].sortBy(x, x)", "'sortBy' failed: the keys have no common order"),
        ("output.s + 1", "'+' does not accept a string and an integer"),
        ("output.s < 1", "'<' does not accept a string and an integer"),
        ("-output.s", "'-' does not accept a string"),
        ("1 in output.s", "'in' does not accept an integer and a string"),
        ("1.0 / (0.1 - 0.1)", "division by zero"),
        ("1e300 * 1e300 * 1e300 * 1e300 * 1e300 * 1e300 * 1e300", "a number is too large"),
    ] {
        // In a list, so that every kind of result compiles; a violation whatever the result is compared with.
        for rule in [format!("[{call}] == []"), format!("[{call}] != []")] {
            assert!(
                line(&rule, &output).ends_with(&format!("could not be checked: {message})")),
                "{}",
                line(&rule, &output)
            );
        }
    }
}

#[test]
fn a_wrong_call_is_an_error_that_names_what_is_meant() {
    for (rule, message) in [
        ("[1].summ() == 1", "unknown function 'summ'; did you mean 'sum'?"),
        ("output.s.len() == 1", "unknown function 'len'; did you mean 'size'?"),
        ("output.s.toLowerCase() == ''", "unknown function 'toLowerCase'; did you mean 'lower'?"),
        ("ceil(1.5) == 2", "unknown function 'ceil'; did you mean 'math.ceil'?"),
        ("math.greates(1, 2) == 2", "unknown function 'math.greates'; did you mean 'math.greatest'?"),
        ("math.max(1, 2) == 2", "unknown function 'math.max'; did you mean 'max'?"),
        ("output.l.exist(x, x)", "unknown function 'exist'; did you mean 'exists'?"),
        ("output.l.any(x, x)", "unknown function 'any'; did you mean 'exists'?"),
        ("now() > output.t", "unknown function 'now'; docs/guides/rules.md lists the functions"),
        (
            "split('a') == []",
            "'split' takes 2 to 3 arguments, got 1; write text.split(separator) or text.split(separator, parts)",
        ),
        ("math.abs(1, 2) == 1", "'math.abs' takes 1 argument, got 2; write math.abs(number)"),
        ("min() == 1", "'min' takes 1 or more arguments, got 0; write min(a, b) or list.min()"),
        ("[1].reduce(x, 0, x) == 0", "'reduce' is called like this: list.reduce(total, x, 0, total + …x…)"),
        ("output.l.sortBy(x) == []", "'sortBy' is called like this: list.sortBy(x, …x…)"),
        ("[1].reduce(x, x, 0, x) == 0", "the two names of 'reduce' must differ"),
        ("[1].reduce(output, x, 0, x) == 0", "'output' is not a valid item name"),
    ] {
        let error = compile_error(rule);
        assert!(error.ends_with(message), "{rule}: {error}");
    }
}

#[test]
fn a_namespace_is_no_variable_but_a_variable_may_have_its_name() {
    assert!(compile_error("math > 1").contains("unknown variable 'math'"));
    let condition =
        crate::Condition::compile("sets.contains(1) && sets.contains([1, 2], [1])", &["sets"]).unwrap();
    let sets = json!([1]);
    assert_eq!(condition.holds(&[("sets", &sets)], &accord_json::Meter::default()), Ok(true));
}

#[test]
fn functions_are_called_in_front_or_behind() {
    let output = json!({"s": " a ", "l": [2, 1]});
    for rule in [
        "trim(output.s) == output.s.trim() && 'a' == output.s.trim()",
        "sort(output.l) == output.l.sort() && sum(output.l) == output.l.sum()",
        "split('a b', ' ') == ['a', 'b'] && matches('a', 'a')",
    ] {
        assert!(holds(rule, &output), "{rule}");
    }
}

/// An invoice as people write it, with amounts that binary numbers cannot hold.
fn invoice(total: &str) -> Value {
    let text = format!(
        r#"{{"number": "2026-0017", "issued": "2026-03-02", "due": "2026-04-01", "currency": "EUR", "lines": [
            {{"text": "Consulting", "quantity": 3, "price": 80.10, "amount": 240.30}},
            {{"text": "Travel", "quantity": 1, "price": 0.1, "amount": 0.1}},
            {{"text": "Hosting", "quantity": 12, "price": 0.70, "amount": 8.40}},
            {{"text": "Discount", "quantity": 1, "price": -10, "amount": -10}}],
            "net": 238.80, "vat_rate": 0.19, "vat": 45.37, "total": {total}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_rules_of_an_invoice_hold_to_the_cent() {
    for rule in [
        "output.net == output.lines.map(line, line.amount).sum()",
        "output.net == output.lines.reduce(sum, line, 0, sum + line.amount)",
        "output.lines.all(line, line.amount == line.quantity * line.price)",
        "output.vat == round(output.net * output.vat_rate, 2)",
        "output.total == output.net + output.vat",
        "date(output.due) - date(output.issued) <= duration('720h')",
        "output.lines.map(line, line.text).distinct().size() == output.lines.size()",
        "output.number.split('-')[0] == string(date(output.issued).getFullYear())",
    ] {
        assert!(holds(rule, &invoice("284.17")), "{rule}: {:?}", check(rule, &invoice("284.17")));
    }
    let rule = "output.total == output.net + output.vat";
    assert_eq!(
        line(rule, &invoice("284.18")),
        "$: broken (rule: output.total == output.net + output.vat; here: 284.18 == 284.17)"
    );
}

#[test]
fn rules_with_functions_report_the_fields_they_read() {
    let reads = |text: &str| -> Vec<String> {
        let condition = crate::Condition::compile(text, &["output", "input"]).unwrap();
        condition.reads().iter().map(|(name, place)| place.path().replacen('$', name, 1)).collect()
    };
    for (rule, expected) in [
        (
            "output.total == output.lines.map(l, l.amount).sum()",
            &["output.total", "output.lines", "output.lines[0].amount"][..],
        ),
        (
            "output.lines.reduce(s, l, input.start, s + l.amount) > 0",
            &["output.lines", "input.start", "output.lines[0].amount"],
        ),
        (
            "output.lines.sortBy(l, l.amount).all(l, l.text != '')",
            &["output.lines", "output.lines[0].amount", "output.lines[0]", "output.lines[0].text"],
        ),
        (
            "output.lines.filter(l, l.a).all(m, m.b)",
            &["output.lines", "output.lines[0].a", "output.lines[0]"],
        ),
        (
            "output.lines.first().text == output.lines.reverse().last().kind",
            &["output.lines[0].text", "output.lines[0].kind"],
        ),
        ("math.greatest(output.a, input.b) > 1", &["output.a", "input.b"]),
        ("output.lines.map(l, [1, l]).all(p, p.x)", &["output.lines", "output.lines[0]"]),
    ] {
        assert_eq!(reads(rule), expected, "{rule}");
    }
}

proptest! {
    #[test]
    fn the_sum_of_decimals_is_exact(cents in prop::collection::vec(-1_000_000i64..1_000_000, 0..30)) {
        let money = |cents: i64| {
            let sign = if cents < 0 { "-" } else { "" };
            format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
        };
        let list: Vec<String> = cents.iter().map(|cents| money(*cents)).collect();
        let total: i64 = cents.iter().sum();
        let backwards: Vec<String> = list.iter().rev().cloned().collect();
        let text = format!(
            r#"{{"list": [{}], "other": [{}], "total": {}}}"#, list.join(","), backwards.join(","), money(total)
        );
        let output = serde_json::from_str(&text).unwrap();
        for rule in [
            "output.list.sum() == output.total",
            "output.list.sum() == output.other.sum() && output.list.sort() == output.other.sort()",
            "output.list.reduce(total, x, 0, total + x) == output.total",
            "output.list == [] || output.list.max() == output.list.sort().last()",
            "output.list == [] || output.list.min() == output.list.sort()[0]",
            "sets.equivalent(output.list, output.other) && output.list.distinct().size() == output.other.distinct().size()",
        ] {
            prop_assert!(holds(rule, &output), "{}: {:?}", rule, check(rule, &output));
        }
    }

    #[test]
    fn sorting_by_a_key_is_sorted_and_stable(keys in prop::collection::vec(0u8..5, 0..40)) {
        let items: Vec<Value> = keys.iter().enumerate().map(|(at, key)| json!({"key": key, "at": at})).collect();
        let mut sorted = items.clone();
        sorted.sort_by_key(|item| item["key"].as_u64());
        let output = json!({"items": items, "sorted": sorted, "keys": keys});
        prop_assert!(holds("output.items.sortBy(x, x.key) == output.sorted", &output));
        prop_assert!(holds("output.keys.sort() == output.sorted.map(x, x.key)", &output));
    }

    #[test]
    fn texts_are_what_they_were_after_splitting_and_joining(text in "\\PC{0,30}", separator in "[a-c,]{1,2}") {
        let output = json!({"text": text, "separator": separator});
        for rule in [
            "output.text.split(output.separator).join(output.separator) == output.text",
            "output.text.split('').join() == output.text && output.text.reverse().reverse() == output.text",
            "output.text.replace(output.separator, output.separator) == output.text",
            "output.text.substring(0, output.text.size()) == output.text",
        ] {
            prop_assert!(holds(rule, &output), "{}: {:?}", rule, check(rule, &output));
        }
    }
}
