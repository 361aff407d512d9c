//! What a producer can give, as alternatives of one type each, down to single values.
//!
//! Every step may widen what the producer gives and never narrows it. So a keyword that is not understood, a reference
//! that leads nowhere and a union with too many branches are ignored.

use std::collections::BTreeSet;

use accord_contract::Decimal;
use serde_json::Value;

use super::document::{Document, other_members, plain_items};
use super::judge::{Answer, judge};

/// Unions are split into at most this many alternatives; larger ones are ignored.
const MAX_ALTERNATIVES: usize = 64;

/// Longer enumerations are taken as their type.
const MAX_VALUES: usize = 256;

/// One thing that a producer can give.
#[derive(Debug, Clone)]
pub(super) enum Atom<'s> {
    Value(&'s Value),
    Typed(Typed<'s>),
}

/// Values of one type, with all schemas that describe them.
#[derive(Debug, Clone)]
pub(super) struct Typed<'s> {
    pub(super) kind: ValueType,
    parts: Vec<&'s Value>,
}

/// Types with more than a few values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl ValueType {
    /// With an article, for messages.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) limit: Decimal,
    pub(super) exclusive: bool,
}

static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static TRUE: Value = Value::Bool(true);

/// The alternatives of values that conform to all of these schemas; empty if these obviously contradict each other.
pub(super) fn atoms<'s>(schemas: &[&'s Value], document: &Document<'s>) -> Vec<Atom<'s>> {
    alternatives(schemas, document).iter().flat_map(|parts| atoms_of(parts, document)).collect()
}

fn atoms_of<'s>(parts: &[&'s Value], document: &Document<'s>) -> Vec<Atom<'s>> {
    let possible = |value: &&'s Value| parts.iter().all(|part| judge(value, part, document) != Answer::No);
    if let Some(values) = enumerated(parts) {
        return values.into_iter().filter(possible).map(Atom::Value).collect();
    }
    let types = parts.iter().filter_map(|part| Types::of(part)).fold(Types::ALL, Types::common);
    let mut atoms = Vec::new();
    let mut values: Vec<&'s Value> = Vec::new();
    if types.has(Types::NULL) {
        values.push(&NULL);
    }
    if types.has(Types::BOOLEAN) {
        values.extend([&FALSE, &TRUE]);
    }
    atoms.extend(values.into_iter().filter(possible).map(Atom::Value));
    let number = if types.has(Types::FRACTION) { ValueType::Number } else { ValueType::Integer };
    let kinds = [
        (Types::INTEGER, number),
        (Types::STRING, ValueType::String),
        (Types::ARRAY, ValueType::Array),
        (Types::OBJECT, ValueType::Object),
    ];
    let typed = kinds.into_iter().filter(|(bit, _)| types.has(*bit));
    atoms.extend(typed.map(|(_, kind)| Atom::Typed(Typed { kind, parts: parts.to_vec() })));
    atoms
}

/// The values of the shortest enumeration, if there is one that is short enough.
fn enumerated<'s>(parts: &[&'s Value]) -> Option<Vec<&'s Value>> {
    let of = |part: &&'s Value| -> Option<Vec<&'s Value>> {
        match (part.get("const"), part.get("enum").and_then(Value::as_array)) {
            (Some(value), _) => Some(vec![value]),
            (None, Some(values)) => Some(values.iter().collect()),
            (None, None) => None,
        }
    };
    parts.iter().filter_map(of).filter(|values| values.len() <= MAX_VALUES).min_by_key(Vec::len)
}

/// An alternative that is being put together.
#[derive(Clone, Default)]
struct AlternativeBuilder<'s> {
    pending: Vec<&'s Value>,
    unions: Vec<&'s [Value]>,
    seen: Vec<&'s Value>,
    parts: Vec<&'s Value>,
}

/// Sets of schemas without references, conjunctions and unions: a value conforms to all schemas of one of them.
fn alternatives<'s>(schemas: &[&'s Value], document: &Document<'s>) -> Vec<Vec<&'s Value>> {
    let mut drafts = vec![AlternativeBuilder { pending: schemas.to_vec(), ..AlternativeBuilder::default() }];
    let mut finished = Vec::new();
    while let Some(mut draft) = drafts.pop() {
        if !draft.settle(document) {
            continue;
        }
        let Some(union) = draft.unions.pop() else {
            finished.push(draft.parts);
            continue;
        };
        if drafts.len() + finished.len() + union.len() > MAX_ALTERNATIVES {
            drafts.push(draft);
            continue;
        }
        drafts
            .extend(union.iter().map(|branch| AlternativeBuilder { pending: vec![branch], ..draft.clone() }));
    }
    finished
}

impl<'s> AlternativeBuilder<'s> {
    /// Follows references and conjunctions. False where nothing can conform.
    fn settle(&mut self, document: &Document<'s>) -> bool {
        while let Some(schema) = self.pending.pop() {
            if schema == &FALSE {
                return false;
            }
            let known = self.seen.iter().any(|seen| std::ptr::eq(*seen, schema));
            let Some(keywords) = schema.as_object().filter(|_| !known) else { continue };
            self.seen.push(schema);
            if let Some(reference) = keywords.get("$ref") {
                // Whether siblings of a reference count depends on the draft; ignoring them only widens.
                self.pending.extend(document.resolve(reference));
                continue;
            }
            self.parts.push(schema);
            self.pending.extend(keywords.get("allOf").and_then(Value::as_array).into_iter().flatten());
            let unions = ["anyOf", "oneOf"].iter().filter_map(|keyword| keywords.get(*keyword)?.as_array());
            self.unions.extend(unions.map(Vec::as_slice));
        }
        true
    }
}

