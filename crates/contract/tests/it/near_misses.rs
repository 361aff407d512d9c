//! Texts that are nearly an answer: a word, a mark, a cut or a second value changes the meaning.
//! None of them may be accepted in either mode.

use accord_contract::Meter;
use std::collections::BTreeMap;

use accord_contract::{Answer, Mode, Verdict, judge};
use serde_json::{Value, json};

use crate::corruptions::document::{Random, Token, document, tokens, write};
use crate::judging::{contract, value};

/// How many texts are generated; `NEAR_MISSES` sets another number.
const COUNT: u64 = 900;

const WORDS: &[&str] = &[
    "denied",
    "NOT_VERIFIED",
    "not",
    "NOT",
    "revoked",
    "approximately",
    "maybe",
    "SHOULD_NOT_EXIST",
    "AAAA",
    "PENDING",
    "N/A",
    "etc.",
    "nicht",
    "ungültig",
    "annulé",
    "pas",
    "e",
    "und",
    "no",
    "отменено",
    "не",
    "拒否",
    "无效",
    "不",
    "취소",
    "ملغى",
    "לא",
    "नहीं",
    "ακυρώθηκε",
    "hủy",
    "(denied)",
    "- void",
    "*draft*",
    "?",
    "!",
    "?!",
    "~",
    "=> no",
    "!= ",
    "x",
    "-",
    "%",
    "<b>",
    "🚫",
    "the first is wrong",
    "if confirmed",
    "unless",
    "ignore this",
    "@todo",
    "$",
    "\\",
    "&",
    "|",
    "^",
    "_",
];
const QUALIFIERS: &[&str] = &[
    "~{}",
    "≈{}",
    "<{}",
    ">{}",
    "<= {}",
    "{}%",
    "{} %",
    "{}?",
    "{}+",
    "{}k",
    "{} kg",
    "${}",
    "€{}",
    "{}€",
    "about {}",
    "{} or so",
    "{}..9",
    "{}-9",
    "{}–9",
    "{},000",
    "{} 000",
    "{}'000",
    "±{}",
    "{}±1",
    "{}x",
    "#{}",
    "{}*",
    "{}!",
    "--{}",
    "- {}",
    "{}/10",
    "{}e",
    "0x{}",
    "{}:00",
    "{}^2",
    "{} (est.)",
    "ca. {}",
    "etwa {}",
    "約{}",
    "{}円",
    "{}個",
    "не {}",
    "{}\u{200b}0",
    "not {}",
    "{} not",
];
const OMISSIONS: &[&str] = &[
    "...",
    "…",
    "....",
    ". . .",
    "// ...",
    "# ...",
    "/* ... */",
    "// … more",
    "<...>",
    "[...]",
    "{...}",
    "etc.",
    "⋯",
    "(...)",
    "-- snip --",
];
const BETWEEN: &[&str] = &[
    "Discard the first.",
    "Second:",
    "or",
    "und",
    "o",
    "Use the second.",
    "Only the second counts.",
    "next:",
    "não,",
    "または",
    "Actually:",
    "The final answer is",
    "I mean",
    "versus",
    "instead of",
    "не",
    "Draft above, final below:",
    "a",
    "=>",
    "->",
    "!=",
];
const AFTER: &[&str] = &[
    "Discard the first.",
    "Only the second counts.",
    "The first is wrong.",
    "最初は無効",
    "Nur das zweite gilt.",
];

/// A text that must be rejected, or `None` if this document has no place for the miss.
type Miss = fn(&mut Random) -> Option<(Value, String)>;

const MISSES: &[(&str, Miss)] = &[
    ("word_behind_value", word_behind_value),
    ("word_before_value", word_before_value),
    ("word_beside_mark", word_beside_mark),
    ("qualified_number", qualified_number),
    ("omission", omission),
    ("cut", cut),
    ("cut_text", cut_text),
    ("two_answers", two_answers),
    ("two_items", two_items),
    ("key_twice", key_twice),
];

#[test]
fn near_misses_are_rejected() {
    let count = std::env::var("NEAR_MISSES").ok().and_then(|count| count.parse().ok()).unwrap_or(COUNT);
    let (mut cases, mut accepted) = (BTreeMap::<&str, u64>::new(), Vec::new());
    let mut seed = 0;
    while cases.values().sum::<u64>() < count {
        seed += 1;
        let (name, miss) = MISSES[seed as usize % MISSES.len()];
        let Some((schema, text)) = miss(&mut Random(seed)) else { continue };
        *cases.entry(name).or_default() += 1;
        for mode in [Mode::Strict, Mode::Lenient] {
            let contract = contract(&schema, mode);
            let read = if name == "cut_text" {
                match judge(&Answer::text(&text), &contract, &Meter::default()).of_cut(&text) {
                    Verdict::Accepted(accepted) => Some(accepted.value),
                    Verdict::Rejected(_) => None,
                }
            } else {
                value(&contract, &text)
            };
            if let Some(read) = read {
                accepted.push(format!("{name} {seed} {mode:?}\n  text {text}\n  got  {read}"));
            }
        }
    }
    println!("{cases:?}");
    accepted.iter().take(40).for_each(|line| println!("{line}"));
    assert!(accepted.is_empty(), "{} of {count} near misses were accepted", accepted.len());
}

