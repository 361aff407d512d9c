//! Strings with unescaped inner quotes: the intended value or a rejection, never another value.

use accord_contract::{Mode, same};
use serde_json::{Map, Value, json};

use crate::corruptions::document::Random;
use crate::judging::{contract, value};

/// How many texts are generated; `INNER_QUOTES` sets another number.
const COUNT: u64 = 600;

/// Percentage of the texts that must be read as intended. The rest may be rejected.
const RECOVERED: u64 = 70;

const CODE: &[&str] = &[
    "return f\"hello {name}\"",
    "print(\"done\")",
    "const x = \"a\" + \"b\";",
    "if (kind === \"open\") { return [\"a\", \"b\"]; }",
    "let map = {\"k\": 1, \"v\": [2, 3]};",
    "echo \"$HOME\" | grep -v \"root\"",
    "foo(\"a\", \"b\")",
    "x = \"\"",
    "call(\"x\"), then call(\"y\")",
    "#include \"main.h\"",
    "names = [\"ann\", \"bob\"]",
    "d[\"key\"] = d.get(\"other\", \"none\")",
];
const SQL: &[&str] = &[
    "SELECT \"id\", \"name\" FROM \"users\"",
    "UPDATE t SET \"a\" = 1 WHERE \"b\" = 'x'",
    "SELECT * FROM \"orders\" WHERE \"status\" = 'open', LIMIT 1",
    "CREATE TABLE \"t\" (\"a\" INT, \"b\" TEXT)",
];
const HTML: &[&str] = &[
    "<a href=\"https://example.org/x\">link</a>",
    "<div class=\"a b\" id=\"c\"></div>",
    "<img src=\"a.png\" alt=\"\">",
    "<input value=\"1, 2\">, <input value=\"3\">",
    "style=\"color: red\"",
];
const JSON: &[&str] = &[
    "{\"k\": \"v\"}",
    "set {\"k\": \"v\"} first",
    "{\"a\": 1, \"b\": [2, 3]} now",
    "[\"a\", \"b\"]",
    "the list [1, 2\"] more",
    "send {\"title\": \"x\", \"n\": 4}",
    "{\"body\": \"inner\"}",
    "use {\"n\": 7} or {\"n\": 8}, not {}",
    "[{\"id\": 1}, {\"id\": \"two\"}]",
];
const QUOTATIONS: &[&str] = &[
    "He said \"no\" and left",
    "\"Stop\", she said",
    "the so-called \"fix\"",
    "a \"big\", \"red\" ball",
    "\"quoted\"",
    "the 3.5\" disk",
    "\"One\" or \"two\": you choose",
    "they wrote \"yes, please\"",
    "title: \"x\", n: 3",
    "say \"a\"; then \"b\"",
    "is it \"true\"?",
    "the \"title\": a word",
];
const FENCES: &[&str] = &[
    "```json\n{\"a\": 1}\n```",
    "run:\n```\necho \"hi\"\n```\nthen stop",
    "```python\nprint(\"x\")\n```",
    "a ```\"b\"``` c",
];
const KINDS: &[(&str, &[&str])] = &[
    ("code", CODE),
    ("sql", SQL),
    ("html", HTML),
    ("json", JSON),
    ("quotation", QUOTATIONS),
    ("fence", FENCES),
];
const PLAIN: &[&str] = &["plain", "two words", "a, b and c", "x: y", "", "it's fine", "see [1]", "100 %"];
const NAMES: &[&str] = &["title", "n", "body", "note", "ok", "tags", "reply"];

struct Case {
    kind: &'static str,
    schema: Value,
    value: Value,
    text: String,
}

#[test]
fn inner_quotes_are_read_correctly_or_rejected() {
    let count = std::env::var("INNER_QUOTES").ok().and_then(|count| count.parse().ok()).unwrap_or(COUNT);
    let show = std::env::var_os("SHOW_MISSED").is_some();
    let (mut right, mut wrong) = (0, Vec::new());
    let mut missed = std::collections::BTreeMap::<&str, u64>::new();
    for seed in 0..count {
        let case = case(&mut Random(seed));
        for mode in [Mode::Strict, Mode::Lenient] {
            match value(&contract(&case.schema, mode), &case.text) {
                Some(read) if same(&read, &case.value) => right += u64::from(mode == Mode::Lenient),
                Some(read) => wrong.push(format!(
                    "{} {seed} {mode:?}\n  text {}\n  got  {read}\n  want {}",
                    case.kind, case.text, case.value
                )),
                None if mode == Mode::Lenient => {
                    *missed.entry(case.kind).or_default() += 1;
                    if show {
                        println!("missed {} {seed}: {}\n", case.kind, case.text);
                    }
                }
                None => {}
            }
        }
    }
    println!("{right} of {count} read, {} wrong, refused: {missed:?}", wrong.len());
    wrong.iter().take(40).for_each(|line| println!("{line}"));
    assert!(wrong.is_empty(), "{} texts were read as something else", wrong.len());
    assert!(right * 100 >= count * RECOVERED, "only {right} of {count} were read");
}

