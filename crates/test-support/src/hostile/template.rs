//! Templates that nest, multiply, double and contain themselves.

use super::{Shape, family, levels_of, listed, nested};

/// Expressions that can be nested in themselves: name, opening text, core, closing text.
const EXPRESSIONS: &[(&str, &str, &str, &str)] = &[
    ("minus", "-", "1", ""),
    ("not", "not ", "true", ""),
    ("add", "1+", "1", ""),
    ("subtract", "1-", "1", ""),
    ("multiply", "1*", "1", ""),
    ("divide", "1/", "1", ""),
    ("floor divide", "1//", "1", ""),
    ("remainder", "1%", "1", ""),
    ("power", "1**", "1", ""),
    ("concatenate", "\"a\"~", "1", ""),
    ("equal", "1==", "1", ""),
    ("less", "1<", "1", ""),
    ("and", "1 and ", "1", ""),
    ("or", "0 or ", "1", ""),
    ("in", "1 in ", "[1]", ""),
    ("not in", "1 not in ", "[1]", ""),
    ("brackets", "(", "1", ")"),
    ("list", "[", "1", "]"),
    ("list of pairs", "[1,", "1", ",1]"),
    ("map", "{\"a\":", "1", "}"),
    ("map key", "{", "1", ":1}"),
    ("tuple", "(1,", "1", ")"),
    ("field", "", "input", ".a"),
    ("index", "", "input", "[0]"),
    ("key", "", "input", "[\"a\"]"),
    ("slice", "", "input", "[0:1]"),
    ("index of an index", "input[", "0", "]"),
    ("filters", "", "1", "|length|string"),
    ("filter", "", "\"a\"", "|upper"),
    ("filter with argument", "", "1", "|default(1)"),
    ("filter in an argument", "1|default(", "1", ")"),
    ("call", "range(", "1", ")"),
    ("call of a call", "", "range", "()"),
    ("method", "", "input", ".items()"),
    ("keyword argument", "dict(a=", "1", ")"),
    ("test", "", "1", " is defined"),
    ("test with argument", "1 is eq(", "1", ")"),
    ("ternary", "1 if 1 else ", "1", ""),
    ("ternary condition", "1 if (", "1", ") else 1"),
    ("ternary in brackets", "(1 if 1 else ", "1", ")"),
    ("mixed brackets", "[({\"a\":", "1", "})]"),
    ("minus in brackets", "-(", "1", ")"),
    ("open brackets", "(", "1", ""),
    ("close brackets", "", "1", ")"),
];

/// Statements that can be nested in themselves.
const STATEMENTS: &[(&str, &str, &str, &str)] = &[
    ("if", "{% if true %}", "a", "{% endif %}"),
    ("elif", "{% if false %}", "{% elif false %}", ""),
    ("else", "{% if false %}{% else %}", "a", "{% endif %}"),
    ("for", "{% for i in [1] %}", "a", "{% endfor %}"),
    ("for else", "{% for i in [] %}{% else %}", "a", "{% endfor %}"),
    ("set block", "{% set x %}", "a", "{% endset %}"),
    ("filter block", "{% filter upper %}", "a", "{% endfilter %}"),
    ("with", "{% with x = 1 %}", "a", "{% endwith %}"),
    ("autoescape", "{% autoescape true %}", "a", "{% endautoescape %}"),
    ("block", "{% block a %}", "a", "{% endblock %}"),
    ("macro", "{% macro a() %}", "a", "{% endmacro %}"),
    ("call block", "{% call a() %}", "a", "{% endcall %}"),
    ("open if", "{% if true %}", "a", ""),
    ("raw", "{% raw %}", "a", ""),
    ("open comments", "{#", "a", ""),
    ("open expressions", "{{", "1", ""),
    ("open statements", "{%", "1", ""),
    ("many expressions", "{{ 1 }}", "a", ""),
    ("many sets", "{% set a = 1 %}", "a", ""),
    ("many unknown names", "{{ nothing_here|nofilter }}", "a", ""),
    ("white space", " \n\t", "{{ 1 }}", ""),
];

