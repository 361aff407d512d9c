//! Templates that try to overflow the stack, to hang or to fill the memory. Each runs on a thread
//! with the smallest stack that we run on, so that an overflow ends the tests.

use super::*;

/// The smallest stack that we run on: that of the test runner's threads. The tests need less than
/// half of it.
const STACK: usize = 2 * 1024 * 1024;

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

/// Repeated text: prefix, opening fragment, core, closing fragment, suffix.
const SHAPES: &[[&str; 5]] = &[
    ["{{ ", "-", "1", "", " }}"],
    ["{{ ", "- ", "1", "", " }}"],
    ["{{ ", "not ", "1", "", " }}"],
    ["{{ ", "(", "1", ")", " }}"],
    ["{{ ", "[", "1", "]", " }}"],
    ["{{ ", "{'a':", "1", "}", " }}"],
    ["{{ ", "(1,", "1", ")", " }}"],
    ["{{ 1", "+1", "", "", " }}"],
    ["{{ 1", "-1", "", "", " }}"],
    ["{{ 1", "*1", "", "", " }}"],
    ["{{ 1", "/1", "", "", " }}"],
    ["{{ 1", "//1", "", "", " }}"],
    ["{{ 1", "%1", "", "", " }}"],
    ["{{ 1", "**1", "", "", " }}"],
    ["{{ 1", "~1", "", "", " }}"],
    ["{{ 1", " and 1", "", "", " }}"],
    ["{{ 1", " or 1", "", "", " }}"],
    ["{{ 1", "==1", "", "", " }}"],
    ["{{ 1", "<1", "", "", " }}"],
    ["{{ 1", " in [1]", "", "", " }}"],
    ["{{ 1", " not in [1]", "", "", " }}"],
    ["{{ 1", " is odd", "", "", " }}"],
    ["{{ 1", " is not odd", "", "", " }}"],
    ["{{ 1", " is divisibleby 1", "", "", " }}"],
    ["{{ 1", " is eq(1)", "", "", " }}"],
    ["{{ x", ".a", "", "", " }}"],
    ["{{ x", "[0]", "", "", " }}"],
    ["{{ x", "[0:1]", "", "", " }}"],
    ["{{ x", "['a']", "", "", " }}"],
    ["{{ x", "()", "", "", " }}"],
    ["{{ x", ".a()", "", "", " }}"],
    ["{{ x", "(1)", "", "", " }}"],
    ["{{ x", "|length", "", "", " }}"],
    ["{{ x", "|length|string", "", "", " }}"],
    ["{{ x", "|default(1)", "", "", " }}"],
    ["{{ x", "|join('-')", "", "", " }}"],
    ["{{ ", "x[", "0", "]", " }}"],
    ["{{ ", "x(", "0", ")", " }}"],
    ["{{ ", "x(a=", "0", ")", " }}"],
    ["{{ ", "x(*", "0", ")", " }}"],
    ["{{ ", "x(**", "0", ")", " }}"],
    ["{{ ", "1|default(", "0", ")", " }}"],
    ["{{ ", "1 is eq(", "0", ")", " }}"],
    ["{{ ", "x.a[", "0", "]", " }}"],
    ["{{ ", "[1, ", "0", ", 2]", " }}"],
    ["{{ ", "not (", "0", ")", " }}"],
    ["{{ ", "-(", "0", ")", " }}"],
    ["{{ ", "1 if 1 else ", "1", "", " }}"],
    ["{{ 1", " if 1", "", "", " }}"],
    ["{{ ", "(1 if 1 else ", "1", ")", " }}"],
    ["{{ ", "'a' ", "'b'", "", " }}"],
    ["{% if 1 %}", "{% elif 1 %}", "", "", "{% endif %}"],
    ["", "{% if 1 %}", "x", "{% endif %}", ""],
    ["", "{% if 1 %}{% else %}", "x", "{% endif %}", ""],
    ["", "{% for a in [1] %}", "x", "{% endfor %}", ""],
    ["", "{% for a in [1] %}{% else %}", "x", "{% endfor %}", ""],
    ["", "{% for a in [1] if a %}", "x", "{% endfor %}", ""],
    ["", "{% with a=1 %}", "x", "{% endwith %}", ""],
    ["", "{% set a %}", "x", "{% endset %}", ""],
    ["", "{% filter upper %}", "x", "{% endfilter %}", ""],
    ["", "{% autoescape true %}", "x", "{% endautoescape %}", ""],
    ["{% filter upper", "|upper", "", "", " %}x{% endfilter %}"],
    ["{% set ", "(", "a", ")", " = 1 %}"],
    ["{% for ", "(", "a", ",)", " in [1] %}{% endfor %}"],
    ["{% with ", "(", "a", ")", " = 1 %}{% endwith %}"],
    ["{% set a", ".a", "", "", " = 1 %}"],
    ["", "{% set a = [a, a] %}", "", "", "{{ a == a }}"],
    ["{% do x", "()", "", "", " %}"],
    ["", "{{ 1 }}", "", "", ""],
    ["", "{% raw %}", "", "", ""],
    ["", "{#", "", "", ""],
    ["", "{{", "", "", ""],
    ["", "{%", "", "", ""],
    ["", "{% endif %}", "", "", ""],
    ["", "{% macro a() %}", "x", "{% endmacro %}", ""],
    ["", "{% block a %}", "x", "{% endblock %}", ""],
];

