//! TOML for `accord.toml`.

use super::{Shape, family, listed, nested};

pub fn settings() -> Vec<Shape> {
    let tables: String =
        (0..10_000).map(|number| format!("[providers.p{number}]\nkind = \"openai\"\n")).collect();
    let shapes = vec![
        Shape::new("deep lists", format!("a = {}", nested("[", "1", "]"))),
        Shape::new("deep inline tables", format!("a = {}", nested("{a = ", "1", "}"))),
        Shape::new("open lists", format!("a = {}", "[".repeat(200_000))),
        Shape::new("long dotted key", format!("{}a = 1", "a.".repeat(50_000))),
        Shape::new("long table name", format!("[{}a]\nb = 1", "a.".repeat(50_000))),
        Shape::new("long list name", format!("[[{}a]]\nb = 1", "a.".repeat(50_000))),
        Shape::new("many tables", tables),
        Shape::new("same table again", "[server]\n".repeat(50_000)),
        Shape::new("many lists of tables", "[[server]]\n".repeat(50_000)),
        Shape::new("wide list", listed("a = [", 500_000, |_| "1".to_owned(), "]")),
        Shape::new("long string", format!("a = \"{}\"", "a".repeat(4_000_000))),
        Shape::new("open string", format!("a = \"\"\"{}", "a".repeat(1_000_000))),
        Shape::new("long number", format!("[server]\nlisten = {}", "9".repeat(1_000_000))),
        Shape::new("largest numbers", "[server]\nrequest_limit_bytes = 9223372036854775807\n"),
        Shape::new(
            "zeros",
            "[server]\nrequest_limit_bytes = 0\n[queue]\nlease_seconds = 0\nmax_deliveries = 0\n",
        ),
        Shape::new("zero bytes", "\0".repeat(100_000)),
        Shape::new("comments", "#".repeat(1_000_000)),
    ];
    family("TOML", shapes)
}
