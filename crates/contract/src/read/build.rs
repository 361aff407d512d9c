//! A finished reading as a value, with its spans and the repairs that it assumed.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::state::{Container, Event, EventKind, Form, NONE, Token};
use crate::account::{Span, SpanKind};
use crate::json_path::{JsonPath, Step};
use crate::lex::{self, Lex, Quote, Word};
use crate::number;
use crate::parse;
use crate::repair::{Repair, RepairKind};

/// How many repairs of one text are listed. They are for people to look at.
const MAX_REPAIRS: usize = 100;

/// How many words that begin like a number a text may have. The value is tried with a number for each.
const MAX_NUMERIC: usize = 16;

/// How sure it is that the cheapest reading is the one that was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Its tokens are clear.
    Clear,
    /// Quotes are inside strings, in pairs.
    Quotes,
    /// A quote is missing, or is alone inside a string: any other conforming reading is a rival.
    Guess,
}

impl Certainty {
    /// How much dearer another reading may be and still be a rival. Costs are estimates; within this distance the cheaper
    /// reading is not the surer one.
    pub(super) fn margin(self) -> u32 {
        match self {
            Self::Clear => 1,
            Self::Quotes => 6,
            Self::Guess => 24,
        }
    }
}

/// A reading as a value.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) spans: Vec<Span>,
    pub(crate) certainty: Certainty,
    /// Whether a value, and not only a key, is in words without quotes.
    pub(crate) has_bare_value: bool,
    /// The same value with words without quotes replaced, where they may be something else. An unquoted item next to quoted
    /// ones may be a remark (`["a", etc.]`), so it is accepted only if the schema does not take another word there; a word that
    /// begins like a number (`1e`, `007`) may be a number, so it is accepted only if the schema does not take one there.
    pub(crate) reworded: Vec<Value>,
    /// How many strings have no closing quote.
    pub(crate) unclosed: usize,
    kinds: BTreeSet<RepairKind>,
}

impl Built {
    pub(crate) fn has(&self, kinds: &[RepairKind]) -> bool {
        kinds.iter().any(|kind| self.kinds.contains(kind))
    }
}

/// Builds the value that a chain of events describes. `None` if it is not a JSON value after all (a key twice with different
/// values, half of a surrogate pair), or when a byte belongs to nothing.
pub(super) fn build(lex: Lex<'_>, events: &[Event], last: u32, range: Range<usize>) -> Option<Built> {
    let mut chain = Vec::new();
    let mut index = last;
    while index != NONE {
        let event = events.get(index as usize)?;
        chain.push(event.kind);
        index = event.before;
    }
    let mut builder = Builder {
        lex,
        at: range.start,
        stack: Vec::new(),
        root: None,
        place: JsonPath::root(),
        repairs: Vec::new(),
        spans: Vec::new(),
        certainty: Certainty::Clear,
        has_bare_value: false,
        mixed: Vec::new(),
        numeric: Vec::new(),
        unclosed: 0,
        kinds: BTreeSet::new(),
    };
    for kind in chain.into_iter().rev() {
        builder.take(kind)?;
    }
    builder.gap(range.end)?;
    let Builder { root, repairs, spans, certainty, has_bare_value, kinds, mixed, numeric, unclosed, .. } =
        builder;
    let value = root?;
    let word = Value::from("\u{fffd}");
    let words =
        Some(&mixed).filter(|places| !places.is_empty()).and_then(|places| reword(&value, places, &word));
    let numbers =
        numeric.iter().filter_map(|place| reword(&value, std::slice::from_ref(place), &Value::from(0)));
    let reworded = words.into_iter().chain(numbers).collect();
    Some(Built { value, repairs, spans, certainty, has_bare_value, reworded, unclosed, kinds })
}

enum Node {
    Object { members: Map<String, Value>, key: Option<String> },
    List { items: Vec<Value>, round: bool, commas: usize, bare: Vec<usize>, quoted: bool },
}

struct Builder<'a> {
    lex: Lex<'a>,
    at: usize,
    stack: Vec<Node>,
    root: Option<Value>,
    place: JsonPath,
    repairs: Vec<Repair>,
    spans: Vec<Span>,
    certainty: Certainty,
    has_bare_value: bool,
    mixed: Vec<JsonPath>,
    /// Where words begin like a number.
    numeric: Vec<JsonPath>,
    unclosed: usize,
    kinds: BTreeSet<RepairKind>,
}