fn repeated([beginning, front, middle, back, end]: &[&str; 5], times: usize) -> String {
    [beginning, front.repeat(times).as_str(), middle, back.repeat(times).as_str(), end].concat()
}

/// Uses a template in every way.
fn used(source: &str) -> Result<Value, String> {
    let variables = variables();
    let _ = (uses(source), unknown_names(source), uses_variable(source, "x"), prompt(source, &variables));
    value(source, &variables)
}

#[test]
fn no_shape_of_a_template_overflows_the_stack() {
    assert!(SHAPES.len() >= 64);
    on_a_small_stack(|| {
        for shape in SHAPES {
            for times in [1, 10, 60, 100, 1_000, 6_000, 50_000] {
                // Whether it is rejected depends on the shape; it must return in any case.
                let _ = used(&repeated(shape, times));
                let [beginning, front, middle, back, end] = shape;
                let (front, back) = (format!("{front}\n"), format!("{back}\n"));
                let _ = used(&repeated(&[beginning, &front, middle, &back, end], times));
            }
        }
    });
}

#[test]
fn rejects_deep_nesting_with_the_limit() {
    on_a_small_stack(|| {
        for (shape, limit) in [
            (["{{ ", "-", "1", "", " }}"], "128 levels"),
            (["{{ 1", "+1", "", "", " }}"], "128 levels"),
            (["{{ x", ".a", "", "", "|upper }}"], "128 levels"),
            (["{{ ", "[1, ", "0", "]", " }}"], "128 levels"),
            (["{{ ", "not ", "1", "", " }}"], "128 levels"),
            (["{% if 1 %}", "{% elif 1 %}", "", "", "{% endif %}"], "64 nested blocks"),
            (["", "{% for a in [1] %}", "x", "{% endfor %}", ""], "64 nested blocks"),
        ] {
            let refused = used(&repeated(&shape, 2_000));
            assert!(refused.as_ref().is_err_and(|fault| fault.contains(limit)), "{shape:?}: {refused:?}");
            assert!(uses(&repeated(&shape, 2_000)).is_err_and(|fault| fault.contains(limit)), "{shape:?}");
        }
    });
}

#[test]
fn siblings_do_not_count_as_nesting() {
    let numbers = (0..5_000).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    assert_eq!(value(&format!("{{{{ [{numbers}]|length }}}}"), &variables()), Ok(json!(5_000)));
    let branches = "{% if 0 %}{% elif 0 %}a{% else %}b{% endif %}".repeat(1_000);
    assert_eq!(text(&branches, &variables()), Ok("b".repeat(1_000)));
    let operands = "1 + ".repeat(60);
    assert_eq!(value(&format!("{{{{ {operands}1 }}}}"), &variables()), Ok(json!(61)));
    let sets: String = (0..2_000).map(|number| format!("{{% set a{number} = {number} %}}")).collect();
    assert_eq!(text(&format!("{sets}{{{{ a1999 }}}}"), &variables()), Ok("1999".to_owned()));
}

fn refused(source: &str, reason: &str) {
    let source = source.to_owned();
    let (given, source) = on_a_small_stack(move || (value(&source, &variables()), source));
    assert!(given.as_ref().is_err_and(|fault| fault.contains(reason)), "{source:.200}: {given:?}");
}

const TOO_MUCH: &str = "processes more than 4000000 values";

