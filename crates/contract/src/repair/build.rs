//! A finished reading as a value, with the repairs that it assumed and where they fall.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::token::{Container, Event, Form, NONE, Token, What};
use crate::number;
use crate::parse;
use crate::place::{Place, Step};
use crate::verdict::{Repair, RepairKind};

/// How many repairs of one text are listed. They are for people to look at; past a hundred, nobody does.
const MAX_REPAIRS: usize = 100;

/// A reading as a value.
pub(super) struct Built {
    pub(super) value: Value,
    pub(super) repairs: Vec<Repair>,
    /// Whether brackets were missing, so that a member could stand in more than one object.
    pub(super) guessed: bool,
    /// Whether a part of it may as well be meant otherwise.
    pub(super) doubtful: bool,
    /// The numbers that were written in a notation that JSON does not have, as JSON writes them.
    other_numbers: HashSet<String>,
}

impl Built {
    /// The numbers in another notation that are no longer numbers in what the contract made of this; all of them
    /// where it made nothing of it.
    pub(super) fn strings_in(&self, conforming: Option<&Value>) -> HashSet<String> {
        let Some(conforming) = conforming.filter(|_| !self.other_numbers.is_empty()) else {
            return self.other_numbers.clone();
        };
        let mut missing: HashMap<&str, isize> = HashMap::new();
        count_numbers(&self.value, &mut |number| *missing.entry(number).or_default() += 1);
        count_numbers(conforming, &mut |number| *missing.entry(number).or_default() -= 1);
        let is_missing = |number: &&String| missing.get(number.as_str()).is_some_and(|count| *count > 0);
        self.other_numbers.iter().filter(is_missing).cloned().collect()
    }
}

fn count_numbers<'a>(value: &'a Value, count: &mut dyn FnMut(&'a str)) {
    match value {
        Value::Number(number) => count(number.as_str()),
        Value::Array(items) => items.iter().for_each(|item| count_numbers(item, count)),
        Value::Object(members) => members.values().for_each(|member| count_numbers(member, count)),
        _ => {}
    }
}

/// Builds the value that a chain of events describes. `None` when it is no JSON value after all: a key twice
/// with different values, half of a surrogate pair, an escape that cannot be read. The numbers in another
/// notation that are `strings` stay as they are written.
pub(super) fn build(text: &str, events: &[Event], last: u32, strings: &HashSet<String>) -> Option<Built> {
    let mut chain = Vec::new();
    let mut index = last;
    while index != NONE {
        let event = events.get(index as usize)?;
        chain.push(event.what);
        index = event.before;
    }
    let guessed =
        chain.iter().any(|what| matches!(what, What::Repair(RepairKind::Bracket | RepairKind::Truncated, _)));
    let mut builder = Builder {
        text,
        doubtful: false,
        strings,
        other_numbers: HashSet::new(),
        stack: Vec::new(),
        root: None,
        place: Place::root(),
        repairs: Vec::new(),
    };
    for what in chain.into_iter().rev() {
        builder.take(what)?;
    }
    let Builder { root, repairs, doubtful, other_numbers, .. } = builder;
    Some(Built { value: root?, repairs, guessed, doubtful, other_numbers })
}

enum Node {
    Object { members: Map<String, Value>, key: Option<String> },
    List { items: Vec<Value>, round: bool, bare: bool },
}

struct Builder<'a> {
    text: &'a str,
    doubtful: bool,
    strings: &'a HashSet<String>,
    other_numbers: HashSet<String>,
    stack: Vec<Node>,
    root: Option<Value>,
    place: Place,
    repairs: Vec<Repair>,
}

