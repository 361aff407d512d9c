//! One value against one schema, in three-valued logic: it conforms, it does not, or that is unknown.
//!
//! Not a validator: a validator needs a valid document of a known draft, is compiled, and has only two verdicts. This is
//! used for thousands of sub-schemas of documents that may be invalid, and answers only what holds under every draft.

use accord_contract::Decimal;
use accord_contract::same;
use serde_json::{Map, Value};

use super::document::{Document, has_patterns, is_remark, other_members, plain_items};
use super::keywords::{OF_ARRAYS, OF_NUMBERS, OF_OBJECTS, OF_STRINGS, concerns_others};

/// Deeper schemas are not followed, because a reference to itself has no end.
const MAX_DEPTH: usize = 32;

/// Longer lists are not searched for duplicates.
const MAX_UNIQUE: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    Unsure,
}

impl Answer {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unsure,
        }
    }

    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unsure => Self::Unsure,
        }
    }

    fn all(answers: impl Iterator<Item = Self>) -> Self {
        answers.fold(Self::Yes, Self::and)
    }

    fn any(answers: impl Iterator<Item = Self>) -> Self {
        Self::all(answers.map(Self::not)).not()
    }
}

/// Whether a value conforms to a schema of a document.
pub(super) fn judge(value: &Value, schema: &Value, document: &Document<'_>) -> Answer {
    Judge { document }.judge(value, schema, 0)
}

struct Judge<'d, 's> {
    document: &'d Document<'s>,
}

impl Judge<'_, '_> {
    fn judge(&self, value: &Value, schema: &Value, depth: usize) -> Answer {
        if depth > MAX_DEPTH {
            return Answer::Unsure;
        }
        let keywords = match schema {
            Value::Bool(holds) => return Answer::of(*holds),
            Value::Object(keywords) => keywords,
            _ => return Answer::Unsure,
        };
        let beside = || {
            let others = keywords.iter().filter(|(keyword, _)| *keyword != "$ref");
            Answer::all(
                others.map(|(keyword, operand)| self.keyword(value, keyword, operand, schema, depth + 1)),
            )
        };
        let Some(reference) = keywords.get("$ref") else { return beside() };
        let target = self.document.resolve(reference);
        let referred = target.map_or(Answer::Unsure, |target| self.judge(value, target, depth + 1));
        // Whether keywords beside a reference count depends on the draft.
        match (referred, beside()) {
            (Answer::No, _) => Answer::No,
            (Answer::Yes, Answer::Yes) => Answer::Yes,
            _ => Answer::Unsure,
        }
    }

    fn keyword(&self, value: &Value, keyword: &str, operand: &Value, all: &Value, depth: usize) -> Answer {
        let each = |schemas: &Value| -> Vec<Answer> {
            let schemas = schemas.as_array().map(Vec::as_slice).unwrap_or_default();
            schemas.iter().map(|schema| self.judge(value, schema, depth)).collect()
        };
        match keyword {
            "type" => of_type(value, operand),
            "enum" => operand
                .as_array()
                .map_or(Answer::Unsure, |values| Answer::of(values.iter().any(|each| same(each, value)))),
            "const" => Answer::of(same(operand, value)),
            "allOf" => Answer::all(each(operand).into_iter()),
            "anyOf" => Answer::any(each(operand).into_iter()),
            "oneOf" => exactly_one(&each(operand)),
            "not" => self.judge(value, operand, depth).not(),
            "if" => {
                let branch =
                    |name: &str| all.get(name).map_or(Answer::Yes, |schema| self.judge(value, schema, depth));
                match self.judge(value, operand, depth) {
                    Answer::Yes => branch("then"),
                    Answer::No => branch("else"),
                    Answer::Unsure => match (branch("then"), branch("else")) {
                        (one, other) if one == other => one,
                        _ => Answer::Unsure,
                    },
                }
            }
            "then" | "else" => Answer::Yes,
            keyword if is_remark(keyword) => Answer::Yes,
            _ => match value {
                Value::Number(_) => of_number(value, keyword, operand),
                Value::String(text) => of_string(text, keyword, operand),
                Value::Array(items) => self.of_list(items, keyword, operand, all, depth),
                Value::Object(members) => self.of_object(members, keyword, operand, all, depth),
                Value::Null | Value::Bool(_) => applies_to_none(keyword),
            },
        }
    }

    fn of_list(&self, items: &[Value], keyword: &str, operand: &Value, all: &Value, depth: usize) -> Answer {
        match keyword {
            "minItems" => counted(operand, |limit| items.len() as u64 >= limit),
            "maxItems" => counted(operand, |limit| items.len() as u64 <= limit),
            "items" => match plain_items(all) {
                Some(schema) => Answer::all(items.iter().map(|item| self.judge(item, schema, depth))),
                None => Answer::Unsure,
            },
            "uniqueItems" if items.len() <= MAX_UNIQUE || operand == &Value::Bool(false) => {
                let repeated =
                    |index: usize, item: &Value| items.iter().skip(index + 1).any(|other| same(item, other));
                let unique = !items.iter().enumerate().any(|(index, item)| repeated(index, item));
                operand.as_bool().map_or(Answer::Unsure, |wanted| Answer::of(!wanted || unique))
            }
            _ => applies_to(keyword, &[OF_NUMBERS, OF_STRINGS, OF_OBJECTS]),
        }
    }

