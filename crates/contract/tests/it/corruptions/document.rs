//! Random documents with the schema that they conform to, as tokens that can be damaged one by one.

use serde_json::{Map, Value, json};

/// A small deterministic generator (splitmix64): the same seed gives the same case on every
/// machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const NAMES: &[&str] = &[
    "title",
    "summary",
    "owner",
    "severity",
    "file",
    "line",
    "count",
    "tags",
    "items",
    "notes",
    "score",
    "ok",
    "first_name",
    "lastName",
    "address",
    "city",
    "total",
    "status",
    "reason",
    "steps",
    "kind",
    "when",
    "url",
];

const PHRASES: &[&str] = &[
    "Rotate the TLS certs",
    "a short note",
    "see section 4: limits, defaults",
    "Path C:\\temp\\new",
    "Tromsø",
    "He said \"no\" twice",
    "brace } and bracket ] inside",
    "https://example.org/a?b=c#d",
    "line one\nline two",
    "100% sure, really",
    "it's fine",
    "emoji 🚀 here",
    "tab\there",
    "# not a comment",
    "// nor this",
    "x",
    "",
    "a, b and c",
    "key: value",
    "{not json}",
    "two  spaces",
    "trailing comma,",
    "“smart” quotes",
    "`code`",
    "The \"foo\" option, when set, wins",
    "3 apples",
    "true story",
    "null and void",
    "…and so on",
];

/// A document and the schema that it conforms to.
pub(crate) struct Document {
    pub(crate) schema: Value,
    pub(crate) value: Value,
}

pub(crate) fn document(random: &mut Random) -> Document {
    let (schema, value) = object(random, 0);
    Document { schema, value }
}

fn object(random: &mut Random, depth: usize) -> (Value, Value) {
    let (mut properties, mut members, mut required) = (Map::new(), Map::new(), Vec::new());
    for _ in 0..2 + random.below(4) {
        let name = *random.pick(NAMES);
        let (schema, value) = part(random, depth + 1);
        if properties.insert(name.to_owned(), schema).is_none() {
            members.insert(name.to_owned(), value);
            if random.chance(85) {
                required.push(json!(name));
            }
        } else {
            let (schema, value) = (json!({"type": "string"}), json!("again"));
            properties.insert(name.to_owned(), schema);
            members.insert(name.to_owned(), value);
        }
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    if random.chance(60) {
        schema["additionalProperties"] = json!(false);
    }
    (schema, Value::Object(members))
}

fn part(random: &mut Random, depth: usize) -> (Value, Value) {
    match random.below(if depth > 2 { 6 } else { 9 }) {
        0 | 1 => (json!({"type": "string"}), json!(random.pick(PHRASES))),
        2 => (json!({"type": "integer"}), json!(random.below(100_000) as i64 - 500)),
        3 => (json!({"type": "number"}), json!(random.below(1000) as f64 / 8.0)),
        4 => (json!({"type": "boolean"}), json!(random.chance(50))),
        5 => (json!({"enum": ["low", "medium", "high"]}), json!(random.pick(&["low", "medium", "high"]))),
        6 => {
            let items: Vec<Value> = (0..random.below(4)).map(|_| json!(random.pick(PHRASES))).collect();
            (json!({"type": "array", "items": {"type": "string"}}), Value::Array(items))
        }
        7 => {
            let (schema, first) = object(random, depth + 1);
            let items: Vec<Value> = (0..1 + random.below(3)).map(|_| first.clone()).collect();
            (json!({"type": "array", "items": schema}), Value::Array(items))
        }
        _ => object(random, depth + 1),
    }
}

/// One token of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Open(char),
    Close(char),
    Comma,
    Colon,
    Key(String),
    Text(String),
    /// A number or a literal.
    Word(String),
    /// Text inserted by damage.
    Raw(String),
}

pub(crate) fn tokens(value: &Value) -> Vec<Token> {
    let mut out = Vec::new();
    push(value, &mut out);
    out
}

fn push(value: &Value, out: &mut Vec<Token>) {
    match value {
        Value::Object(members) => {
            out.push(Token::Open('{'));
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(Token::Comma);
                }
                out.push(Token::Key(name.clone()));
                out.push(Token::Colon);
                push(member, out);
            }
            out.push(Token::Close('}'));
        }
        Value::Array(items) => {
            out.push(Token::Open('['));
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(Token::Comma);
                }
                push(item, out);
            }
            out.push(Token::Close(']'));
        }
        Value::String(text) => out.push(Token::Text(text.clone())),
        other => out.push(Token::Word(other.to_string())),
    }
}

/// Writes tokens on one line or on several.
pub(crate) fn write(tokens: &[Token], pretty: bool) -> String {
    let mut text = String::new();
    let mut depth = 0usize;
    let line = |text: &mut String, depth: usize| {
        if pretty {
            text.push('\n');
            text.push_str(&"  ".repeat(depth));
        }
    };
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(bracket) => {
                text.push(*bracket);
                depth += 1;
                if !matches!(tokens.get(index + 1), Some(Token::Close(_))) {
                    line(&mut text, depth);
                }
            }
            Token::Close(bracket) => {
                depth = depth.saturating_sub(1);
                if !matches!(index.checked_sub(1).map(|before| &tokens[before]), Some(Token::Open(_))) {
                    line(&mut text, depth);
                }
                text.push(*bracket);
            }
            Token::Comma => {
                text.push(',');
                if pretty { line(&mut text, depth) } else { text.push(' ') }
            }
            Token::Colon => text.push_str(": "),
            Token::Key(name) | Token::Text(name) => text.push_str(&json!(name).to_string()),
            Token::Word(word) | Token::Raw(word) => text.push_str(word),
        }
    }
    text
}