impl Builder<'_> {
    fn take(&mut self, what: What) -> Option<()> {
        match what {
            What::Open(container) => {
                self.enter();
                self.stack.push(match container {
                    Container::Object => Node::Object { members: Map::new(), key: None },
                    Container::Array => Node::List { items: Vec::new(), round: false, bare: false },
                    Container::Round => Node::List { items: Vec::new(), round: true, bare: false },
                });
            }
            What::Close => {
                let value = match self.stack.pop()? {
                    Node::Object { members, .. } => Value::Object(members),
                    // The brackets around words are a part of the text, or it is a note.
                    Node::List { items, round: true, bare: true } if items.len() == 1 => return None,
                    Node::List { mut items, round: true, .. } if items.len() == 1 => items.pop()?,
                    Node::List { items, .. } => Value::Array(items),
                };
                self.leave();
                self.add(value)?;
            }
            What::Key(token) => {
                let name = self.string(token)?;
                let Some(Node::Object { key, .. }) = self.stack.last_mut() else { return None };
                *key = Some(name);
            }
            What::DropKey => {
                let Some(Node::Object { key, .. }) = self.stack.last_mut() else { return None };
                *key = None;
            }
            What::Scalar(token) => {
                let value = self.scalar(token)?;
                self.add(value)?;
                if let Some(Node::List { bare, .. }) = self.stack.last_mut() {
                    *bare |= token.form == Form::Bare;
                }
            }
            What::Append(token) => {
                let more = self.string(token)?;
                match self.last_value()? {
                    Value::String(start) => start.push_str(&more),
                    _ => return None,
                }
            }
            What::Doubt => self.doubtful = true,
            What::Repair(kind, at) => self.repair(kind, at as usize),
        }
        Some(())
    }

    /// The step to the value that comes next, if it is known already.
    fn next_step(&self) -> Option<Step> {
        match self.stack.last()? {
            Node::Object { key, .. } => Some(Step::Key(key.clone()?)),
            Node::List { items, .. } => Some(Step::Index(items.len())),
        }
    }

    fn enter(&mut self) {
        if let Some(step) = self.next_step() {
            self.place.push(step);
        }
    }

    fn leave(&mut self) {
        if !self.stack.is_empty() {
            self.place.pop();
        }
    }

    fn add(&mut self, value: Value) -> Option<()> {
        match self.stack.last_mut() {
            None if self.root.is_none() => self.root = Some(value),
            None => return None,
            Some(Node::Object { members, key }) => parse::insert(members, key.take()?, value).ok()?,
            Some(Node::List { items, .. }) => items.push(value),
        }
        Some(())
    }

    fn last_value(&mut self) -> Option<&mut Value> {
        match self.stack.last_mut()? {
            Node::Object { members, .. } => members.values_mut().last(),
            Node::List { items, .. } => items.last_mut(),
        }
    }

    fn scalar(&mut self, token: Token) -> Option<Value> {
        let written = self.text.get(token.start as usize..token.end as usize)?;
        Some(match token.form {
            Form::True => Value::Bool(true),
            Form::False => Value::Bool(false),
            Form::Null => Value::Null,
            Form::Number => Value::Number(number::exact(number::is_kept(written).then_some(written)?)),
            Form::OtherNumber => self.other_number(written, token.start as usize)?,
            Form::Quoted | Form::QuotedBackslash | Form::Bare => Value::String(self.string(token)?),
        })
    }

    fn other_number(&mut self, written: &str, start: usize) -> Option<Value> {
        let plain = plain_number(written)?;
        if self.strings.contains(&plain) {
            self.repair(RepairKind::Unquoted, start);
            return Some(Value::from(written));
        }
        self.repair(RepairKind::NumberForm, start);
        let number = Value::Number(number::exact(&plain));
        self.other_numbers.insert(plain);
        Some(number)
    }

    fn string(&mut self, token: Token) -> Option<String> {
        let written = self.text.get(token.start as usize..token.end as usize)?;
        match token.form {
            Form::Quoted => self.decode(written, token.start as usize),
            Form::QuotedBackslash => {
                let mut decoded = self.decode(written.strip_suffix('\\')?, token.start as usize)?;
                decoded.push('\\');
                Some(decoded)
            }
            _ => Some(written.to_owned()),
        }
    }

    /// A string's content with its escapes read. What is no escape stays as it is written. Then backslashes were
    /// not doubled, so that another that could be an escape may be meant as itself: nobody can tell.
    fn decode(&mut self, written: &str, start: usize) -> Option<String> {
        if written.bytes().any(|byte| byte < 0x20) {
            self.repair(RepairKind::ControlCharacter, start);
        }
        let before = self.text.get(..start)?;
        let in_double_quotes = before.ends_with('"');
        self.doubtful |= in_double_quotes && spans_values(written);
        // A template has yet to be filled in.
        if before.ends_with('`') && written.contains("${") {
            return None;
        }
        let mut decoded = String::with_capacity(written.len());
        let mut kept = Kept::default();
        let mut doubtful = false;
        let mut rest = written;
        while let Some(found) = rest.find('\\') {
            decoded.push_str(rest.get(..found)?);
            let escape = rest.get(found + 1..)?;
            doubtful |= is_doubtful(escape, decoded.is_empty());
            let mut length = 1;
            match escape.chars().next()? {
                '"' => decoded.push('"'),
                '\\' => {
                    // A mark inside the string behind two backslashes was perhaps escaped twice.
                    self.doubtful |= in_double_quotes && escape.starts_with("\\\"");
                    decoded.push('\\');
                }
                '/' => decoded.push('/'),
                'b' => decoded.push('\u{8}'),
                'f' => decoded.push('\u{c}'),
                'n' => decoded.push('\n'),
                'r' => decoded.push('\r'),
                't' => decoded.push('\t'),
                'u' => {
                    let (character, bytes) = parse::unicode_escape(escape.as_bytes().get(1..)?)?;
                    decoded.push(character);
                    length += bytes;
                }
                mark @ ('\'' | '`') => {
                    self.repair(RepairKind::Escape, start);
                    decoded.push(mark);
                }
                other => {
                    self.repair(RepairKind::Escape, start);
                    kept.add(escape);
                    decoded.push('\\');
                    decoded.push(other);
                    length = other.len_utf8();
                }
            }
            rest = escape.get(length..)?;
        }
        decoded.push_str(rest);
        self.doubtful |= kept.any && doubtful;
        kept.are_plain().then_some(decoded)
    }

    fn repair(&mut self, kind: RepairKind, at: usize) {
        if self.repairs.len() < MAX_REPAIRS {
            let mut place = self.place.clone();
            self.next_step().into_iter().for_each(|step| place.push(step));
            self.repairs.push(Repair { kind, path: place.path(), detail: detail(self.text, kind, at) });
        }
    }
}