fn is_value(token: &Token) -> bool {
    matches!(token, Token::Text(_) | Token::Word(_) | Token::Close(_))
}

/// The document as tokens, some with damage that alone would be repaired, so that the lenient
/// reader is used.
fn damaged(random: &mut Random, tokens: &mut Vec<Token>) {
    match random.below(5) {
        0 => {
            let last = tokens.len() - 1;
            tokens.insert(last, Token::Comma);
        }
        1 => {
            for token in tokens.iter_mut() {
                if let Token::Key(name) = token {
                    *token = Token::Raw(format!("'{name}'"));
                }
            }
        }
        2 => {
            for token in tokens.iter_mut() {
                match token {
                    Token::Word(word) if word == "true" => *token = Token::Raw("True".into()),
                    Token::Word(word) if word == "false" => *token = Token::Raw("False".into()),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn framed(random: &mut Random, text: String) -> String {
    match random.below(5) {
        0 => format!("```json\n{text}\n```"),
        1 => format!("Here is the result:\n\n{text}"),
        2 => format!("Here is the result:\n\n```json\n{text}\n```\nLet me know."),
        _ => text,
    }
}

/// The document with a word inserted where `fits` accepts the tokens before and after.
fn with_word(random: &mut Random, fits: fn(&Token, &Token) -> bool, word: &str) -> Option<(Value, String)> {
    let document = document(random);
    let mut tokens = tokens(&document.value);
    let places: Vec<usize> = (1..tokens.len()).filter(|&at| fits(&tokens[at - 1], &tokens[at])).collect();
    if places.is_empty() {
        return None;
    }
    let at = *random.pick(&places);
    let pretty = random.chance(40);
    // A minus directly before a number is its sign.
    tokens.insert(
        at,
        Token::Raw(if word == "-" || random.chance(80) { format!(" {word} ") } else { word.to_owned() }),
    );
    damaged(random, &mut tokens);
    let text = write(&tokens, pretty);
    Some((document.schema, framed(random, text)))
}

fn word_behind_value(random: &mut Random) -> Option<(Value, String)> {
    let word = *random.pick(WORDS);
    with_word(
        random,
        |before, behind| is_value(before) && matches!(behind, Token::Comma | Token::Close(_)),
        word,
    )
}

fn word_before_value(random: &mut Random) -> Option<(Value, String)> {
    let word = *random.pick(WORDS);
    with_word(
        random,
        |before, behind| matches!(before, Token::Colon) && !matches!(behind, Token::Comma),
        word,
    )
}

fn word_beside_mark(random: &mut Random) -> Option<(Value, String)> {
    let word = *random.pick(WORDS);
    with_word(
        random,
        |before, behind| {
            matches!(
                (before, behind),
                (Token::Comma | Token::Open(_), Token::Key(_)) | (Token::Key(_), Token::Colon)
            )
        },
        word,
    )
}

fn qualified_number(random: &mut Random) -> Option<(Value, String)> {
    let document = document(random);
    let mut tokens = tokens(&document.value);
    let numbers: Vec<usize> = (0..tokens.len())
        .filter(|&at| matches!(&tokens[at], Token::Word(word) if word.starts_with(|first: char| first.is_ascii_digit())))
        .collect();
    if numbers.is_empty() {
        return None;
    }
    let at = *random.pick(&numbers);
    let Token::Word(number) = tokens[at].clone() else { return None };
    let qualified = random.pick(QUALIFIERS).replace("{}", &number);
    // As a string it is not a number either.
    tokens[at] = Token::Raw(if random.chance(25) { format!("\"{qualified}\"") } else { qualified });
    damaged(random, &mut tokens);
    let pretty = random.chance(40);
    let text = write(&tokens, pretty);
    Some((document.schema, framed(random, text)))
}

fn omission(random: &mut Random) -> Option<(Value, String)> {
    let mark = *random.pick(OMISSIONS);
    let document = document(random);
    let mut tokens = tokens(&document.value);
    let places: Vec<usize> = (1..tokens.len())
        .filter(|&at| is_value(&tokens[at - 1]) && matches!(tokens[at], Token::Comma | Token::Close(_)))
        .collect();
    let at = *random.pick(&places);
    let line = if mark.starts_with("//") || mark.starts_with('#') { "\n" } else { " " };
    let comma = *random.pick(&[", ", " "]);
    tokens.insert(at, Token::Raw(format!("{comma}{mark}{line}")));
    damaged(random, &mut tokens);
    let pretty = random.chance(40);
    let text = write(&tokens, pretty);
    Some((document.schema, framed(random, text)))
}

/// For every byte: whether a cut there is detectable. Only works for valid JSON.
fn cut_shows(text: &str, at: usize) -> bool {
    let (mut in_string, mut escaped) = (false, false);
    for byte in text[..at].bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
    if in_string {
        return true;
    }
    let before = text[..at].trim_end();
    let last = before.chars().next_back();
    let whole = ["true", "false", "null"].iter().any(|word| before.ends_with(word));
    match last {
        Some(',' | ':') => true,
        Some('"') => text[at..].trim_start().starts_with(':'),
        Some(digit) if digit.is_ascii_alphanumeric() => !whole,
        _ => false,
    }
}

fn cut(random: &mut Random) -> Option<(Value, String)> {
    let document = document(random);
    let pretty = random.chance(50);
    let text = write(&tokens(&document.value), pretty);
    let at = 1 + random.below(text.len() - 1);
    if !text.is_char_boundary(at) || !cut_shows(&text, at) {
        return None;
    }
    let text = text[..at].to_owned();
    let text = match random.below(4) {
        0 => format!("```json\n{text}"),
        1 => format!("Here is the result:\n\n```json\n{text}\n```"),
        2 => format!("Here is the result:\n\n{text}"),
        _ => text,
    };
    Some((document.schema, text))
}

fn cut_text(random: &mut Random) -> Option<(Value, String)> {
    let document = document(random);
    let pretty = random.chance(50);
    let text = write(&tokens(&document.value), pretty);
    let at = 1 + random.below(text.len() - 1);
    if !text.is_char_boundary(at) {
        return None;
    }
    let text = text[..at].to_owned();
    let text = match random.below(4) {
        0 => format!("```json\n{text}"),
        1 => format!("Here is the result:\n\n{text}"),
        _ => text,
    };
    Some((document.schema, text))
}

/// Two different values of one schema.
fn two(random: &mut Random) -> (Value, String, String) {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "status": {"enum": ["low", "high"]}, "name": {"type": "string"}},
        "required": ["n"],
    });
    let first = json!({"n": random.below(50), "status": "low", "name": "Ann"});
    let second = json!({"n": 50 + random.below(50), "status": random.pick(&["low", "high"])});
    let pretty = random.chance(30);
    let write = |value: &Value| write(&tokens(value), pretty);
    (schema, write(&first), write(&second))
}

fn two_answers(random: &mut Random) -> Option<(Value, String)> {
    let (schema, first, second) = two(random);
    let between = *random.pick(BETWEEN);
    Some((
        schema,
        match random.below(4) {
            0 => format!("{first} {between} {second}"),
            1 => format!("{first}\n{between}\n{second}"),
            2 => format!("```json\n{first}\n```\n{between}\n```json\n{second}\n```"),
            _ => format!("{first}\n{second}\n{}", random.pick(AFTER)),
        },
    ))
}

fn two_items(random: &mut Random) -> Option<(Value, String)> {
    let (schema, first, second) = two(random);
    let schema = json!({"type": "array", "items": schema});
    let between = *random.pick(BETWEEN);
    Some((
        schema,
        match random.below(4) {
            0 => format!("{first} {between} {second}"),
            1 => format!("{first}\n{between}\n{second}"),
            2 => format!("```json\n{first}\n```\n{between}\n```json\n{second}\n```"),
            _ => format!("{first}\n{second}\n{}", random.pick(AFTER)),
        },
    ))
}

fn key_twice(random: &mut Random) -> Option<(Value, String)> {
    let document = document(random);
    let mut tokens = tokens(&document.value);
    let keys: Vec<usize> = (0..tokens.len().saturating_sub(3))
        .filter(|&at| {
            matches!(
                (&tokens[at], &tokens[at + 2], &tokens[at + 3]),
                (Token::Key(_), Token::Text(_) | Token::Word(_), Token::Comma | Token::Close(_))
            )
        })
        .collect();
    if keys.is_empty() {
        return None;
    }
    let at = *random.pick(&keys);
    let Token::Key(name) = tokens[at].clone() else { return None };
    let again = match random.below(3) {
        0 => Token::Key(name.clone()),
        1 => Token::Raw(format!("'{name}'")),
        _ => Token::Raw(name.clone()),
    };
    let other = match &tokens[at + 2] {
        Token::Word(word) if word == "true" => Token::Word("false".into()),
        Token::Word(word) if word == "false" => Token::Word("true".into()),
        Token::Word(word) => Token::Word(format!("1{word}").replace("1-", "-1")),
        Token::Text(text) if text == "low" => Token::Text("high".into()),
        Token::Text(text) if ["medium", "high"].contains(&text.as_str()) => Token::Text("low".into()),
        Token::Text(text) => Token::Text(format!("{text} too")),
        _ => return None,
    };
    tokens.splice(at + 3..at + 3, [Token::Comma, again, Token::Colon, other]);
    damaged(random, &mut tokens);
    let pretty = random.chance(40);
    let text = write(&tokens, pretty);
    Some((document.schema, framed(random, text)))
}