/// A set of types. Integers are separate from other numbers, because `integer` is a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Types(u8);

impl Types {
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(2);
    const INTEGER: Self = Self(4);
    const FRACTION: Self = Self(8);
    const STRING: Self = Self(16);
    const ARRAY: Self = Self(32);
    const OBJECT: Self = Self(64);
    const ALL: Self = Self(127);

    /// The types that a schema allows, if its `type` is valid.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        match schema.get("type")? {
            Value::Array(names) => {
                names.iter().map(Self::named).try_fold(Self(0), |all, one| Some(Self(all.0 | one?.0)))
            }
            name => Self::named(name),
        }
    }

    fn named(name: &Value) -> Option<Self> {
        match name.as_str()? {
            "null" => Some(Self::NULL),
            "boolean" => Some(Self::BOOLEAN),
            "integer" => Some(Self::INTEGER),
            "number" => Some(Self(Self::INTEGER.0 | Self::FRACTION.0)),
            "string" => Some(Self::STRING),
            "array" => Some(Self::ARRAY),
            "object" => Some(Self::OBJECT),
            _ => None,
        }
    }

    fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether all values of a type are in it, and whether any is.
    pub(super) fn covers(self, kind: ValueType) -> (bool, bool) {
        let bits = match kind {
            ValueType::Integer => Self::INTEGER,
            ValueType::Number => Self(Self::INTEGER.0 | Self::FRACTION.0),
            ValueType::String => Self::STRING,
            ValueType::Array => Self::ARRAY,
            ValueType::Object => Self::OBJECT,
        };
        (self.has(bits), self.0 & bits.0 != 0)
    }
}

impl<'s> Typed<'s> {
    /// Whether a schema of the producer has a keyword with this value.
    pub(super) fn says(&self, keyword: &str, operand: &Value) -> bool {
        self.parts.iter().any(|part| part.get(keyword) == Some(operand))
    }

    /// Whether a single value cannot be among these.
    pub(super) fn lacks(&self, value: &Value, document: &Document<'s>) -> bool {
        self.parts.iter().any(|part| judge(value, part, document) == Answer::No)
    }

    /// The highest lower bound.
    pub(super) fn lower(&self) -> Option<Bound> {
        let order = |bound: &Bound| (bound.limit.clone(), bound.exclusive);
        self.bounds("minimum", "exclusiveMinimum").max_by_key(order)
    }

    /// The lowest upper bound.
    pub(super) fn upper(&self) -> Option<Bound> {
        let order = |bound: &Bound| (bound.limit.clone(), !bound.exclusive);
        self.bounds("maximum", "exclusiveMaximum").min_by_key(order)
    }

    fn bounds(&self, inclusive: &'static str, exclusive: &'static str) -> impl Iterator<Item = Bound> + '_ {
        let of = |keyword: &'static str, exclusive: bool| {
            let limits = self.parts.iter().filter_map(move |part| Decimal::of(part.get(keyword)?));
            limits.map(move |limit| Bound { limit, exclusive })
        };
        of(inclusive, false).chain(of(exclusive, true))
    }

    /// The largest of the counts that a keyword names.
    pub(super) fn at_least(&self, keyword: &str) -> u64 {
        self.counts(keyword).max().unwrap_or(0)
    }

    /// The smallest of the counts that a keyword names.
    pub(super) fn at_most(&self, keyword: &str) -> Option<u64> {
        self.counts(keyword).min()
    }

    fn counts(&self, keyword: &str) -> impl Iterator<Item = u64> {
        self.parts.iter().filter_map(move |part| part.get(keyword)?.as_u64())
    }

    /// The steps of which numbers are multiples.
    pub(super) fn steps(&self) -> impl Iterator<Item = i64> + '_ {
        self.parts.iter().filter_map(|part| part.get("multipleOf")?.as_i64())
    }

    /// The members that are always present.
    pub(super) fn required(&self) -> BTreeSet<&'s str> {
        let names = self.parts.iter().filter_map(|part| part.get("required")?.as_array());
        names.flatten().filter_map(Value::as_str).collect()
    }

    pub(super) fn names(&self) -> BTreeSet<&'s str> {
        let named = self.parts.iter().filter_map(|part| part.get("properties")?.as_object());
        named.flat_map(|properties| properties.keys().map(String::as_str)).collect()
    }

    pub(super) fn child(&self, name: &str) -> Vec<&'s Value> {
        let of = |part: &&'s Value| {
            let named = part.get("properties").and_then(|properties| properties.get(name));
            named.or_else(|| other_members(part))
        };
        self.parts.iter().filter_map(of).collect()
    }

    /// All schemas of members that no schema names.
    pub(super) fn others(&self) -> Vec<&'s Value> {
        self.parts.iter().filter_map(|part| other_members(part)).collect()
    }

    pub(super) fn items(&self) -> Vec<&'s Value> {
        self.parts.iter().filter_map(|part| plain_items(part)).collect()
    }
}
