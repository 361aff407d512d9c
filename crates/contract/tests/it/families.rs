//! Damage of one kind each, generated: a text gives the value that was meant, or nothing. Never a part of it, never another.

use accord_contract::{Mode, same};
use serde_json::{Value, json};

use crate::corruptions::document::{Document, Random, document};
use crate::judging::{contract, value};

/// How many documents each family is tried on.
const ROUNDS: u64 = 60;

const FRAMES: &[(&str, &str)] =
    &[("", ""), ("```json\n", "\n```"), ("So it is:\n", ""), ("<answer>", "</answer>")];

fn documents() -> impl Iterator<Item = (Random, Document)> {
    (1..=ROUNDS).map(|seed| {
        let mut random = Random(seed);
        let document = document(&mut random);
        (random, document)
    })
}

/// Judges a text in both modes and in all frames. Only `meant` may be given out, if there is such a value.
fn check(schema: &Value, text: &str, meant: Option<&Value>) {
    for mode in [Mode::Strict, Mode::Lenient] {
        let contract = contract(schema, mode);
        for (before, after) in FRAMES {
            let text = format!("{before}{text}{after}");
            if let Some(got) = value(&contract, &text) {
                let read: Result<Value, _> = serde_json::from_str(&got.to_string());
                assert_eq!(read.ok().as_ref(), Some(&got), "what is given out is JSON: {text}");
                let is_meant = meant.is_some_and(|meant| same(meant, &got));
                assert!(is_meant, "{mode:?}\n  text {text}\n  got  {got}");
            }
        }
    }
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn strings() -> Value {
    list(json!({"type": "string"}))
}

/// `{"title": string, "n"?: integer}`, open or closed.
fn titled(closed: bool) -> Value {
    json!({"type": "object", "required": ["title"], "additionalProperties": !closed,
        "properties": {"title": {"type": "string"}, "n": {"type": "integer"}}})
}

#[test]
fn half_a_number_is_no_number() {
    let numbers = list(json!({"type": "number"}));
    let lists = |number: &str| [format!("[{number}]"), format!("[1, 2, {number}]"), format!("[{number}, 1]")];
    for number in [".", "+.", "-.", "+", "-", "_", "._"] {
        check(&json!({"type": "object"}), &format!("{{\"n\": {number}}}"), None);
        lists(number).iter().for_each(|text| check(&json!({"type": "array"}), text, None));
    }
    for number in [".", "+.", "-.", "+", "-", "_", "1_", "._", ".e5", "1e"] {
        lists(number).iter().for_each(|text| check(&numbers, text, None));
    }
}

#[test]
fn words_that_begin_like_a_number_may_be_one() {
    for word in [
        "1e", "1_", "1__0", "007", "01", "--1", "+-1", ".5.", "1.2.3", "0x1F", "1n", "1.5f", "5%", "5 kg",
        "-NaN",
    ] {
        check(&json!({"type": "array"}), &format!("[{word}]"), None);
        check(&json!({"type": "object"}), &format!("{{\"a\": {{\"v\": {word}}}}}"), None);
    }
    check(&json!({"type": "array"}), "[1,000]", None);
    for words in ["2024-01-01", "12:30", "007", "1.2.3", "5 kg"] {
        let read =
            value(&contract(&titled(false), Mode::Lenient), &format!("{{title: {words}, date: 2024-01-01}}"));
        assert_eq!(read, Some(json!({"title": words, "date": "2024-01-01"})), "{words}");
    }
}

#[test]
fn what_follows_a_value_belongs_to_it() {
    for (mut random, Document { schema, value: item }) in documents() {
        let (lists, whole) = (list(schema.clone()), json!([item, item]));
        check(&lists, &format!("[{item}]\n{item}\n]"), Some(&whole));
        check(&lists, &format!("[{item}], {item}"), Some(&whole));
        check(&lists, &format!("[{item}]\n, {item}]"), Some(&whole));
        let (one, two) = (random.below(9), random.below(9));
        for text in [
            format!("[{one}]\n{two}\n]"),
            format!("[{one}], {two}"),
            format!("[{one}]\n{two}"),
            format!("[{one}] {two}"),
            format!("[{one}] + [{two}]"),
            format!("[{one}] * {two}"),
            format!("[{one}].concat({two})"),
            format!("[{one}].map(f)"),
            format!("x = [{one}]\nx[0] = {two}"),
            format!("x = [{one}]\nx += f()"),
            format!("let x = [{one}];\nx[1] = {two};"),
            format!("self.x: T = [{one}]\ny = 1\nself.x[1] = {two}"),
            format!("$x = [{one}];\n$x->n = {two};"),
            format!("[{one}]\n- {two}"),
            format!("[{one}]; {two}"),
            format!("[{one}]\r\n{two}\r\n]"),
            format!("[{one}]..."),
            format!("[{one}] …"),
            format!("[{one}], ..."),
            format!("[{one}][0]"),
            format!("[{one}]\n  .map(f)"),
            format!("[{one}]?.map(f)"),
            format!("[{one}]->f()"),
            format!("[{one}]|length"),
        ] {
            check(&list(json!({"type": "integer"})), &text, Some(&json!([one, two])));
        }
        for text in [
            "[\"a\", \"b\"], \"c\"",
            "[\"a\", \"b\"] \"c\"",
            "[\"a\", \"b\"]\n\"c\"",
            "[\"a\", \"b\"]: \"c\"",
        ] {
            check(&strings(), text, Some(&json!(["a", "b", "c"])));
        }
        // The last member is behind the closing bracket.
        let mut members = item.as_object().unwrap().clone();
        let (name, last) = members.clone().into_iter().next_back().unwrap();
        members.remove(&name);
        let first = Value::Object(members);
        for rest in [
            format!("{name}: {last}\n}}"),
            format!("\"{name}\": {last}}}"),
            format!(", \"{name}\": {last}"),
            format!(", \"{name}\": {last}}}"),
            format!("; \"{name}\": {last}"),
            format!("+ \"{name}\": {last}"),
        ] {
            check(&schema, &format!("{first}\n{rest}"), Some(&item));
        }
        for member in [format!("n: {}", random.below(9)), format!("n = {}", random.below(9))] {
            check(&titled(true), &format!("{{\"title\": \"A\"}}\n{member}"), None);
            check(&titled(true), &format!("{{\"title\": \"A\"}}, {member}"), None);
            let (key, given) = member.split_at(1);
            for item in [format!("- {member}"), format!("**{key}**{given}"), format!("* `{key}`{given}")] {
                check(&titled(true), &format!("{{\"title\": \"A\"}}\n{item}"), None);
            }
        }
        check(&json!({"type": "object"}), &format!("{first} | {{\"zz\": 1}}"), None);
        check(&json!({"type": "object"}), &format!("{first}, {{\"zz\": 1}}"), None);
    }
}

#[test]
fn a_fence_mark_closes_no_value() {
    for (mut random, Document { schema, value: whole }) in documents() {
        let members: Vec<String> =
            whole.as_object().unwrap().iter().map(|(name, member)| format!("\"{name}\": {member}")).collect();
        let at = 1 + random.below(members.len() - 1);
        let (first, second) = (members[..at].join(", "), members[at..].join(", "));
        for mark in ["```", "```\n```json", "~~~"] {
            check(&schema, &format!("```json\n{{{first}\n{mark}\n, {second}}}"), Some(&whole));
            check(&schema, &format!("```json\n{{{first},\n{mark}\n{second}}}\n```"), Some(&whole));
            check(&schema, &format!("```json\n{{{first}\n{mark}\n, {second}"), Some(&whole));
            check(&schema, &format!("```json\n{{{first}\n{mark}\n{second}"), Some(&whole));
            check(&schema, &format!("{{{first}\n{mark}\n\n{}", second.replacen('"', "", 2)), Some(&whole));
        }
    }
    let text = json!({"type": "object", "required": ["v"], "properties": {"v": {"type": "string"}}});
    for code in ["py\nprint(1)\n", "", "json\n{}\n"] {
        let whole = format!("```{code}```");
        check(&text, &format!("{{\"v\": \"\"{whole}\"}}"), None);
        check(&text, &format!("{{\"v\": \"{whole}\"}}"), Some(&json!({"v": whole})));
    }
}

#[test]
fn a_value_goes_on_behind_a_fence_mark() {
    for closed in [true, false] {
        for mark in ["```", "```json", "```\n```json", "~~~", "```\n\n~~~json"] {
            for rest in [", \"n\": 5}", ",\n\"n\": 5\n}", "\"n\": 5}", "}", "]"] {
                check(&titled(closed), &format!("{{\"title\": \"A\"}}\n{mark}\n{rest}"), None);
            }
        }
    }
}

const QUOTE_MARKS: &[&str] = &[
    "\"", "'", "`", "\u{b4}", "\u{201c}", "\u{201d}", "\u{201e}", "\u{201f}", "\u{2018}", "\u{2019}",
    "\u{201a}", "\u{ab}", "\u{bb}", "\u{2039}", "\u{203a}", "\u{2032}", "\u{2033}", "\u{2ee}", "\u{300c}",
    "\u{300d}", "\u{301d}", "\u{301e}", "\u{ff02}", "\u{ff07}", "&quot;",
];

#[test]
fn the_closing_quote_is_not_part_of_a_string() {
    for (open, close) in
        QUOTE_MARKS.iter().flat_map(|mark| [("\"", *mark), (*mark, "\""), ("'", *mark), (*mark, *mark)])
    {
        for words in ["A", "two words", "x: y", "3"] {
            for closed in [true, false] {
                let meant = json!({"title": words, "n": 1});
                for text in [
                    format!("{{\"title\": {open}{words}{close}, \"n\": 1}}"),
                    format!("{{\"n\": 1, \"title\": {open}{words}{close}}}"),
                    format!("{{{open}title{close}: \"{words}\", \"n\": 1}}"),
                ] {
                    check(&titled(closed), &text, Some(&meant));
                }
            }
        }
    }
}

#[test]
fn doubled_quotes_are_not_part_of_a_string() {
    for (open, close) in [("\"", "\"\""), ("\"\"", "\"\""), ("'", "''"), ("''", "''"), ("\u{201c}", "\"\"")] {
        let text = format!("[{open}a{close}, {open}b{close}]");
        check(&strings(), &text, Some(&json!(["a", "b"])));
        check(
            &titled(true),
            &format!("{{\"title\": {open}A{close}, \"n\": 1}}"),
            Some(&json!({"title": "A", "n": 1})),
        );
    }
    check(&titled(true), r#"{"title": "say ""hi"" now"}"#, Some(&json!({"title": "say \"hi\" now"})));
}

#[test]
fn no_member_is_part_of_a_string() {
    for words in ["A", "kg", "two words", "x-y"] {
        for closed in [true, false] {
            let meant = json!({"title": words, "n": 1});
            for text in [
                format!("{{title: {words} n: 1}}"),
                format!("{{title: {words} n:1}}"),
                format!("{{title: {words} \"n\": 1}}"),
                format!("{{title: {words} n :1}}"),
                format!("{{title: {words} n=1}}"),
                format!("{{title: {words}, n = 1}}"),
                format!("{{title: {words}, n => 1}}"),
                format!("{{title: {words} {{n: 1}}}}"),
                format!("{{title: {words} | n: 1}}"),
                format!("{{title: \"{words}\" n: 1}}"),
                format!("{{\"title\": {words}, n\": 1}}"),
            ] {
                check(&titled(closed), &text, Some(&meant));
            }
            let meant = json!({"title": words, "unit": "kg"});
            check(&titled(closed), &format!("{{\"title\": \"{words}\", unit\": kg\"}}"), Some(&meant));
        }
        check(
            &titled(false),
            &format!("{{\"title\": \"key: \"{words}\", other: \"thing\", a 24\" screen now\"}}"),
            None,
        );
    }
}

#[test]
fn a_spelling_of_null_is_no_string() {
    for word in
        ["null", "Null", "NULL", "nil", "Nil", "NIL", "none", "None", "NONE", "undefined", "Undefined"]
    {
        check(&titled(false), &format!("{{\"title\": {word}}}"), None);
        check(&titled(true), &format!("{{title: {word}, n: 1}}"), None);
        check(&strings(), &format!("[\"a\", {word}]"), None);
        check(&strings(), &format!("[{word}]"), None);
        check(&titled(false), &format!("{{\"title\": {word}!}}"), None);
        let nullable = json!({"type": "object", "properties": {"v": {"type": ["string", "null"]}}});
        check(&nullable, &format!("{{\"v\": {word}}}"), Some(&json!({"v": null})));
    }
}

#[test]
fn which_quote_of_a_list_is_missing_is_not_guessed() {
    for (mut random, _) in documents() {
        let words: Vec<String> = (0..3 + random.below(3)).map(|index| format!("value{index}")).collect();
        let at = random.below(words.len() - 1);
        let mut write = |index: usize, word: &String| match random.chance(50) {
            _ if index != at => format!("\"{word}\""),
            true => format!("\"{word}"),
            false => format!("{word}\""),
        };
        let items: Vec<String> = words.iter().enumerate().map(|(index, word)| write(index, word)).collect();
        check(&strings(), &format!("[{}]", items.join(", ")), None);
        check(&strings(), &format!("[{}]", items.join(" ")), None);
    }
}

#[test]
fn a_missing_item_is_not_skipped() {
    for (_, Document { schema, value: item }) in documents() {
        for text in [format!("[, {item}]"), format!("[{item}, , {item}]"), format!("[,,{item}]")] {
            check(&list(schema.clone()), &text, None);
        }
    }
    for text in ["[, 2]", "[,,,]", "[,]", "[1,,2]", "(, 2)"] {
        check(&list(json!({"type": "integer"})), text, None);
    }
}

#[test]
fn one_item_is_no_list_if_words_follow() {
    for (_, Document { schema, value: item }) in documents() {
        let lists = list(schema);
        for words in ["(3 more omitted)", "and so on", "他の二つは省略", "The second is similar."] {
            for text in [
                format!("{item}\n{words}"),
                format!("```json\n{item}\n```\n{words}"),
                format!("The first is {item}, {words}"),
                format!("{words} This is the first: {item}"),
                format!("{item},"),
                format!("{item}..."),
            ] {
                check(&lists, &text, None);
            }
            let nested = json!({"type": "object", "properties": {"items": lists}, "required": ["items"]});
            let object = json!({"items": item});
            check(&nested, &format!("{object}\n{words}"), None);
            check(&nested, &format!("```json\n{object}\n```\n{words}"), None);
            check(&nested, &format!("{{\"items\": {item} // {words}\n}}"), None);
            assert_eq!(
                value(&contract(&nested, Mode::Lenient), &object.to_string()),
                Some(json!({"items": [item]}))
            );
        }
        assert_eq!(value(&contract(&lists, Mode::Lenient), &item.to_string()), Some(json!([item])));
    }
}

#[test]
fn a_comment_at_the_end_of_a_list_may_speak_of_more() {
    for (_, Document { schema, value: item }) in documents() {
        for words in ["and 20 more", "etc.", "usw.", "以下省略", "..."] {
            for text in [
                format!("[{item}, {item} /* {words} */]"),
                format!("[{item}, {item} // {words}\n]"),
                format!("[{item}, {item}, // {words}\n]"),
                format!("[{item}, {item} # {words}\n]"),
                format!("[{item} /* {words} */"),
                format!("[/* {words} */]"),
                format!("[{item}, /* {words} */ {item}]"),
                format!("[/* {words} */ {item}]"),
                format!("[{item},\n// {words}\n{item}]"),
            ] {
                check(&list(schema.clone()), &text, None);
            }
        }
    }
    let whole = "[1, // the first\n 2 /* the second */, 3]";
    let integers = contract(&list(json!({"type": "integer"})), Mode::Lenient);
    assert_eq!(value(&integers, whole), Some(json!([1, 2, 3])));
}

#[test]
fn a_placeholder_and_code_are_no_strings() {
    for mark in [
        "<insert name>",
        "<name>",
        "???",
        "?",
        "___",
        "~",
        "-",
        "--",
        "$NAME",
        "$",
        "%",
        "*",
        "process.env.KEY",
        "os.name",
        "items[0]",
        "items[0].name",
        "f(x)",
        "f(x).y",
        "function() { return 1 }",
        "() => 1",
        "[name]",
        "{{name}}",
        "…",
        "Dear <name>",
        "low | medium | high",
        "string | null",
        "new Date()",
        "await f(x)",
        "x => x",
        "a + b",
        "a ? b : c",
        "a || b",
        "a && b",
        "a->b",
        "1+2",
        "n = 1",
    ] {
        for closed in [true, false] {
            check(&titled(closed), &format!("{{\"title\": {mark}}}"), None);
            check(&titled(closed), &format!("{{title: {mark}, n: 1}}"), None);
        }
        check(&strings(), &format!("[{mark}]"), None);
    }
    for words in
        ["red", "two words", "#fff", "https://example.org/a", "12:30", "v1.2.3", "Dr. Smith", "x (y)"]
    {
        let read = value(&contract(&titled(true), Mode::Lenient), &format!("{{title: {words}, n: 1}}"));
        assert_eq!(read, Some(json!({"title": words, "n": 1})), "{words}");
    }
}

#[test]
fn a_key_that_marks_no_answer_is_no_wrapper() {
    for (_, Document { schema, value: item }) in documents() {
        if schema["required"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        for name in ["error", "invalid", "example", "draft", "previous", "xyz"] {
            check(&schema, &json!({name: item}).to_string(), None);
        }
        for name in ["answer", "result", "output", "response", "json", "arguments"] {
            let is_own = schema["properties"].get(name).is_some();
            let read = value(&contract(&schema, Mode::Lenient), &json!({name: item}).to_string());
            assert!(is_own || read == Some(item.clone()), "{name}: {read:?}");
        }
    }
}

#[test]
fn a_tag_or_fence_of_another_name_is_prose() {
    use accord_contract::{Answer, Source, Verdict, judge};
    for (_, Document { schema, value: item }) in documents() {
        let source = |text: &str| match judge(
            &Answer::text(text),
            &contract(&schema, Mode::Strict),
            &accord_json::Meter::default(),
        ) {
            Verdict::Accepted(accepted) => Some(accepted.source),
            Verdict::Rejected(_) => None,
        };
        for name in ["example", "incorrect", "observation", "user"] {
            assert_eq!(source(&format!("<{name}>{item}</{name}>")), Some(Source::Prose), "{name}");
            assert_eq!(source(&format!("```{name}\n{item}\n```")), Some(Source::Prose), "{name}");
        }
        for name in ["", "json", "JSON", "jsonc", "text", "result", "tool_call"] {
            assert_eq!(source(&format!("So:\n```{name}\n{item}\n```")), Some(Source::Fence), "{name}");
        }
        for name in ["tool_outputs", "function_results", "thinking"] {
            assert_eq!(source(&format!("So:\n```{name}\n{item}\n```")), None, "{name}");
        }
    }
}

#[test]
fn an_empty_list_in_prose_is_a_list() {
    for contract in [Mode::Strict, Mode::Lenient].map(|mode| contract(&strings(), mode)) {
        for text in ["Here is the result: []", "Here is an empty array: [] and some text.", "So:\n\n[]"] {
            assert_eq!(value(&contract, text), Some(json!([])), "{text}");
        }
        for text in ["- [ ] todo", "a string[] is asked", "[][0]", "x[]"] {
            assert_eq!(value(&contract, text), None, "{text}");
        }
    }
}