/// Short programs that produce a lot of output or work.
const PROGRAMS: &[(&str, &str)] = &[
    ("deep list", "{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x|tojson|length }}"),
    ("deep list printed", "{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}"),
    ("deep list dropped", "{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% endfor %}done"),
    (
        "deep map",
        "{% for i in range(50000) %}{% set ns.x = {\"a\": ns.x} %}{% endfor %}{{ ns.x|string|length }}",
    ),
    ("deep key", "{% for i in range(50000) %}{% set ns.x = {ns.x: 1} %}{% endfor %}{{ ns.x|length }}"),
    (
        "deep lists compared",
        "{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% set ns.y = [ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
    ),
    (
        "doubled lists compared",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
    ),
    (
        "doubled lists ordered",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x < ns.y }}",
    ),
    (
        "doubled list sought",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x in [ns.y] }}",
    ),
    ("doubled list printed", "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}"),
    (
        "doubled list as JSON",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}",
    ),
    (
        "doubled list as string",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|string|length }}",
    ),
    (
        "doubled list joined",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|join(\",\")|length }}",
    ),
    (
        "doubled list sorted",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ [ns.x, ns.x, [ns.x]]|sort|length }}",
    ),
    (
        "doubled list unique",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ [ns.x, ns.x]|unique|list|length }}",
    ),
    (
        "doubled list as key",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ {ns.x: 1}|length }}",
    ),
    (
        "doubled list tested",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x is eq(ns.y) }}",
    ),
    (
        "doubled list selected",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ [ns.x]|select(\"eq\", ns.y)|list|length }}",
    ),
    (
        "doubled list changed",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{% for z in [ns.x, ns.y] %}{{ loop.changed(z) }}{% endfor %}",
    ),
    (
        "doubled list pretty",
        "{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|pprint }}",
    ),
    (
        "doubled map",
        "{% for i in range(60) %}{% set ns.x = {\"a\": ns.x, \"b\": ns.x} %}{% endfor %}{{ ns.x|tojson|length }}",
    ),
    (
        "doubled map items",
        "{% for i in range(60) %}{% set ns.x = {\"a\": ns.x, \"b\": ns.x} %}{% endfor %}{{ ns.x|items|list|sort|length }}",
    ),
    (
        "list added to itself",
        "{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x|length }}",
    ),
    ("list multiplied", "{{ ([1] * 1000000000)|length }}"),
    (
        "lists multiplied in a loop",
        "{% for i in range(9) %}{% set ns.x = ns.x * 100 %}{% endfor %}{{ ns.x|length }}",
    ),
    ("string doubled", "{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s|length }}"),
    (
        "string added to itself",
        "{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s|length }}",
    ),
    ("string multiplied", "{{ (\"a\" * 1000000000)|length }}"),
    (
        "strings multiplied in a loop",
        "{% for i in range(9) %}{% set ns.s = ns.s * 100 %}{% endfor %}{{ ns.s|length }}",
    ),
    (
        "string grown",
        "{% for i in range(100000) %}{% set ns.s = ns.s ~ \"aaaaaaaaaa\" %}{% endfor %}{{ ns.s|length }}",
    ),
    (
        "string in JSON in JSON",
        "{% for i in range(60) %}{% set ns.s = ns.s|tojson %}{% endfor %}{{ ns.s|length }}",
    ),
    (
        "string escaped",
        "{% for i in range(60) %}{% set ns.s = (ns.s ~ \"<&>\")|escape|string %}{% endfor %}{{ ns.s|length }}",
    ),
    (
        "string replaced",
        "{% for i in range(60) %}{% set ns.s = ns.s|replace(\"a\", \"aaaa\") %}{% endfor %}{{ ns.s|length }}",
    ),
    ("string replaced by a long one", "{% set long = \"a\" * 60000 %}{{ long|replace(\"a\", long)|length }}"),
    ("list joined by a long one", "{{ range(60000)|join(\"a\" * 60000)|length }}"),
    (
        "string captured in itself",
        "{% set s %}{{ \"a\" * 100 }}{% endset %}{% for i in range(60) %}{% set s %}{{ s }}{{ s }}{% endset %}{% endfor %}{{ s|length }}",
    ),
    ("string in words", "{{ (\"a \" * 100000)|split|length }}"),
    ("wide format", "{{ \"%1000000000d\"|format(1)|length }}"),
    ("precise format", "{{ \"%.1000000000f\"|format(1.5)|length }}"),
    ("wide centre", "{{ \"a\"|center(1000000000)|length }}"),
    ("wide indent", "{{ (\"a\\n\" * 10000)|indent(1000000)|length }}"),
    ("wide JSON", "{{ range(10000)|list|tojson(1000000)|length }}"),
    ("long range", "{{ range(1000000000)|list|length }}"),
    ("long range summed", "{{ range(1000000000)|sum }}"),
    (
        "ranges in ranges",
        "{% for a in range(100000) %}{% for b in range(100000) %}{{ a }}{% endfor %}{% endfor %}",
    ),
    (
        "loops in loops",
        "{% for a in range(1000) %}{% for b in range(1000) %}{% for c in range(1000) %}{% endfor %}{% endfor %}{% endfor %}",
    ),
    ("filters in loops", "{% for a in range(100000) %}{{ range(100000)|list|length }}{% endfor %}"),
    (
        "sorting in loops",
        "{% set l = range(10000)|list %}{% for a in range(10000) %}{{ l|sort|first }}{% endfor %}",
    ),
    ("many small batches", "{{ range(100000)|batch(1, 0)|list|length }}"),
    ("one huge batch", "{{ [1]|batch(1000000000, 0)|list|length }}"),
    ("many slices", "{{ [1]|slice(1000000000)|list|length }}"),
    ("grouped", "{{ range(100000)|map(\"string\")|groupby(\"a\")|list|length }}"),
    ("power of a power", "{{ 9**9**9**9**9**9 }}"),
    ("large power", "{{ 2**1000000000 }}"),
    ("self in a namespace", "{% set ns.x = ns %}{{ ns }}"),
    ("self in a namespace as JSON", "{% set ns.x = ns %}{{ ns|tojson }}"),
    ("self in a namespace compared", "{% set ns.x = ns %}{{ ns == namespace(x=ns) }}"),
    ("self in a list", "{% set ns.x = [ns, ns] %}{{ ns.x }}"),
    ("self in a list compared", "{% set ns.x = [ns] %}{{ ns.x == [ns] }}"),
    ("self as a key", "{% set ns.x = {ns: ns} %}{{ ns.x }}"),
    ("recursive loop", "{% for x in [[[[1]]]] recursive %}{{ loop([[[x]]]) }}{% endfor %}"),
    ("loop in itself", "{% for x in [1] %}{% set ns.x = [ns.x, loop] %}{{ ns.x }}{% endfor %}"),
    ("macro in itself", "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}"),
    ("block in itself", "{% block a %}{{ self.a() }}{% endblock %}"),
    ("include in itself", "{% include \"a\" %}"),
];

