//! JSON and near-JSON: as text for parsers, as values for fields.

use serde_json::{Map, Value, json};

use super::{Shape, family, growing, listed, nested, tower};

/// Bodies of requests and answers of models.
pub fn json_texts(seed: u64) -> Vec<Shape> {
    [family("JSON: texts", texts()), growing::dense(seed)].concat()
}

fn texts() -> Vec<Shape> {
    vec![
        Shape::new("deep lists", nested("[", "1", "]")),
        Shape::new("deep objects", nested("{\"a\":", "1", "}")),
        Shape::new("deep lists and objects", nested("[{\"a\":", "1", "}]")),
        Shape::new("open lists", "[".repeat(1_000_000)),
        Shape::new("open objects", "{\"a\":".repeat(200_000)),
        Shape::new("closed lists", "]".repeat(200_000)),
        Shape::new("127 levels", format!("{}{}", "[".repeat(127), "]".repeat(127))),
        Shape::new("129 levels", format!("{}{}", "[".repeat(129), "]".repeat(129))),
        Shape::new("wide object", listed("{", 100_000, |key| format!("\"k{key}\":{key}"), "}")),
        Shape::new("wide list", listed("[", 500_000, |_| "0".to_owned(), "]")),
        Shape::new("wide list of objects", listed("[", 100_000, |_| "{}".to_owned(), "]")),
        Shape::new("one key again and again", listed("{", 100_000, |_| "\"a\":1".to_owned(), "}")),
        Shape::new("long string", format!("\"{}\"", "a".repeat(4_000_000))),
        Shape::new("long string of escapes", format!("\"{}\"", "\\u0000".repeat(500_000))),
        Shape::new("halves of letters", format!("\"{}\"", "\\ud800".repeat(100_000))),
        Shape::new("long key", format!("{{\"{}\":1}}", "a".repeat(1_000_000))),
        Shape::new("open string", format!("{{\"a\":\"{}", "\\\"".repeat(500_000))),
        Shape::new("long integer", "9".repeat(1_000_000)),
        Shape::new("long fraction", format!("0.{}", "9".repeat(1_000_000))),
        Shape::new("huge exponent", "1e999999999999999999".to_owned()),
        Shape::new("tiny exponent", "-1e-999999999999999999".to_owned()),
        Shape::new("many numbers", listed("[", 50_000, |_| "1e400".to_owned(), "]")),
        Shape::new("fences", "```json\n{\"a\":".repeat(20_000)),
        Shape::new("prose with braces", "so {a: and then [b ".repeat(20_000)),
        Shape::new("white space", format!("{}1", " \n\t".repeat(500_000))),
        Shape::new("nothing", ""),
        Shape::new("null", "null"),
        Shape::new("true", "true"),
        Shape::new("a string", "\"a\""),
        Shape::new("a list", "[]"),
        Shape::new("zero bytes", "\0".repeat(100_000)),
        Shape::new("byte-order marks", "\u{feff}".repeat(100_000)),
        Shape::new("over the limit", format!("\"{}\"", "a".repeat(9 * 1024 * 1024))),
    ]
}

/// Values for a field of a request, as JSON.
#[expect(clippy::unwrap_used, reason = "the numbers are literals of this function")]
pub fn values() -> Vec<Shape> {
    let wide: Map<String, Value> = (0..20_000).map(|key| (format!("k{key}"), json!(key))).collect();
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let named = [
        ("null", Value::Null),
        ("true", json!(true)),
        ("minus one", json!(-1)),
        ("largest", json!(u64::MAX)),
        ("huge number", number("1e400")),
        ("long number", number(&"9".repeat(5_000))),
        ("fraction", json!(0.1)),
        ("empty string", json!("")),
        ("zero byte", json!("a\u{0}b")),
        ("line breaks", json!("a\r\nb: c")),
        ("long string", json!("a".repeat(1_000_000))),
        ("wide letters", json!("🦀".repeat(100_000))),
        ("right to left", json!("\u{202e}a\u{2066}")),
        ("path up", json!("../../../../etc/passwd")),
        ("shell", json!("$(id); `id` | id & id")),
        ("SQL", json!("' OR 1=1; DROP TABLE runs; --")),
        ("template", json!("{{ 7 * 7 }}{% for i in range(100000) %}{% endfor %}")),
        ("empty list", json!([])),
        ("empty object", json!({})),
        ("long list", Value::from(vec![0; 100_000])),
        ("list of strings", Value::from(vec!["a"; 50_000])),
        ("list of objects", Value::from(vec![json!({}); 20_000])),
        ("wide object", Value::Object(wide)),
        ("deep list", deep(100, |inner| json!([inner]))),
        ("deep object", deep(100, |inner| json!({"a": inner}))),
        ("doubled tree", deep(14, |inner| json!([inner, inner]))),
    ];
    let mut shapes: Vec<Shape> =
        named.into_iter().map(|(name, value)| Shape::new(name, value.to_string())).collect();
    shapes.push(Shape::new("too deep list", tower(5_000, "[", "1", "]")));
    shapes.push(Shape::new("too deep object", tower(5_000, "{\"a\":", "1", "}")));
    family("JSON: values", shapes)
}

/// Wraps a value `levels` times. Each level copies the value, so use a few hundred levels at most.
pub(super) fn deep(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!(1), |inner, _| wrap(inner))
}
