//! Kinds of damage to answers, one function each. `None` if a document has no place for the damage.

use accord_contract::Meter;
use serde_json::{Value, json};

use super::document::{Document, Random, Token, tokens, write};

/// The expected outcome for a damaged text.
pub(crate) enum Expect {
    /// This value. A rejection is also correct, but lowers the recovery rate.
    Value(Value),
    /// A rejection.
    Reject,
}

pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) schema: Value,
    pub(crate) expect: Expect,
}

type Damage = fn(&mut Random, &Document) -> Option<Case>;

pub(crate) const DAMAGES: &[(&str, Damage)] = &[
    ("trailing_comma", trailing_comma),
    ("missing_comma", missing_comma),
    ("missing_colon", missing_colon),
    ("single_quotes", single_quotes),
    ("smart_quotes", smart_quotes),
    ("bare_keys", bare_keys),
    ("bare_value", bare_value),
    ("python", python),
    ("comments", comments),
    ("control", control),
    ("inner_quotes", inner_quotes),
    ("drop_closer", drop_closer),
    ("wrong_closer", wrong_closer),
    ("drop_last_closers", drop_last_closers),
    ("close_quote", close_quote),
    ("open_quote", open_quote),
    ("cut", cut),
    ("prose", prose),
    ("fence", fence),
    ("think", think),
    ("escaped", escaped),
    ("stringified", stringified),
    ("coerced", coerced),
    ("enum_case", enum_case),
    ("wrapper", wrapper),
    ("spaces", spaces),
    ("two_kinds", two_kinds),
    ("drop_opener", drop_opener),
    ("key_quote", key_quote),
    ("extra_mark", extra_mark),
    ("swapped_marks", swapped_marks),
    ("reject_missing", reject_missing),
    ("reject_type", reject_type),
    ("reject_two", reject_two),
    ("reject_hole", reject_hole),
];

fn value_case(document: &Document, text: String) -> Option<Case> {
    let expect = Expect::Value(document.value.clone());
    Some(Case { text, schema: document.schema.clone(), expect })
}

fn edit(
    random: &mut Random,
    document: &Document,
    fits: impl Fn(&[Token], usize) -> bool,
    change: impl Fn(&mut Vec<Token>, usize),
) -> Option<Case> {
    let mut all = tokens(&document.value);
    let places: Vec<usize> = (0..all.len()).filter(|index| fits(&all, *index)).collect();
    if places.is_empty() {
        return None;
    }
    let place = *random.pick(&places);
    change(&mut all, place);
    value_case(document, write(&all, random.chance(50)))
}

fn trailing_comma(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| {
        matches!(all[at], Token::Close(_)) && !matches!(all[at - 1], Token::Open(_))
    };
    edit(random, document, fits, |all, at| all.insert(at, Token::Comma))
}

fn missing_comma(random: &mut Random, document: &Document) -> Option<Case> {
    edit(random, document, |all, at| all[at] == Token::Comma, |all, at| all[at] = Token::Raw(" ".to_owned()))
}

fn missing_colon(random: &mut Random, document: &Document) -> Option<Case> {
    edit(random, document, |all, at| all[at] == Token::Colon, |all, at| all[at] = Token::Raw(" ".to_owned()))
}

fn every(
    random: &mut Random,
    document: &Document,
    change: impl Fn(&Token) -> Option<String>,
) -> Option<Case> {
    let mut all = tokens(&document.value);
    let mut changed = false;
    for token in &mut all {
        if let Some(raw) = change(token) {
            *token = Token::Raw(raw);
            changed = true;
        }
    }
    if !changed {
        return None;
    }
    value_case(document, write(&all, random.chance(50)))
}

fn quoted(text: &str, open: char, close: char) -> String {
    let body = json!(text).to_string();
    let body = body[1..body.len() - 1].replace("\\\"", "\"");
    format!("{open}{}{close}", body.replace(close, &format!("\\{close}")))
}

fn single_quotes(random: &mut Random, document: &Document) -> Option<Case> {
    every(random, document, |token| match token {
        Token::Key(text) | Token::Text(text) => Some(quoted(text, '\'', '\'')),
        _ => None,
    })
}

fn smart_quotes(random: &mut Random, document: &Document) -> Option<Case> {
    every(random, document, |token| match token {
        Token::Key(text) | Token::Text(text) if !text.contains(['\u{201c}', '\u{201d}', '"']) => {
            let body = json!(text).to_string();
            Some(format!("\u{201c}{}\u{201d}", &body[1..body.len() - 1]))
        }
        _ => None,
    })
}