/// Steps that are repeated in the text, without loops or namespaces: name, step, final expression.
const REPEATED: &[(&str, &str, &str)] = &[
    ("list doubled, compared", "{% set x = [x, x] %}{% set y = [y, y] %}", "{{ x == y }}"),
    ("list doubled, ordered", "{% set x = [x, x] %}{% set y = [y, y] %}", "{{ x < y }}"),
    ("list doubled, sought", "{% set x = [x, x] %}{% set y = [y, y] %}", "{{ x in [y] }}"),
    ("list doubled, sorted", "{% set x = [x, x] %}", "{{ [x, [x], x]|sort|length }}"),
    ("list doubled, unique", "{% set x = [x, x] %}", "{{ [x, x]|unique|list|length }}"),
    ("list doubled, written", "{% set x = [x, x] %}", "{{ x }}"),
    ("list doubled, as JSON", "{% set x = [x, x] %}", "{{ x|tojson|length }}"),
    ("list doubled, as string", "{% set x = [x, x] %}", "{{ (x ~ x)|length }}"),
    ("list doubled, joined", "{% set x = [x, x] %}", "{{ x|join|length }}"),
    ("list doubled, tested", "{% set x = [x, x] %}{% set y = [y, y] %}", "{{ x is eq(y) }}"),
    ("list doubled, as key", "{% set x = [x, x] %}", "{{ {x: 1}|length }}"),
    ("list doubled, dropped", "{% set x = [x, x] %}", "done"),
    ("list in a list", "{% set x = [x] %}", "{{ x|tojson|length }}"),
    ("list in a list, compared", "{% set x = [x] %}{% set y = [y] %}", "{{ x == y }}"),
    ("map in a map", "{% set x = {'a': x} %}", "{{ x|string|length }}"),
    ("map doubled", "{% set x = {'a': x, 'b': x} %}", "{{ x|items|list|sort|length }}"),
    ("list added", "{% set x = x + x %}", "{{ x|length }}"),
    ("list multiplied", "{% set x = x * 9 %}", "{{ x|length }}"),
    ("string doubled", "{% set s = s ~ s %}", "{{ s|length }}"),
    ("string added", "{% set s = s + s %}", "{{ s|length }}"),
    ("string multiplied", "{% set s = s * 9 %}", "{{ s|length }}"),
    ("string as JSON", "{% set s = s|tojson %}", "{{ s|length }}"),
    ("string replaced", "{% set s = s|replace('a', 'aaaa') %}", "{{ s|length }}"),
    ("string captured", "{% set s %}{{ s }}{{ s }}{% endset %}", "{{ s|length }}"),
    ("slices", "{% set x = [x[:], x[::-1]] %}", "{{ x }}"),
    ("batches", "{% set x = (x ~ x)|list|batch(2)|list %}", "{{ x|length }}"),
    ("range of a length", "{% set x = range(x|length * 9)|list %}", "{{ x|length }}"),
];