    fn of_object(
        &self,
        members: &Map<String, Value>,
        keyword: &str,
        operand: &Value,
        all: &Value,
        depth: usize,
    ) -> Answer {
        let named = |name: &str| all.get("properties").and_then(|properties| properties.get(name));
        match keyword {
            "required" => {
                let names = operand.as_array().map(Vec::as_slice).unwrap_or_default();
                Answer::all(names.iter().map(|name| {
                    name.as_str().map_or(Answer::Unsure, |name| Answer::of(members.contains_key(name)))
                }))
            }
            "properties" => Answer::all(
                members
                    .iter()
                    .filter_map(|(name, value)| named(name).map(|schema| self.judge(value, schema, depth))),
            ),
            "additionalProperties" => {
                let mut others = members.iter().filter(|(name, _)| named(name).is_none()).peekable();
                match other_members(all) {
                    _ if others.peek().is_none() => Answer::Yes,
                    Some(schema) => Answer::all(others.map(|(_, value)| self.judge(value, schema, depth))),
                    None => Answer::Unsure,
                }
            }
            "patternProperties" if members.is_empty() || !has_patterns(all) => Answer::Yes,
            "minProperties" => counted(operand, |limit| members.len() as u64 >= limit),
            "maxProperties" => counted(operand, |limit| members.len() as u64 <= limit),
            _ => applies_to(keyword, &[OF_NUMBERS, OF_STRINGS, OF_ARRAYS]),
        }
    }
}

/// A keyword for other types always holds; an unknown keyword is undecided.
fn applies_to(keyword: &str, others: &[&[&str]]) -> Answer {
    if concerns_others(keyword, others) { Answer::Yes } else { Answer::Unsure }
}

fn applies_to_none(keyword: &str) -> Answer {
    applies_to(keyword, &[OF_NUMBERS, OF_STRINGS, OF_ARRAYS, OF_OBJECTS])
}

fn counted(operand: &Value, holds: impl Fn(u64) -> bool) -> Answer {
    operand.as_u64().map_or(Answer::Unsure, |limit| Answer::of(holds(limit)))
}

fn of_type(value: &Value, operand: &Value) -> Answer {
    let is = |name: &Value| match (name.as_str(), value) {
        (Some("null"), Value::Null)
        | (Some("boolean"), Value::Bool(_))
        | (Some("number"), Value::Number(_))
        | (Some("string"), Value::String(_))
        | (Some("array"), Value::Array(_))
        | (Some("object"), Value::Object(_)) => Answer::Yes,
        (Some("integer"), Value::Number(_)) => {
            Decimal::of(value).map_or(Answer::Unsure, |number| Answer::of(number.is_whole()))
        }
        (Some("null" | "boolean" | "number" | "string" | "array" | "object" | "integer"), _) => Answer::No,
        _ => Answer::Unsure,
    };
    match operand {
        Value::Array(names) => Answer::any(names.iter().map(is)),
        name => is(name),
    }
}

fn of_number(value: &Value, keyword: &str, operand: &Value) -> Answer {
    let Some((number, limit)) = Decimal::of(value).zip(Decimal::of(operand)) else {
        return applies_to(keyword, &[OF_STRINGS, OF_ARRAYS, OF_OBJECTS]);
    };
    match keyword {
        "minimum" => Answer::of(number >= limit),
        "maximum" => Answer::of(number <= limit),
        "exclusiveMinimum" => Answer::of(number > limit),
        "exclusiveMaximum" => Answer::of(number < limit),
        "multipleOf" => match value.as_i64().zip(operand.as_i64()) {
            Some((number, step)) if step > 0 => Answer::of(number % step == 0),
            _ => Answer::Unsure,
        },
        _ => applies_to(keyword, &[OF_STRINGS, OF_ARRAYS, OF_OBJECTS]),
    }
}

fn of_string(text: &str, keyword: &str, operand: &Value) -> Answer {
    let length = || text.chars().count() as u64;
    match keyword {
        "minLength" => counted(operand, |limit| length() >= limit),
        "maxLength" => counted(operand, |limit| length() <= limit),
        _ => applies_to(keyword, &[OF_NUMBERS, OF_ARRAYS, OF_OBJECTS]),
    }
}

fn exactly_one(answers: &[Answer]) -> Answer {
    let count = |wanted: Answer| answers.iter().filter(|answer| **answer == wanted).count();
    match (count(Answer::Yes), count(Answer::Unsure)) {
        (2.., _) | (0, 0) => Answer::No,
        (1, 0) => Answer::Yes,
        _ => Answer::Unsure,
    }
}
