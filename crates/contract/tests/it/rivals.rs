//! A text with two different values: the first is never given out, wherever the second is and whatever its state.

use std::collections::BTreeMap;

use accord_contract::{Extract, Mode, Options};
use serde_json::{Map, Value, json};

use crate::corruptions::document::{Document, Random, document, tokens, write};
use crate::judging::{contract, value};

/// How many pairs of values each combination is tried with; `RIVAL_ROUNDS` sets another number.
const ROUNDS: u64 = 2;

/// Where a value may be, in order of trust: the marks before and after it.
const PLACES: &[(&str, &str, &str)] = &[
    ("fence", "```json\n", "\n```"),
    ("plain fence", "```\n", "\n```"),
    ("result fence", "~~~result\n", "\n~~~"),
    ("other fence", "```python\n", "\n```"),
    ("prose", "it is ", " as far as I can tell."),
    ("line", "\n", "\n"),
    ("code", "`", "`"),
    ("answer tag", "<answer>", "</answer>"),
    ("example tag", "<example>\n", "\n</example>"),
    ("call tag", "<tool_call>", "</tool_call>"),
    ("call token", "<|tool_call_begin|>", "<|tool_call_end|>"),
];
const FENCES: usize = 3;

const BETWEEN: &[&str] = &["Correction:", "or", "しかし", "For example, then:", "---", "Final answer:"];

/// How the second value is written. `None` if it cannot be written so.
type State = fn(&mut Random, &Value) -> Option<String>;

const STATES: &[(&str, State)] = &[
    ("clean", |_, value| Some(value.to_string())),
    ("pretty", |_, value| Some(write(&tokens(value), true))),
    ("trailing comma", |_, value| Some(format!("{},}}", inside(value)))),
    ("comment", |_, value| Some(format!("{{ // second\n{}}}", &inside(value)[1..]))),
    ("single quotes", single_quotes),
    ("cut", cut),
    ("closer missing", |_, value| Some(inside(value))),
    ("damaged", |_, value| Some(format!("{} denied}}", inside(value)))),
    ("escaped", |_, value| Some(value.to_string().replace('\\', "\\\\").replace('"', "\\\""))),
    ("call", |_, value| Some(json!({"name": "submit", "arguments": value}).to_string())),
    ("written call", |_, value| {
        Some(
            json!({"type": "function", "function": {"name": "f", "arguments": value.to_string()}})
                .to_string(),
        )
    }),
    ("cut call", |random, value| cut(random, &json!({"name": "submit", "arguments": value}))),
    ("call with a comma", |_, value| Some(format!("{{\"name\": \"f\", \"arguments\": {value},}}"))),
    ("list of one", |_, value| Some(json!([value]).to_string())),
    ("unquoted keys", unquoted_keys),
    ("equals signs", |_, value| respelled(value, |name| format!("\"{name}\" ="))),
    ("arrows", |_, value| respelled(value, |name| format!("{name} =>"))),
    ("no colons", |_, value| respelled(value, |name| format!("\"{name}\""))),
    ("other keys", |_, value| respelled(value, |name| format!("\"{}\":", name.to_uppercase()))),
    ("in a wrapper", |_, value| Some(json!({"correction": value}).to_string())),
];

/// The text of an object with its keys written otherwise.
fn respelled(value: &Value, key: fn(&str) -> String) -> Option<String> {
    let members: Vec<String> =
        value.as_object()?.iter().map(|(name, member)| format!("{} {member}", key(name))).collect();
    Some(format!("{{{}}}", members.join(", ")))
}

/// The text of an object without its last bracket.
fn inside(value: &Value) -> String {
    let text = value.to_string();
    text[..text.len() - 1].to_owned()
}

fn single_quotes(_: &mut Random, value: &Value) -> Option<String> {
    let text = value.to_string();
    (!text.contains(['\'', '\\'])).then(|| text.replace('"', "'"))
}

fn unquoted_keys(_: &mut Random, value: &Value) -> Option<String> {
    let members: Vec<String> =
        value.as_object()?.iter().map(|(name, member)| format!("{name}: {member}")).collect();
    Some(format!("{{{}}}", members.join(", ")))
}

/// Cut somewhere after the first key.
fn cut(random: &mut Random, value: &Value) -> Option<String> {
    let text = value.to_string();
    let name = value.get("arguments").unwrap_or(value).as_object()?.keys().next()?.clone();
    let first = text.find(&format!("\"{name}\":"))? + name.len() + 3;
    let ends: Vec<usize> = (first..text.len()).filter(|end| text.is_char_boundary(*end)).collect();
    Some(text[..*random.pick(&ends)].to_owned())
}

