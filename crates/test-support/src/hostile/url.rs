//! Parts of addresses and headers.

use super::{Shape, family};

/// Texts for a path segment or a query parameter, as they are sent: already percent-encoded.
pub fn url_texts() -> Vec<Shape> {
    let shapes = vec![
        Shape::new("nothing", ""),
        Shape::new("long", "a".repeat(8_000)),
        Shape::new("very long", "a".repeat(60_000)),
        Shape::new("dots", "..%2f..%2f..%2fetc%2fpasswd"),
        Shape::new("dots twice encoded", "%252e%252e%252f"),
        Shape::new("zero byte", "a%00b"),
        Shape::new("line break", "a%0d%0aset-cookie:%20a=b"),
        Shape::new("not UTF-8", "%ff%fe%80"),
        Shape::new("half an escape", "%"),
        Shape::new("many escapes", "%41".repeat(2_500)),
        Shape::new("crabs", "%F0%9F%A6%80".repeat(600)),
        Shape::new("minus one", "-1"),
        Shape::new("zero", "0"),
        Shape::new("largest", "18446744073709551615"),
        Shape::new("long number", "9".repeat(5_000)),
        Shape::new("fraction", "1e308"),
        Shape::new("not a number", "NaN"),
        Shape::new("commas", "a,".repeat(3_500)),
        Shape::new("brackets", "[".repeat(8_000)),
        Shape::new("quote", "'%20OR%201=1--"),
        Shape::new("wildcards", "%25_%25_*?"),
        Shape::new("id", "run_00000000000000000000000000"),
        Shape::new("id of letters", "run_%F0%9F%A6%80"),
        Shape::new("time", "9999-12-31T23:59:59.999999999Z"),
        Shape::new("time before all", "-009999-01-01T00:00:00Z"),
        Shape::new("same again", format!("a{}", "&limit=1".repeat(800))),
    ];
    family("address", shapes)
}

pub fn header_texts() -> Vec<Shape> {
    let shapes = vec![
        Shape::new("empty", ""),
        Shape::new("long", "a".repeat(8_000)),
        Shape::new("very long", "a".repeat(60_000)),
        Shape::new("star", "*"),
        Shape::new("quotes", "\"".repeat(4_000)),
        Shape::new("list", "\"a\",".repeat(2_000)),
        Shape::new("not ASCII", "ä🦀"),
        Shape::new("number", "9".repeat(5_000)),
        Shape::new("bearer", "Bearer ".repeat(1_000)),
        Shape::new("key", "Bearer accord_0000000000000000000000000000000000000000000"),
        Shape::new("run token", format!("Bearer accord_run_{}", "a".repeat(4_000))),
    ];
    family("header", shapes)
}