fn bare_keys(random: &mut Random, document: &Document) -> Option<Case> {
    every(random, document, |token| match token {
        Token::Key(name) => Some(name.clone()),
        _ => None,
    })
}

fn is_plain(text: &str) -> bool {
    let words = ["true story", "null and void", "x", "3 apples"];
    !text.is_empty() && text.chars().all(|each| each.is_alphabetic() || each == ' ') && !words.contains(&text)
}

fn bare_value(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| matches!(&all[at], Token::Text(text) if is_plain(text));
    edit(random, document, fits, |all, at| {
        if let Token::Text(text) = &all[at] {
            all[at] = Token::Raw(text.clone());
        }
    })
}

fn python(random: &mut Random, document: &Document) -> Option<Case> {
    every(random, document, |token| match token {
        Token::Word(word) if word == "true" => Some("True".to_owned()),
        Token::Word(word) if word == "false" => Some("False".to_owned()),
        Token::Text(text) => Some(quoted(text, '\'', '\'')),
        _ => None,
    })
}

fn comments(random: &mut Random, document: &Document) -> Option<Case> {
    let note = *random.pick(&["/* why */ ", "// it's \"here\"\n", "# see {a: 1}\n"]);
    edit(
        random,
        document,
        |all, at| matches!(all[at], Token::Key(_)),
        move |all, at| {
            all.insert(at, Token::Raw(note.to_owned()));
        },
    )
}

fn control(random: &mut Random, document: &Document) -> Option<Case> {
    every(random, document, |token| match token {
        Token::Text(text) if text.contains(['\n', '\t']) => {
            Some(json!(text).to_string().replace("\\n", "\n").replace("\\t\\", "\t\\").replace("\\th", "\th"))
        }
        _ => None,
    })
    .filter(|case| !case.text.contains("\\temp") || !case.text.contains('\t'))
}

fn inner_quotes(random: &mut Random, document: &Document) -> Option<Case> {
    every(random, document, |token| match token {
        Token::Text(text) if text.contains('"') => Some(json!(text).to_string().replace("\\\"", "\"")),
        _ => None,
    })
}

fn drop_closer(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| matches!(all[at], Token::Close(_));
    let mut case = edit(random, document, fits, |all, at| {
        all.remove(at);
    })?;
    // Without its bracket, an inner object can absorb what followed it: then more than one reading
    // is right.
    if serde_json::from_str::<Value>(&case.text).is_ok() {
        return None;
    }
    case.schema = document.schema.clone();
    Some(case)
}

fn wrong_closer(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| matches!(all[at], Token::Close(_));
    edit(random, document, fits, |all, at| {
        all[at] = Token::Close(if all[at] == Token::Close('}') { ']' } else { '}' });
    })
}

fn drop_last_closers(random: &mut Random, document: &Document) -> Option<Case> {
    let mut all = tokens(&document.value);
    let closers = all.iter().rev().take_while(|token| matches!(token, Token::Close(_))).count();
    let kept = random.below(closers);
    all.truncate(all.len() - (closers - kept));
    // A number at the very end may be cut; that is another kind of damage.
    if matches!(all.last(), Some(Token::Word(word)) if word.ends_with(|last: char| last.is_ascii_digit())) {
        all.push(Token::Raw("\n".to_owned()));
    }
    if matches!(all.last(), Some(Token::Open(_))) {
        return None;
    }
    value_case(document, write(&all, random.chance(50)))
}

fn close_quote(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| {
        matches!(&all[at], Token::Text(text) if !text.is_empty()) && all.get(at + 1) == Some(&Token::Comma)
    };
    edit(random, document, fits, |all, at| {
        if let Token::Text(text) = &all[at] {
            let body = json!(text).to_string();
            all[at] = Token::Raw(body[..body.len() - 1].to_owned());
        }
    })
}

fn open_quote(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| matches!(&all[at], Token::Text(text) if is_plain(text));
    edit(random, document, fits, |all, at| {
        if let Token::Text(text) = &all[at] {
            all[at] = Token::Raw(format!("{text}\""));
        }
    })
}