#[test]
fn values_that_double_themselves_cannot_be_inspected() {
    let grown = |step: &str| {
        let steps: String = ["x", "y"].map(|name| step.replace('x', name).repeat(60)).concat();
        format!("{{% set x = [1] %}}{{% set y = [1] %}}{steps}")
    };
    let doubled = grown("{% set x = [x, x] %}");
    for end in [
        "{{ x == y }}",
        "{{ x != y }}",
        "{{ x < y }}",
        "{{ 1 < x < y }}",
        "{{ x in [y] }}",
        "{{ x in 'a' }}",
        "{{ x is eq(y) }}",
        "{{ x is in([y]) }}",
        "{{ [x, y] | sort }}",
        "{{ [x, y] | unique }}",
        "{{ [x, y] | min }}",
        "{{ [{'a': x}, {'a': y}] | groupby('a') }}",
        "{{ [{'a': x}, {'a': y}] | sort(attribute='a') }}",
        "{{ [x, y] | select('eq', x) | list }}",
        "{{ {'a': x} | dictsort(by='value') }}",
        "{{ x | tojson | length }}",
        "{{ x | string | length }}",
        "{{ x ~ y }}",
        "{{ [x] | join }}",
        "{{ x }}",
        "{{ x[0] }}",
    ] {
        refused(&format!("{doubled}{end}"), "values");
    }
    for step in [
        "{% set x = {'a': x, 'b': x} %}",
        "{% set x = x + x %}",
        "{% set x = x | zip(x) | list %}",
        "{% set x = dict(a=x, b=x) %}",
        "{% set x = [x] * 2 %}",
        "{% set x = x | chain(x) | list %}",
        "{% with y = x %}{% set x = [x, y] %}{% endwith %}",
    ] {
        let source = format!("{}{{{{ x == y }}}}", grown(step));
        let fine = step.contains("with");
        let given = on_a_small_stack(move || value(&source, &variables()));
        assert!(given.is_err() || fine, "{step}: {given:?}");
    }
}

#[test]
fn no_value_is_deeper_than_json_may_be() {
    for step in [
        "{% set x = [x] %}",
        "{% set x = {'a': x} %}",
        "{% set x = (x,) %}",
        "{% set x = x | batch(1) %}",
        "{% set x = [x] | list %}",
        "{% set x = [x] + [] %}",
        "{% set x = [x][0:1] %}",
        "{% set x = dict(a=x) %}",
        "{% set x = {'a': x} | items %}",
        "{% set x = [x] | zip([1]) %}",
    ] {
        let source = format!("{{% set x = [1] %}}{}{{{{ x | tojson | length }}}}", step.repeat(1_500));
        refused(&source, "128 levels");
    }
    // Loop rounds share no variables, but a namespace would carry values over.
    let carried = "{% set ns=namespace(x=[1]) %}{% for i in range(50000) %}{% set ns.x=[ns.x] %}{% endfor %}\
                   {{ ns.x|tojson|length }}";
    refused(carried, "namespace");
    refused("{% for x in [[1]] recursive %}{{ loop([[x, x]]) }}{% endfor %}", "");
}

#[test]
fn literals_are_bounded_before_compilation() {
    for literal in [
        "'x' * 100000000",
        "100000000 * 'x'",
        "('x' * 1000) * 1000",
        "'x' * (1000 * 1000)",
        "[1] * 100000000 == [1] * 100000000",
        "1 < ([1] * 100000000) < 2",
        "not 'x' * 100000000",
    ] {
        let source = format!("{{{{ {literal} }}}} ").repeat(3);
        assert!(uses(&source).is_err_and(|fault| fault.contains("literals of the template")), "{literal}");
        refused(&source, "literals of the template");
    }
    let many = "{{ 'x' * 60000 }}".repeat(100);
    refused(&many, "literals of the template");
    assert_eq!(text("{{ '=' * 60 }}", &variables()), Ok("=".repeat(60)));
}

#[test]
fn work_in_loops_is_charged() {
    let text = "x".repeat(400_000);
    let list: Vec<u32> = (0..50_000).collect();
    let document = json!({"input": {"text": text, "list": list}});
    for body in [
        "{% if 'y' in input.text %}{% endif %}",
        "{% if input.text == input.text ~ 'y' %}{% endif %}",
        "{% if input.text[399999] %}{% endif %}",
        "{% if input.text is endingwith('y') %}{% endif %}",
        "{% if 49999 in input.list %}{% endif %}",
        "{% if input.list[49998:] %}{% endif %}",
        "{% if input.list | last %}{% endif %}",
        "{% if input.list | select('eq', 1) %}{% endif %}",
        "{% if range(99999) %}{% endif %}",
        "{% if input.list | sum %}{% endif %}",
        "{% set a = input.list * 2 %}",
    ] {
        let source = format!("{{% for i in range(100000) %}}{body}{{% endfor %}}z");
        let variables: Variables = serde_json::from_value(document.clone()).unwrap();
        let given = on_a_small_stack(move || value(&source, &variables));
        assert!(given.as_ref().is_err_and(|fault| fault.contains(TOO_MUCH)), "{body}: {given:?}");
    }
}

#[test]
fn unbounded_functions_are_rejected_by_name() {
    refused("x {{ range(*[1]) }}", "'*'");
    refused("x {{ dict(**{'a': 1}) }}", "'**'");
    refused("x {% for a in [1] %}{{ loop.changed(a) }}{% endfor %}", "'loop.changed'");
}
