//! Conditions and invariants in CEL that nest, multiply and double.

use super::{Shape, family, listed, tower};

/// The longest text that the reader takes is 2 KiB, so both sides of it are tried.
const SIZES: [usize; 2] = [2_000, 200_000];

const TOWERS: &[(&str, &str, &str, &str)] = &[
    ("not", "!", "true", ""),
    ("minus", "-", "1", " == 1"),
    ("brackets", "(", "true", ")"),
    ("list", "[", "1", "]"),
    ("map", "{1:", "1", "}"),
    ("and", "true&&", "true", ""),
    ("or", "false||", "true", ""),
    ("add", "1+", "1", " == 1"),
    ("equal", "1==", "1", ""),
    ("in", "1 in ", "[1]", ""),
    ("field", "", "output", ".a"),
    ("index", "", "output", "[0]"),
    ("index of an index", "output[", "0", "]"),
    ("ternary", "true?1:", "1", ""),
    ("ternary condition", "(", "true", "?true:false)"),
    ("call", "size(", "\"a\"", ")"),
    ("method", "", "\"a\"", ".size()"),
    ("all", "[1].all(x,", "true", ")"),
    ("exists", "output.exists(x,", "true", ")"),
    ("map over", "output.map(x,", "x", ")"),
    ("doubled string", "", "[\"aaaaaaaaaaaaaaaa\"]", ".map(x,x+x)"),
    ("doubled list", "", "[[1]]", ".map(x,x+x)"),
    ("squared list", "", "output", ".map(x,output)"),
    ("has", "has(", "output.a", ")"),
    ("message", "A{a:", "1", "}"),
    ("added decimal", "0.1+", "0.2", " == 0.3"),
    ("squared decimal", "", "[1.5]", ".map(x,x*x)"),
    ("doubled sum", "", "[1]", ".map(x,x+x)"),
    ("sum", "[", "[1].sum()", "].sum()"),
    ("min", "min(1,", "2", ") == 1"),
    ("greatest", "math.greatest(1,", "2", ")"),
    ("round", "round(", "1.5", ",1)"),
    ("sort", "", "output", ".sort()"),
    ("sort by itself", "", "output", ".sortBy(x,x)"),
    ("reduce in reduce", "output.reduce(a,x,0,", "1", ")"),
    ("doubled by reduce", "", "'aaaaaaaaaaaaaaaa'", ".split('').reduce(a,x,'aa',a+a)"),
    ("reverse", "", "output", ".reverse()"),
    ("flatten", "", "[[[1]]]", ".flatten(9)"),
    ("distinct", "", "output", ".distinct()"),
    ("doubled by replace", "", "'aaaaaaaaaaaaaaaa'", ".replace('a','aa')"),
    ("replace of nothing", "", "'a'", ".replace('',' ')"),
    ("doubled by join", "", "'aa'", ".split('').join('aaaaaaaa')"),
    ("doubled by format", "", "'aa'", ".replace('a','%s')"),
    ("quote of a quote", "strings.quote(", "'\\'", ")"),
    ("range", "lists.range(", "9", ".size())"),
    ("string", "\"", "a", "\""),
    ("comment", "//", "a", ""),
];