/// A cut at any byte. The remaining text determines the expected outcome.
fn cut(random: &mut Random, document: &Document) -> Option<Case> {
    let text = write(&tokens(&document.value), random.chance(50));
    let mut at = 1 + random.below(text.len() - 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let text = text[..at].to_owned();
    let expect = match completed(&text) {
        Some(value)
            if accord_contract::Schema::compile(&document.schema, &Meter::default())
                .ok()?
                .accepts(&value, &Meter::default()) =>
        {
            Expect::Value(value)
        }
        _ => Expect::Reject,
    };
    Some(Case { text, schema: document.schema.clone(), expect })
}

/// The value of a text that was cut after a complete token, without an unfinished property.
fn completed(text: &str) -> Option<Value> {
    let (mut stack, mut in_string, mut escaped, mut string_start) = (Vec::new(), false, false, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => {
                in_string = !in_string;
                if in_string {
                    string_start = index;
                }
            }
            _ if in_string => {}
            b'{' => stack.push('}'),
            b'[' => stack.push(']'),
            b'}' | b']' => {
                stack.pop();
            }
            _ => {}
        }
    }
    let mut kept = text.trim_end();
    let key_place = |before: &str| before.trim_end().ends_with([',', '{']) && stack.last() == Some(&'}');
    if in_string {
        kept = key_place(&text[..string_start]).then(|| text[..string_start].trim_end())?;
    } else if kept.ends_with(':') {
        kept = kept[..kept.len() - 1].trim_end();
        kept = kept[..string_start].trim_end();
    } else if kept.ends_with('"') && key_place(&text[..string_start]) {
        kept = text[..string_start].trim_end();
    }
    if kept.ends_with(['{', '['])
        || (kept.len() == text.len() && kept.ends_with(|last: char| last.is_ascii_digit()))
    {
        return None;
    }
    let closers: String = stack.iter().rev().collect();
    serde_json::from_str(&format!("{}{closers}", kept.trim_end_matches(','))).ok()
}

fn prose(random: &mut Random, document: &Document) -> Option<Case> {
    let text = write(&tokens(&document.value), random.chance(50));
    let around = *random.pick(&[
        ("Here you go:\n", "\nAnything else?"),
        ("Using {name} from [1], I get ", " - it's what you asked for."),
        ("**Answer** (final): ", ""),
        ("<answer>", "</answer>"),
        ("I considered {\"a\": 1} first.\n", "\n"),
    ]);
    value_case(document, format!("{}{text}{}", around.0, around.1))
}

fn fence(random: &mut Random, document: &Document) -> Option<Case> {
    let text = write(&tokens(&document.value), random.chance(50));
    let around = *random.pick(&[
        ("Sure!\n```json\n", "\n```\nDone."),
        ("```\n", "\n```"),
        ("~~~json\n", "\n~~~"),
        ("```json\n", ""),
        ("Run `ls`.\n```sh\nls {a,b}\n```\nthen\n```json\n", "\n```"),
    ]);
    value_case(document, format!("{}{text}{}", around.0, around.1))
}

fn think(random: &mut Random, document: &Document) -> Option<Case> {
    let text = write(&tokens(&document.value), random.chance(50));
    let draft = write(&tokens(&document.value), false).replace(":", ": ");
    let around = *random.pick(&["<think>", "<thinking>\n", "<reasoning>", ""]);
    let close = match around.trim() {
        "" => "</think>".to_owned(),
        open => open.replace('<', "</"),
    };
    value_case(document, format!("{around}a draft {draft} but no{close}\n{text}"))
}

fn escaped(random: &mut Random, document: &Document) -> Option<Case> {
    let text = json!(write(&tokens(&document.value), random.chance(50))).to_string();
    value_case(document, text[1..text.len() - 1].to_owned())
}

fn stringified(_: &mut Random, document: &Document) -> Option<Case> {
    let mut value = document.value.clone();
    let inner = value.as_object_mut()?.values_mut().find(|member| member.is_object() || member.is_array())?;
    *inner = json!(inner.to_string());
    value_case(document, value.to_string())
}

fn coerced(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| matches!(&all[at], Token::Word(_));
    edit(random, document, fits, |all, at| {
        if let Token::Word(word) = &all[at] {
            all[at] = Token::Text(word.clone());
        }
    })
}

fn enum_case(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| matches!(&all[at], Token::Text(text) if ["low", "medium", "high"].contains(&text.as_str()));
    edit(random, document, fits, |all, at| {
        if let Token::Text(text) = &all[at] {
            all[at] = Token::Text(text.to_uppercase());
        }
    })
}

fn wrapper(random: &mut Random, document: &Document) -> Option<Case> {
    let key = *random.pick(&["result", "response", "data", "output"]);
    let wrapped = json!({ key: document.value });
    // If nothing is required, the wrapper itself conforms and is the value.
    let conforms = accord_contract::Schema::compile(&document.schema, &Meter::default())
        .ok()?
        .accepts(&wrapped, &Meter::default());
    (!conforms).then(|| value_case(document, wrapped.to_string()))?
}