/// How often a step is repeated: enough to make doubling never finish and nesting too deep.
const REPETITIONS: [usize; 2] = [60, 2_000];

const NAMESPACE: &str = "{% set ns = namespace(x=[1], y=[1], s=\"a\\\"\") %}";

pub fn templates() -> Vec<Shape> {
    let (mut expressions, mut conditions, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for (name, open, core, close) in EXPRESSIONS {
        let expression = nested(open, core, close);
        expressions.push(Shape::new(format!("expression: {name}"), format!("{{{{ {expression} }}}}")));
        if ["-", "("].contains(open) {
            let condition = format!("{{% if {expression} %}}a{{% endif %}}");
            conditions.push(Shape::new(format!("condition: {name}"), condition));
            let condition = format!("{{% for x in {expression} %}}a{{% endfor %}}");
            conditions.push(Shape::new(format!("loop over: {name}"), condition));
        }
    }
    let statements = STATEMENTS.iter().map(|(name, open, core, close)| {
        // If nothing closes a level, the core is repeated instead.
        let text = match *name {
            "elif" => [open, core.repeat(levels_of(core.len())).as_str(), "{% endif %}"].concat(),
            _ => nested(open, core, close),
        };
        Shape::new(format!("statement: {name}"), text)
    });
    let programs = PROGRAMS
        .iter()
        .map(|(name, program)| Shape::new(format!("program: {name}"), [NAMESPACE, program].concat()));
    for (name, step, end) in REPEATED {
        for count in REPETITIONS {
            let text = format!(
                "{{% set x = [1] %}}{{% set y = [1] %}}{{% set s = 'a\"' %}}{}{end}",
                step.repeat(count)
            );
            repeated.push(Shape::new(format!("repeated {count} times: {name}"), text));
        }
    }
    [
        family("template: expressions", expressions),
        family("template: conditions", conditions),
        family("template: statements", statements),
        family("template: programs", programs),
        family("template: repeated", repeated),
        family("template: wide", wide()),
    ]
    .concat()
}

fn wide() -> Vec<Shape> {
    let one = |name: &str, text: String| Shape::new(format!("wide: {name}"), format!("{{{{ {text} }}}}"));
    vec![
        one("list", listed("[", 60_000, |_| "1".to_owned(), "]")),
        one("map", listed("{", 15_000, |key| format!("\"k{key}\":1"), "}")),
        one("arguments", listed("range(", 60_000, |_| "1".to_owned(), ")")),
        one("keyword arguments", listed("dict(", 15_000, |key| format!("k{key}=1"), ")")),
        one("names", listed("[", 15_000, |key| format!("name{key}"), "]")),
        one("string", format!("\"{}\"", "a".repeat(200_000))),
        one("escapes", format!("\"{}\"", "\\u0041".repeat(30_000))),
        one("open string", format!("\"{}", "a".repeat(200_000))),
        one("name", "a".repeat(200_000)),
        one("number", "9".repeat(200_000)),
        one("fraction", format!("0.{}", "9".repeat(200_000))),
        one("exponent", "1e999999999".to_owned()),
        one("letters of many bytes", format!("\"{}\"", "🦀".repeat(50_000))),
        one("over the limit", format!("\"{}\"", "a".repeat(300_000))),
    ]
}