impl Builder<'_> {
    fn take(&mut self, kind: EventKind) -> Option<()> {
        match kind {
            EventKind::Open(container, start) => {
                let round = container == Container::Round;
                let kind = if round { SpanKind::Repair(RepairKind::Literal) } else { SpanKind::Structure };
                self.span(start as usize..start as usize + 1, kind)?;
                self.enter();
                self.stack.push(match container {
                    Container::Object => Node::Object { members: Map::new(), key: None },
                    _ => Node::List { items: Vec::new(), round, commas: 0, bare: Vec::new(), quoted: false },
                });
            }
            EventKind::Close { start, end, repair } => {
                let round = matches!(self.stack.last(), Some(Node::List { round: true, .. }));
                let kind = match repair {
                    true => SpanKind::Repair(RepairKind::Bracket),
                    false if round => SpanKind::Repair(RepairKind::Literal),
                    false => SpanKind::Structure,
                };
                self.span(start as usize..end as usize, kind)?;
                self.close()?;
            }
            EventKind::Cut(at) => {
                self.span(at as usize..at as usize, SpanKind::Repair(RepairKind::Truncated))?;
                self.close()?;
            }
            EventKind::Mark { start, end, kind } => {
                self.span(start as usize..end as usize, kind)?;
                if let (Some(Node::List { commas, .. }), SpanKind::Structure) = (self.stack.last_mut(), kind)
                {
                    *commas += 1;
                }
            }
            EventKind::Key(token) => {
                let name = self.string(token)?;
                let Some(Node::Object { key, .. }) = self.stack.last_mut() else { return None };
                *key = Some(name);
            }
            EventKind::Scalar(token) => {
                let value = self.scalar(token)?;
                if let Some(Node::List { items, bare, quoted, .. }) = self.stack.last_mut() {
                    match token.form {
                        Form::Quoted(_) => *quoted = true,
                        Form::Bare(Word::Text) => bare.push(items.len()),
                        Form::Bare(_) => {}
                    }
                }
                self.add(value)?;
            }
            EventKind::Append(token, plus) => self.append(token, plus as usize)?,
        }
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let value = match self.stack.pop()? {
            Node::Object { members, key: None } => Value::Object(members),
            Node::Object { .. } => return None,
            // Python writes a list of one as `(1,)`; `(1)` is 1.
            Node::List { mut items, round: true, commas: 0, .. } if items.len() == 1 => items.pop()?,
            Node::List { items, bare, quoted, .. } => {
                if quoted {
                    let list = &self.place;
                    self.mixed.extend(bare.into_iter().map(|index| list.index(index)));
                }
                Value::Array(items)
            }
        };
        if !self.stack.is_empty() {
            self.place.pop();
        }
        self.add(value)
    }

    /// Space and comments up to a byte. Anything else belongs to nothing, and the reading is refused.
    fn gap(&mut self, to: usize) -> Option<()> {
        while self.at < to {
            let (kind, end) = match self.lex.comment_end(self.at) {
                Some(end) => (SpanKind::Comment, end),
                None => {
                    let rest = self.lex.text.get(self.at..to)?;
                    let is_space = |letter: char| {
                        letter.is_whitespace() || matches!(letter, '\u{200b}' | '\u{feff}' | '\u{2060}')
                    };
                    let length = rest.len() - rest.trim_start_matches(is_space).len();
                    (SpanKind::Space, self.at + length)
                }
            };
            if end == self.at || end > to {
                return None;
            }
            match kind {
                SpanKind::Comment => self.repair(RepairKind::Comment, self.at),
                _ if !self.lex.text.get(self.at..end)?.bytes().all(|byte| b" \t\r\n".contains(&byte)) => {
                    self.repair(RepairKind::ControlCharacter, self.at);
                }
                _ => {}
            }
            self.spans.push(Span { range: self.at..end, kind });
            self.at = end;
        }
        Some(())
    }

    fn span(&mut self, range: Range<usize>, kind: SpanKind) -> Option<()> {
        self.gap(range.start)?;
        if self.at != range.start {
            return None;
        }
        if let SpanKind::Repair(kind) = kind {
            self.repair(kind, range.start);
        }
        self.at = range.end;
        if !range.is_empty() || matches!(kind, SpanKind::Repair(_)) {
            self.spans.push(Span { range, kind });
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

    /// The place of the value that comes next.
    fn value_place(&self) -> JsonPath {
        let mut place = self.place.clone();
        self.next_step().into_iter().for_each(|step| place.push(step));
        place
    }

    fn enter(&mut self) {
        if let Some(step) = self.next_step() {
            self.place.push(step);
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

    /// More of the last string. The quotes and the plus between the two parts are consumed by the repair.
    fn append(&mut self, token: Token, plus: usize) -> Option<()> {
        let quote = self.spans.pop().filter(|span| span.kind == SpanKind::Structure)?;
        self.repair(RepairKind::Quotes, plus);
        let between = self.lex.text.get(quote.range.end..token.start as usize)?;
        let inside = between.trim().strip_prefix('+')?;
        (inside.trim().len() == (token.start - token.open) as usize).then_some(())?;
        self.spans.push(Span {
            range: quote.range.start..token.start as usize,
            kind: SpanKind::Repair(RepairKind::Quotes),
        });
        self.at = token.start as usize;
        let more = self.content(token)?;
        self.closing_quote(token)?;
        let last = match self.stack.last_mut()? {
            Node::Object { members, .. } => members.values_mut().last(),
            Node::List { items, .. } => items.last_mut(),
        };
        match last? {
            Value::String(start) => start.push_str(&more),
            _ => return None,
        }
        Some(())
    }

    fn scalar(&mut self, token: Token) -> Option<Value> {
        let Form::Bare(word) = token.form else { return self.string(token).map(Value::String) };
        let written = self.lex.text.get(token.start as usize..token.end as usize)?;
        let range = token.start as usize..token.end as usize;
        let (value, kind) = match word {
            Word::Text => {
                self.has_bare_value = true;
                if lex::begins_number(written) {
                    if self.numeric.len() == MAX_NUMERIC {
                        return None;
                    }
                    self.numeric.push(self.value_place());
                }
                return self.string(token).map(Value::String);
            }
            Word::Number => {
                (Value::Number(number::exact(number::is_kept(written).then_some(written)?)), SpanKind::Value)
            }
            Word::OtherNumber => {
                self.repair(RepairKind::NumberForm, range.start);
                (Value::Number(number::exact(&lex::other_number(written)?)), SpanKind::Value)
            }
            Word::True => (Value::Bool(true), SpanKind::Value),
            Word::False => (Value::Bool(false), SpanKind::Value),
            Word::Null => (Value::Null, SpanKind::Value),
            Word::OtherTrue => (Value::Bool(true), SpanKind::Repair(RepairKind::Literal)),
            Word::OtherFalse => (Value::Bool(false), SpanKind::Repair(RepairKind::Literal)),
            Word::OtherNull => (Value::Null, SpanKind::Repair(RepairKind::Literal)),
        };
        self.span(range, kind)?;
        self.closing_quote(token)?;
        Some(value)
    }

    /// A key or a string, with the quotes around it.
    fn string(&mut self, token: Token) -> Option<String> {
        let (open, start) = (token.open as usize, token.start as usize);
        match token.form {
            Form::Quoted(quote) => {
                if quote != Quote::Double {
                    self.repair(RepairKind::Quotes, open);
                }
                self.span(open..start, SpanKind::Structure)?;
            }
            Form::Bare(_) => {
                self.gap(start)?;
                if token.close == token.end {
                    self.repair(RepairKind::Unquoted, start);
                }
            }
        }
        let content = self.content(token)?;
        self.closing_quote(token)?;
        Some(content)
    }

    fn content(&mut self, token: Token) -> Option<String> {
        let range = token.start as usize..token.end as usize;
        let written = self.lex.text.get(range.clone())?;
        let Form::Quoted(quote) = token.form else {
            self.span(range, SpanKind::Value)?;
            return Some(written.to_owned());
        };
        if written.bytes().any(|byte| byte < 0x20) {
            self.repair(RepairKind::ControlCharacter, range.start);
        }
        if token.inner > 0 {
            self.repair(RepairKind::InnerQuote, range.start);
            let certainty = if token.inner.is_multiple_of(2) { Certainty::Quotes } else { Certainty::Guess };
            self.certainty = self.certainty.max(certainty);
        }
        let is_single = matches!(quote, Quote::Single | Quote::SmartSingle);
        if is_single && token.inner == 0 && lex::has_apostrophe(written) {
            self.repair(RepairKind::InnerQuote, range.start);
        }
        // A template has yet to be filled in.
        if quote == Quote::Backtick && written.contains("${") {
            return None;
        }
        let (decoded, other) = lex::decode(written)?;
        if other {
            self.repair(RepairKind::Escape, range.start);
        }
        if !range.is_empty() {
            self.span(range, SpanKind::Value)?;
        }
        Some(decoded)
    }

    /// The closing quote, which may be missing, or may have no opening one.
    fn closing_quote(&mut self, token: Token) -> Option<()> {
        let range = token.end as usize..token.close as usize;
        let is_whole = match token.form {
            Form::Quoted(_) => !range.is_empty(),
            Form::Bare(_) => range.is_empty(),
        };
        if is_whole {
            return if range.is_empty() { Some(()) } else { self.span(range, SpanKind::Structure) };
        }
        self.certainty = Certainty::Guess;
        self.unclosed += usize::from(range.is_empty());
        self.span(range, SpanKind::Repair(RepairKind::MissingQuote))
    }

    fn repair(&mut self, kind: RepairKind, at: usize) {
        self.kinds.insert(kind);
        if self.repairs.len() < MAX_REPAIRS {
            let place = self.value_place();
            let detail = detail(self.lex.text, kind, at);
            self.repairs.push(Repair { kind, path: place.path(), detail, at: Some(at) });
        }
    }
}

/// A value with another at these places.
fn reword(value: &Value, places: &[JsonPath], other: &Value) -> Option<Value> {
    let mut reworded = value.clone();
    for place in places {
        let slot = place.steps().iter().try_fold(&mut reworded, |value, step| match step {
            Step::Key(name) => value.get_mut(name),
            Step::Index(index) => value.get_mut(index),
        });
        *slot? = other.clone();
    }
    Some(reworded)
}

/// A description with the first characters of the repaired text.
fn detail(text: &str, kind: RepairKind, at: usize) -> String {
    /// Enough to recognise the place by.
    const SHOWN: usize = 24;
    let shown: String = text.get(at..).unwrap_or_default().chars().take(SHOWN).collect();
    if shown.is_empty() {
        return format!("{} at the end of the text", kind.description());
    }
    format!("{} at byte {at}: {}", kind.description(), Value::from(shown))
}
