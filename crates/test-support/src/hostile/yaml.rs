//! YAML for files of agents and workflows.

use std::fmt::Write as _;

use super::{Shape, family, nested};

pub fn documents() -> Vec<Shape> {
    let shapes = vec![
        Shape::new("billion laughs", laughs("[*{},*{},*{},*{},*{},*{},*{},*{},*{}]")),
        Shape::new("billion merges", laughs("{<<: [*{},*{},*{}], b: *{}}")),
        Shape::new("long string again and again", long_alias()),
        Shape::new("alias of itself", "a: &a [*a, *a]\n".to_owned()),
        Shape::new("merge of itself", "a: &a\n  <<: *a\n  b: 1\n".to_owned()),
        Shape::new("many anchors", numbered(50_000, |number| format!("a{number}: &a{number} 1\n"))),
        Shape::new("many aliases", format!("a: &a [1]\nb: [{}]\n", "*a,".repeat(60_000))),
        Shape::new("chain of aliases", chain()),
        Shape::new("deep flow lists", nested("[", "1", "]")),
        Shape::new("deep flow maps", nested("{a: ", "1", "}")),
        Shape::new("open flow lists", "[".repeat(200_000)),
        Shape::new("open flow maps", "{a: ".repeat(50_000)),
        Shape::new("deep lists in a line", format!("{}1\n", "- ".repeat(50_000))),
        Shape::new("deep maps", numbered(1_500, |depth| format!("{}a:\n", " ".repeat(depth)))),
        Shape::new("complex keys", "? ".repeat(50_000)),
        Shape::new("complex keys of lists", nested("? [", "1", "]\n: ")),
        Shape::new("wide map", numbered(100_000, |number| format!("k{number}: {number}\n"))),
        Shape::new("wide list", "- 1\n".repeat(200_000)),
        Shape::new("same key again", "name: a\n".repeat(100_000)),
        Shape::new("long string", format!("name: \"{}\"\n", "a".repeat(1_500_000))),
        Shape::new("long block string", format!("name: |\n{}", "  a\n".repeat(300_000))),
        Shape::new("folded block string", format!("name: >\n{}", "  a\n\n".repeat(200_000))),
        Shape::new("huge indentation", format!("name: |9\n{}a\n", " ".repeat(1_000_000))),
        Shape::new("open quotes", "\"\n".repeat(300_000)),
        Shape::new("escapes", format!("name: \"{}\"\n", "\\U0001F980".repeat(50_000))),
        Shape::new("long number", format!("name: {}\n", "9".repeat(1_000_000))),
        Shape::new(
            "numbers of all forms",
            "a: [0x7fffffffffffffffffff, 0o777, 1e999999, .inf, -.nan, 1_000, 0b1]\n".to_owned(),
        ),
        Shape::new("long key", format!("{}: 1\n", "a".repeat(1_500_000))),
        Shape::new("many documents", "---\na: 1\n".repeat(100_000)),
        Shape::new("many ends", "...\n".repeat(200_000)),
        Shape::new("directives", "%YAML 1.2\n".repeat(50_000)),
        Shape::new(
            "tag directives",
            numbered(50_000, |number| format!("%TAG !t{number}! tag:a,{number}:\n")),
        ),
        Shape::new("tags", format!("a: {}1\n", "!!str ".repeat(100_000))),
        Shape::new("binary", "a: !!binary AAAA\nb: !!python/object:os.system x\n".to_owned()),
        Shape::new("tabs", "\t".repeat(500_000)),
        Shape::new("colons", ":".repeat(500_000)),
        Shape::new("dashes", "-".repeat(500_000)),
        Shape::new("ampersands", "&a ".repeat(200_000)),
        Shape::new("stars", "*a ".repeat(200_000)),
        Shape::new("comments", "#\n".repeat(500_000)),
        Shape::new("long comment", format!("#{}\nname: a\n", "#".repeat(1_500_000))),
        Shape::new("zero bytes", "\0".repeat(100_000)),
        Shape::new("byte-order marks", "\u{feff}".repeat(100_000)),
        Shape::new("line ends of all kinds", "a: 1\r\r\n\u{85}\u{2028}\u{2029}".repeat(20_000)),
        Shape::new("over the limit", format!("name: {}\n", "a".repeat(5 * 1024 * 1024))),
    ];
    family("YAML", shapes)
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Each line refers to the previous one several times.
fn laughs(line: &str) -> String {
    let mut text = "a0: &a0 lol\n".to_owned();
    for level in 1..40 {
        let inner = line.replace("{}", &format!("a{}", level - 1));
        let _ = writeln!(text, "a{level}: &a{level} {inner}");
    }
    text
}

/// Each line refers to the previous one once.
fn chain() -> String {
    let mut text = "a0: &a0 [1]\n".to_owned();
    for level in 1..5_000 {
        let _ = writeln!(text, "a{level}: &a{level} [*a{}]", level - 1);
    }
    text
}

fn long_alias() -> String {
    format!("a: &a {}\nb: [{}]\n", "a".repeat(100_000), "*a,".repeat(20_000))
}