/// The backslashes of a string that escape nothing in JSON, by what stands behind them.
#[derive(Debug, Default)]
struct Kept {
    any: bool,
    /// An escape of Python, JavaScript or C.
    foreign: bool,
    /// A letter that no language escapes, so that backslashes were not doubled.
    plain: bool,
    /// A mark: `\$` may be meant as `$` or as itself.
    mark: bool,
    /// A class of characters, so that the string is a regular expression.
    class: bool,
}

impl Kept {
    /// Takes in an escape, given from behind its backslash.
    fn add(&mut self, escape: &str) {
        self.any = true;
        let mut characters = escape.chars();
        let (first, second) = (characters.next(), characters.next());
        match first {
            Some(letter) if !letter.is_alphanumeric() => self.mark = true,
            _ if is_foreign(escape) => self.foreign = true,
            _ => self.plain = true,
        }
        self.class |= matches!(first, Some('d' | 'w' | 's' | 'D' | 'W' | 'S'))
            && !second.is_some_and(char::is_alphabetic);
    }

    /// Whether all of them are backslashes that are meant as themselves.
    fn are_plain(&self) -> bool {
        (!self.mark || self.class) && (!self.foreign || self.plain)
    }
}

/// Whether an escape, given from behind its backslash, is one of Python, JavaScript or C.
fn is_foreign(escape: &str) -> bool {
    let hexadecimal = |count: usize| {
        let digits = escape.as_bytes().get(1..=count);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match escape.as_bytes().first() {
        Some(b'x') => hexadecimal(2),
        Some(b'U') => hexadecimal(8),
        Some(b'N') => escape.starts_with("N{"),
        Some(b'0'..=b'7') => true,
        // Before a letter it begins a word: `\alpha`.
        Some(b'a' | b'e' | b'v') => !escape.chars().nth(1).is_some_and(char::is_alphabetic),
        _ => false,
    }
}

/// Whether an escape, given from behind its backslash, would be another text if backslashes were not doubled.
/// One that is doubled between words, as in a path, is an escape all the same.
fn is_doubtful(escape: &str, first: bool) -> bool {
    let mut characters = escape.chars();
    match characters.next() {
        Some('b' | 'f' | 'n' | 'r' | 't' | 'u' | '/') => true,
        Some('\\') => first || !characters.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

/// Whether the content of a string has marks of its own without backslashes, a bracket that closes nothing in it, and
/// another behind that which opens: then it is the end of one value and the beginning of the next.
fn spans_values(written: &str) -> bool {
    let (mut depth, mut left, mut spans, mut marks) = (0_usize, false, false, false);
    let mut before = None;
    for byte in written.bytes() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                spans |= left;
            }
            b'}' | b']' => {
                left |= depth == 0;
                depth = depth.saturating_sub(1);
            }
            b'"' => marks |= before != Some(b'\\'),
            _ => {}
        }
        before = Some(byte);
    }
    spans && marks
}

/// What was found, with a few characters of it.
fn detail(text: &str, kind: RepairKind, at: usize) -> String {
    /// Enough to recognise the place by.
    const SHOWN: usize = 24;
    let shown: String = text.get(at..).unwrap_or_default().chars().take(SHOWN).collect();
    if shown.is_empty() {
        return format!("{} at the end of the text", kind.words());
    }
    format!("{} at byte {at}: {}", kind.words(), Value::from(shown))
}

/// A number of another notation as JSON writes it.
fn plain_number(written: &str) -> Option<String> {
    let (sign, body) = match written.strip_prefix('-') {
        Some(body) => ("-", body),
        None => ("", written.strip_prefix('+').unwrap_or(written)),
    };
    if let Some(digits) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        return Some(format!("{sign}{}", u64::from_str_radix(digits, 16).ok()?));
    }
    let digits = body.replace(['_', ','], "");
    let zero = if digits.starts_with('.') { "0" } else { "" };
    let plain = format!("{sign}{zero}{digits}");
    number::is_kept(&plain).then_some(plain)
}