fn spaces(random: &mut Random, document: &Document) -> Option<Case> {
    let space = *random.pick(&["\u{a0}", "\u{3000}", "\u{200b}", "\u{feff}"]);
    edit(
        random,
        document,
        |all, at| all[at] == Token::Colon,
        |all, at| {
            all.insert(at + 1, Token::Raw(space.to_owned()));
        },
    )
}

/// Two kinds of damage in one text: an extra comma at the end and a missing one in the middle.
fn two_kinds(random: &mut Random, document: &Document) -> Option<Case> {
    edit(
        random,
        document,
        |all, at| all[at] == Token::Comma,
        |all, at| {
            all[at] = Token::Raw("\n".to_owned());
            let last = all.len() - 1;
            all.insert(last, Token::Comma);
            for token in all.iter_mut() {
                if let Token::Key(name) = token {
                    *token = Token::Raw(name.clone());
                }
            }
        },
    )
}

fn drop_opener(random: &mut Random, document: &Document) -> Option<Case> {
    let fits = |all: &[Token], at: usize| at > 0 && matches!(all[at], Token::Open(_));
    edit(random, document, fits, |all, at| {
        all.remove(at);
    })
}

fn key_quote(random: &mut Random, document: &Document) -> Option<Case> {
    let first = random.chance(50);
    edit(
        random,
        document,
        |all, at| matches!(all[at], Token::Key(_)),
        |all, at| {
            if let Token::Key(name) = &all[at] {
                all[at] = Token::Raw(if first { format!("{name}\"") } else { format!("\"{name}") });
            }
        },
    )
}

/// One extra mark between two tokens.
fn extra_mark(random: &mut Random, document: &Document) -> Option<Case> {
    let mark = *random.pick(&[",", ":", "}", "]", "\"", "{", "["]);
    edit(random, document, |_, at| at > 0, |all, at| all.insert(at, Token::Raw(mark.to_owned())))
}

/// Two adjacent marks in the wrong order, for example `],}` for `]},`.
fn swapped_marks(random: &mut Random, document: &Document) -> Option<Case> {
    let is_mark = |token: &Token| matches!(token, Token::Close(_) | Token::Comma);
    let fits = |all: &[Token], at: usize| {
        is_mark(&all[at]) && all.get(at + 1).is_some_and(is_mark) && all[at] != all[at + 1]
    };
    edit(random, document, fits, |all, at| all.swap(at, at + 1))
}

fn reject_case(document: &Document, text: String) -> Option<Case> {
    Some(Case { text, schema: document.schema.clone(), expect: Expect::Reject })
}

fn reject_missing(random: &mut Random, document: &Document) -> Option<Case> {
    let required = document.schema["required"].as_array()?;
    if required.is_empty() {
        return None;
    }
    let name = random.pick(required).as_str()?.to_owned();
    let mut value = document.value.clone();
    value.as_object_mut()?.shift_remove(&name);
    reject_case(document, write(&tokens(&value), random.chance(50)))
}

fn reject_type(random: &mut Random, document: &Document) -> Option<Case> {
    let mut value = document.value.clone();
    let properties = document.schema["properties"].as_object()?.clone();
    let members = value.as_object_mut()?;
    let numbers: Vec<String> =
        members.keys().filter(|name| properties[name.as_str()]["type"] == "integer").cloned().collect();
    if numbers.is_empty() {
        return None;
    }
    let wrong =
        random.pick(&[json!("many"), json!(2.5), json!([1, 2]), json!({"a": 1}), json!("12 apples")]).clone();
    members.insert(random.pick(&numbers).clone(), wrong);
    reject_case(document, write(&tokens(&value), random.chance(50)))
}

fn reject_two(random: &mut Random, document: &Document) -> Option<Case> {
    let mut other = document.value.clone();
    let members = other.as_object_mut()?;
    let changed = members.values_mut().find(|member| member.is_i64() || member.is_boolean())?;
    *changed = match &*changed {
        Value::Bool(truth) => json!(!*truth),
        number => json!(number.as_i64()? + 1),
    };
    let (first, second) = (write(&tokens(&document.value), random.chance(50)), write(&tokens(&other), false));
    reject_case(document, format!("Either {first}\nor {second}"))
}

fn reject_hole(random: &mut Random, document: &Document) -> Option<Case> {
    let required = document.schema["required"].as_array()?.clone();
    let fits = |all: &[Token], at: usize| {
        at == 3
            && matches!(&all[1], Token::Key(name) if required.contains(&json!(name)))
            && matches!(all[at], Token::Text(_) | Token::Word(_))
    };
    let case = edit(random, document, fits, |all, at| {
        all.remove(at);
    })?;
    reject_case(document, case.text)
}
