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
    ("string", "\"", "a", "\""),
    ("comment", "//", "a", ""),
];

const PROGRAMS: &[(&str, &str)] = &[
    ("pairs of pairs", "output.all(a, output.all(b, output.all(c, output.all(d, a == b || c != d))))"),
    ("pairs filtered", "output.filter(a, output.filter(b, output.filter(c, c == a)).size() > 0).size() > 0"),
    ("backtracking", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\".matches(\"^(a+)+$\")"),
    ("large pattern", "\"a\".matches(\"(\\\\p{L}{200}k7\\\\w{200}){1,200}\")"),
    ("pattern for each", "output.all(a, string(a).matches(\"(\\\\p{L}{100}){10}\"))"),
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