/// Another value of the same schema: a scalar of the first says something else.
fn another(value: &Value) -> Option<Value> {
    let mut other = value.clone();
    let slot =
        other.as_object_mut()?.values_mut().find(|member| !member.is_object() && !member.is_array())?;
    *slot = match &*slot {
        Value::String(text) if text == "low" => json!("high"),
        Value::String(text) if ["medium", "high"].contains(&text.as_str()) => json!("low"),
        Value::String(text) => json!(format!("{text} too")),
        Value::Bool(truth) => json!(!truth),
        Value::Number(number) => {
            serde_json::from_str(&format!("1{}", number.to_string().replace('-', ""))).ok()?
        }
        _ => return None,
    };
    Some(other)
}

fn pairs() -> impl Iterator<Item = (Random, Document, Value)> {
    (1..).filter_map(|seed| {
        let mut random = Random(seed);
        let document = document(&mut random);
        let other = another(&document.value)?;
        Some((random, document, other))
    })
}

fn rounds() -> usize {
    std::env::var("RIVAL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS) as usize
}

fn placed(place: (&str, &str, &str), text: &str) -> String {
    format!("{}{text}{}", place.1, place.2)
}

/// Every option that decides where a value is taken from.
fn judged(schema: &Value, text: &str) -> Vec<(String, Value)> {
    let mut accepted = Vec::new();
    let contract = contract(schema, Mode::Strict);
    for mode in [Mode::Strict, Mode::Lenient] {
        for extract_json in [Extract::ALL, Extract { fence: true, prose: false }] {
            let options = Options { mode, extract_json, ..Options::default() };
            let found = value(&contract.clone().with_options(options), text);
            accepted.extend(found.map(|value| (format!("{mode:?} {extract_json:?}"), value)));
        }
    }
    accepted
}

fn report(count: usize, wrong: &[String]) {
    println!("{count} texts, {} wrong", wrong.len());
    wrong.iter().take(20).for_each(|line| println!("{line}"));
    assert!(wrong.is_empty(), "{} of {count} texts gave a value", wrong.len());
}

#[test]
fn a_second_value_in_any_place_and_state_makes_an_answer_ambiguous() {
    let mut count = 0;
    let mut by_state = BTreeMap::<&str, usize>::new();
    let mut wrong = Vec::new();
    let mut pairs = pairs();
    for first in PLACES {
        for second in PLACES {
            for (name, state) in STATES {
                for _ in 0..rounds() {
                    let (mut random, Document { schema, value: one }, other) = pairs.next().unwrap();
                    let Some(other) = state(&mut random, &other) else { continue };
                    let between = random.pick(BETWEEN);
                    let (one, other) = (placed(*first, &one.to_string()), placed(*second, &other));
                    // What is cut takes in all that follows it, so it comes last; so does one that is read and does not conform,
                    // because the other would correct it.
                    let is_last = name.contains("cut")
                        || ["closer missing", "other keys", "in a wrapper"].contains(name);
                    let text = match random.chance(50) && !is_last {
                        true => format!("{other}\n{between}\n{one}"),
                        false => format!("{one}\n{between}\n{other}"),
                    };
                    count += 1;
                    *by_state.entry(name).or_default() += 1;
                    for (options, got) in judged(&schema, &text) {
                        wrong.push(format!("{name} {options}\n  text {text}\n  got  {got}"));
                    }
                }
            }
        }
    }
    println!("{by_state:?}");
    assert!(count > 2_000, "{count}");
    report(count, &wrong);
}

#[test]
fn an_example_never_replaces_an_answer_that_does_not_conform() {
    let (mut count, mut wrong) = (0, Vec::new());
    let mut pairs = pairs();
    for (example_at, example) in PLACES.iter().enumerate() {
        for (answer_at, answer) in PLACES.iter().enumerate() {
            for _ in 0..rounds() {
                let (mut random, Document { schema, value: one }, _) = pairs.next().unwrap();
                let mut invalid = one.as_object().unwrap().clone();
                *invalid.values_mut().next().unwrap() = json!([[null]]);
                let example = placed(*example, &one.to_string());
                let answer = placed(*answer, &Value::Object(invalid).to_string());
                let is_trusted = answer_at < FENCES && example_at >= FENCES;
                let text = match is_trusted && random.chance(50) {
                    true => format!("{answer}\nFor example {example}"),
                    false => format!("For example {example}\nMy answer:\n{answer}"),
                };
                count += 1;
                for (options, got) in judged(&schema, &text) {
                    wrong.push(format!("{options}\n  text {text}\n  got  {got}"));
                }
            }
        }
    }
    report(count, &wrong);
}

#[test]
fn the_same_value_may_be_said_again() {
    let mut pairs = pairs();
    for first in PLACES {
        for second in PLACES {
            let (_, Document { schema, value: one }, _) = pairs.next().unwrap();
            let again = write(&tokens(&one), true);
            let text = format!("{}\nagain:\n{}", placed(*first, &one.to_string()), placed(*second, &again));
            for mode in [Mode::Strict, Mode::Lenient] {
                assert_eq!(value(&contract(&schema, mode), &text), Some(one.clone()), "{text}");
            }
        }
    }
}

#[test]
fn an_object_without_a_key_of_the_schema_is_no_rival() {
    let other = json!({"error": "not found", "retry": {"after": [1, 2]}}).to_string();
    let mut pairs = pairs();
    for first in PLACES {
        for second in PLACES {
            let (_, Document { schema, value: one }, _) = pairs.next().unwrap();
            let text = format!(
                "The service said: {}\nSo:\n{}",
                placed(*second, &other),
                placed(*first, &one.to_string())
            );
            for mode in [Mode::Strict, Mode::Lenient] {
                assert_eq!(value(&contract(&schema, mode), &text), Some(one.clone()), "{text}");
            }
        }
    }
}

#[test]
fn an_item_after_a_list_is_a_rival_unless_it_is_in_the_list() {
    let mut pairs = pairs();
    for first in PLACES {
        for second in PLACES {
            let (_, Document { schema, value: one }, other) = pairs.next().unwrap();
            let schema = json!({"type": "array", "items": schema});
            let list = json!([one]);
            let text = |item: &Value| {
                let (list, item) = (placed(*first, &list.to_string()), placed(*second, &item.to_string()));
                format!("{list}\nI forgot one:\n{item}")
            };
            for mode in [Mode::Strict, Mode::Lenient] {
                let contract = contract(&schema, mode);
                assert_eq!(value(&contract, &text(&other)), None, "{}", text(&other));
                assert_eq!(value(&contract, &text(&one)), Some(list.clone()), "{}", text(&one));
            }
        }
    }
}

#[test]
fn an_attempt_that_is_corrected_later_is_no_rival() {
    for (_, Document { schema, value: one }, _) in pairs().take(50) {
        let required = schema["required"].as_array().and_then(|names| names.first()).and_then(Value::as_str);
        let Some(required) = required else { continue };
        let incomplete: Map<String, Value> =
            one.as_object().unwrap().clone().into_iter().filter(|(name, _)| name != required).collect();
        let text = format!("{}\nI forgot {required}:\n{one}", Value::Object(incomplete));
        for mode in [Mode::Strict, Mode::Lenient] {
            assert_eq!(value(&contract(&schema, mode), &text), Some(one.clone()), "{text}");
        }
    }
}

#[test]
fn a_second_scalar_that_stands_apart_is_a_rival() {
    let pairs = [
        (json!({"enum": ["low", "high"]}), json!("low"), json!("high")),
        (json!({"type": "integer"}), json!(1), json!(2)),
        (json!({"type": "string"}), json!("a"), json!("b")),
        (json!({"type": "boolean"}), json!(true), json!(false)),
        (json!({"type": ["string", "null"]}), json!("a"), json!(null)),
    ];
    let list = |item: &Value| json!({"type": "array", "items": item});
    let lists = pairs.iter().map(|(schema, one, other)| (list(schema), json!([one]), other.clone()));
    for (schema, one, other) in pairs.iter().cloned().chain(lists) {
        for apart in [
            format!("```json\n{other}\n```"),
            format!("```python\n{other}\n```"),
            format!("Correction: {other}"),
            format!("Correction: `{other}`."),
            format!("\n{other}\n"),
            format!("- {other}"),
            format!("<answer>{other}</answer>"),
            format!("<tool_call>{other}</tool_call>"),
        ] {
            for text in
                [format!("```json\n{one}\n```\n{apart}"), format!("{apart}\nso:\n```json\n{one}\n```")]
            {
                let accepted = judged(&schema, &text).into_iter().next();
                assert!(accepted.is_none(), "text {text}\n  got {accepted:?}");
            }
        }
        let wrapped = format!("```json\n{one}\n```\n{{\"result\": {other}}}");
        assert_eq!(judged(&schema, &wrapped), [], "{wrapped}");
        for around in
            [format!("As said, it is {one}."), format!("Again: {one}"), "Step 3: see part 7 of 9.".to_owned()]
        {
            let text = format!("```json\n{one}\n```\n{around}");
            assert_eq!(value(&contract(&schema, Mode::Strict), &text), Some(one.clone()), "{text}");
        }
    }
}

#[test]
fn an_item_that_is_a_list_is_a_rival_of_a_list() {
    let schema = json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}});
    for text in ["```json\n[[1]]\n```\nI forgot `[2]`", "[[1]]\nI forgot one: [2]", "[[1]]\n\n[2]"] {
        assert_eq!(judged(&schema, text), [], "{text}");
    }
}