const PROGRAMS: &[(&str, &str)] = &[
    ("pairs of pairs", "output.all(a, output.all(b, output.all(c, output.all(d, a == b || c != d))))"),
    ("pairs filtered", "output.filter(a, output.filter(b, output.filter(c, c == a)).size() > 0).size() > 0"),
    ("backtracking", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\".matches(\"^(a+)+$\")"),
    ("large pattern", "\"a\".matches(\"(\\\\p{L}{200}k7\\\\w{200}){1,200}\")"),
    ("pattern for each", "output.all(a, string(a).matches(\"(\\\\p{L}{100}){10}\"))"),
    ("long range", "lists.range(1000000000).size() > 0"),
    ("largest range", "lists.range(9223372036854775807).size() > 0"),
    ("ranges of ranges", "lists.range(1000).map(x, lists.range(1000)).flatten().size() > 0"),
    ("range for each", "lists.range(1000).all(x, lists.range(x).sum() >= 0)"),
    ("sort for each", "lists.range(1000).all(x, lists.range(1000).reverse().sort().size() > 0)"),
    ("sorted by sorting", "lists.range(1000).sortBy(x, lists.range(1000).sort().size()).size() > 0"),
    ("distinct for each", "lists.range(1000).all(x, lists.range(1000).distinct().size() > x)"),
    ("long join", "lists.range(100000).map(x, 'aaaaaaaaaaaaaaaa').join('bbbbbbbbbbbbbbbb').size() > 0"),
    ("join of joins", "lists.range(1000).reduce(t, x, 'a', [t, t, t].join(t)).size() > 0"),
    ("replace of replaced", "lists.range(60).reduce(t, x, 'aa', t.replace('a', t)).size() > 0"),
    ("replace at each place", "lists.range(60).reduce(t, x, 'aa', t.replace('', t)).size() > 0"),
    ("flattened doubles", "lists.range(60).reduce(l, x, [1], [l, l].flatten()).size() > 0"),
    ("nested doubles", "lists.range(60).reduce(l, x, [1], [l, l]).flatten(100).size() > 0"),
    ("formatted doubles", "lists.range(60).reduce(t, x, 'a', '%s%s'.format([t, t])).size() > 0"),
    ("format of many digits", "'%.99999999999f'.format([1]) == ''"),
    ("format of a large number", "lists.range(1000).all(x, '%.100f'.format([1e300]).size() > 0)"),
    ("split to characters", "lists.range(30).reduce(t, x, 'aa', t + t).split('').size() > 0"),
    ("squares", "lists.range(60).reduce(n, x, 1.000000001, n * n) > 0"),
    ("large powers", "lists.range(10000).all(x, 1e300 * 1e-300 == 1 && 1e300 / 3 > 0)"),
    ("far apart", "1e300 * 1e300 * 1e300 + 1e-300 > 0"),
    ("long division", "lists.range(100000).all(x, 1.0 / 7 > 0)"),
    ("many places", "round(1.5, 9223372036854775807) > 0 && round(1.5, -9223372036854775807) == 0"),
    ("sets of sets", "lists.range(1000).all(x, sets.equivalent(lists.range(1000), lists.range(1000)))"),
    ("long duration", "duration('99999999999999999999h') > duration('1ns')"),
    ("duration of many parts", "lists.range(1000).all(x, duration('1h1m1s1ms1us1ns') > duration('0s'))"),
    ("far date", "date('9999-12-30') + duration('876000h') > date('0001-01-01')"),
    ("overflow", "9223372036854775807 + 1 > 0"),
    ("division by zero", "1 / 0 == 1"),
    ("smallest by minus one", "(-9223372036854775807 - 1) / -1 > 0"),
    ("remainder by minus one", "(-9223372036854775807 - 1) % -1 == 0"),
    ("large duration", "duration(\"9223372036854775807h\") > duration(\"1s\")"),
    (
        "large time",
        "timestamp(\"9999-12-31T23:59:59Z\") + duration(\"9000000000s\") > timestamp(\"0001-01-01T00:00:00Z\")",
    ),
    ("double to integer", "int(1e308) > 0"),
    ("text to number", "double(\"1e999999999\") > 0.0"),
    ("nothing", ""),
    ("open string", "\"aaaa"),
    ("bytes", "b\"\\xff\\xfe\" == b\"\""),
];

/// Conditions of every kind, over `output` and `input`.
pub fn conditions() -> Vec<Shape> {
    let mut towers = Vec::new();
    for (name, open, core, close) in TOWERS {
        for size in SIZES {
            let levels = (size - core.len()) / (open.len() + close.len());
            towers.push(Shape::new(format!("tower: {name}, {size} bytes"), tower(levels, open, core, close)));
        }
    }
    let programs = PROGRAMS.iter().map(|(name, text)| Shape::new(format!("program: {name}"), *text));
    let wide = vec![
        Shape::new("wide list", listed("[", 900, |_| "1".to_owned(), "].size() > 0")),
        Shape::new("wide map", listed("{", 250, |key| format!("{key}:1"), "}.size() > 0")),
        Shape::new("long name", "a".repeat(2_000)),
        Shape::new("long number", "9".repeat(2_000)),
    ];
    [family("CEL: towers", towers), family("CEL: programs", programs), family("CEL: wide", wide)].concat()
}