fn case(random: &mut Random) -> Case {
    let (kind, snippets) = *random.pick(KINDS);
    let mut quoted = || {
        let snippet = *random.pick(snippets);
        match random.below(5) {
            0 => format!("{snippet}."),
            1 => format!("see {snippet}"),
            2 => format!("{snippet} and more"),
            _ => snippet.to_owned(),
        }
    };
    let (first, second) = (quoted(), quoted());
    let (schema, value) = match random.below(4) {
        0 => listed(random, first),
        1 => {
            let (inner, value) = object(random, first, None);
            (json!({"type": "array", "items": inner}), json!([value]))
        }
        2 => object(random, first, Some(second)),
        _ => object(random, first, None),
    };
    let layout = random.below(3);
    let mut text = String::new();
    write(&value, layout, 0, &mut text);
    text = match random.below(4) {
        0 => format!("```json\n{text}\n```"),
        1 => format!("Here it is:\n\n```json\n{text}\n```\nDone."),
        2 => format!("Here it is: {text}"),
        _ => text,
    };
    Case { kind, schema, value, text }
}

fn listed(random: &mut Random, quoted: String) -> (Value, Value) {
    let mut items: Vec<String> = (0..random.below(3)).map(|_| (*random.pick(PLAIN)).to_owned()).collect();
    items.insert(random.below(items.len() + 1), quoted);
    (json!({"type": "array", "items": {"type": "string"}}), json!(items))
}

fn object(random: &mut Random, quoted: String, second: Option<String>) -> (Value, Value) {
    let mut members: Vec<(&str, Value, Value)> = Vec::new();
    let mut names = NAMES.to_vec();
    for _ in 0..1 + random.below(4) {
        let name = names.remove(random.below(names.len()));
        let (schema, value) = match random.below(5) {
            0 => (json!({"type": "integer"}), json!(random.below(99))),
            1 => (json!({"type": "boolean"}), json!(random.chance(50))),
            2 => (json!({"type": "array", "items": {"type": "string"}}), json!(["x", "y"])),
            _ => (json!({"type": "string"}), json!(random.pick(PLAIN))),
        };
        members.push((name, schema, value));
    }
    for text in std::iter::once(quoted).chain(second) {
        let name = names.remove(random.below(names.len()));
        members.insert(random.below(members.len() + 1), (name, json!({"type": "string"}), json!(text)));
    }
    let mut schema = json!({"type": "object", "properties": {}});
    let mut value = Map::new();
    let mut required = Vec::new();
    for (name, part, member) in members {
        schema["properties"][name] = part;
        value.insert(name.to_owned(), member);
        if random.chance(80) {
            required.push(name);
        }
    }
    schema["required"] = json!(required);
    if random.chance(50) {
        schema["additionalProperties"] = json!(false);
    }
    (schema, Value::Object(value))
}

/// Layout 0 has no spaces, 1 is on one line, 2 is on many. Line breaks and backslashes are escaped, quotes are not.
fn write(value: &Value, layout: usize, depth: usize, out: &mut String) {
    let line = |out: &mut String, depth: usize| {
        if layout == 2 {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    };
    let comma = [",", ", ", ","][layout];
    match value {
        Value::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { comma } else { "" });
                line(out, depth + 1);
                out.push_str(&json!(name).to_string());
                out.push_str([":", ": ", ": "][layout]);
                write(member, layout, depth + 1, out);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { comma } else { "" });
                line(out, depth + 1);
                write(item, layout, depth + 1, out);
            }
            line(out, depth);
            out.push(']');
        }
        Value::String(text) => {
            let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
            out.push_str(&format!("\"{escaped}\""));
        }
        other => out.push_str(&other.to_string()),
    }
}
