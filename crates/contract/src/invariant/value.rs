//! The values of rules: what they are, whether they are equal, and their order. By ours, not by the evaluator's own comparison,
//! which does not know exact numbers.

use std::cmp::Ordering;

use cel::common::types::{CelBool, CelBytes, CelList, CelMap, CelMapKey, CelNull, CelString, CelType};
use cel::common::value::Val;

use super::number::Number;
use super::time::{Moment, Span};
use crate::violation::escape::quoted;
use crate::violation::quote;

pub(super) fn text<'b>(value: &'b (dyn Val + '_)) -> Option<&'b str> {
    value.downcast_ref::<CelString>().map(CelString::inner)
}

pub(super) fn list<'b, 'v>(value: &'b (dyn Val + 'v)) -> Option<&'b [Box<dyn Val + 'v>]> {
    value.downcast_ref::<CelList<'v>>().map(CelList::inner)
}

pub(super) fn truth(value: &(dyn Val + '_)) -> Option<bool> {
    value.downcast_ref::<CelBool>().map(|truth| *truth.inner())
}

/// Whether two values are equal. Numbers are by their value: `1` is `1.0`.
pub(super) fn equal(left: &(dyn Val + '_), right: &(dyn Val + '_)) -> bool {
    if let (Some(left), Some(right)) = (list(left), list(right)) {
        return left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| equal(left.as_ref(), right.as_ref()));
    }
    if let (Some(left), Some(right)) = (left.downcast_ref::<CelMap>(), right.downcast_ref::<CelMap>()) {
        return left.inner().len() == right.inner().len()
            && left.inner().iter().all(|(name, member)| {
                right.inner().get(name).is_some_and(|other| equal(member.as_ref(), other.as_ref()))
            });
    }
    match (Number::of(left), Number::of(right)) {
        (Some(left), Some(right)) => left.compare(&right) == Ordering::Equal,
        (None, None) => left.equals(right),
        _ => false,
    }
}

/// The order of two values of one kind, if the kind has an order.
pub(super) fn compare(left: &(dyn Val + '_), right: &(dyn Val + '_)) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (Number::of(left), Number::of(right)) {
        return Some(left.compare(&right));
    }
    if let (Some(left), Some(right)) = (text(left), text(right)) {
        return Some(left.cmp(right));
    }
    if let (Some(left), Some(right)) = (truth(left), truth(right)) {
        return Some(left.cmp(&right));
    }
    if let (Some(left), Some(right)) = (left.downcast_ref::<Moment>(), right.downcast_ref::<Moment>()) {
        return Some(left.cmp(right));
    }
    if let (Some(left), Some(right)) = (left.downcast_ref::<Span>(), right.downcast_ref::<Span>()) {
        return Some(left.cmp(right));
    }
    let (left, right) = (left.downcast_ref::<CelBytes>()?, right.downcast_ref::<CelBytes>()?);
    Some(left.inner().cmp(right.inner()))
}

/// A text that is the same for equal values, and differs for others.
pub(super) fn write_key(value: &(dyn Val + '_), key: &mut String) {
    if let Some(items) = list(value) {
        key.push('[');
        for item in items {
            write_key(item.as_ref(), key);
            key.push(',');
        }
        return key.push(']');
    }
    if let Some(map) = value.downcast_ref::<CelMap>() {
        let mut members: Vec<(String, &CelMapKey<'_>)> = Vec::new();
        for name in map.inner().keys() {
            let mut text = String::new();
            write_key(name.inner(), &mut text);
            members.push((text, name));
        }
        members.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        key.push('{');
        for (text, name) in members {
            key.push_str(&text);
            key.push(':');
            if let Some(member) = map.inner().get(name) {
                write_key(member.as_ref(), key);
            }
            key.push(',');
        }
        return key.push('}');
    }
    match (Number::of(value), text(value)) {
        (Some(number), _) => key.push_str(&number.decimal().to_string()),
        (_, Some(text)) => key.push_str(&format!("{text:?}")),
        _ => key.push_str(&format!("{}:{value:?}", value.get_type().name())),
    }
}

/// A value in a message.
pub(super) fn describe(value: &(dyn Val + '_)) -> String {
    if let Some(number) = Number::of(value) {
        return shortened(&number.text());
    }
    if let Some(text) = text(value) {
        return quoted(text);
    }
    if let Some(items) = list(value) {
        return format!("a list of {}", quote::counted(items.len(), "item", "items"));
    }
    if let Some(moment) = value.downcast_ref::<Moment>() {
        return moment.text();
    }
    if let Some(span) = value.downcast_ref::<Span>() {
        return span.text();
    }
    match truth(value) {
        Some(truth) => truth.to_string(),
        None if value.downcast_ref::<CelNull>().is_some() => "null".to_owned(),
        None if value.downcast_ref::<CelMap>().is_some() => "an object".to_owned(),
        None if value.downcast_ref::<CelType>().is_some() => "a type".to_owned(),
        None if value.downcast_ref::<CelBytes>().is_some() => "bytes".to_owned(),
        None => "another kind of value".to_owned(),
    }
}

/// A number of a thousand digits would bury the message.
fn shortened(digits: &str) -> String {
    const SHOWN: usize = 60;
    match digits.get(..SHOWN) {
        Some(start) if digits.len() > SHOWN => format!("{start}…"),
        _ => digits.to_owned(),
    }
}

/// The kind of a value, in words.
pub(super) fn kind(value: &(dyn Val + '_)) -> &'static str {
    match Number::of(value) {
        Some(number) if number.is_integer() => "an integer",
        Some(_) => "a decimal number",
        None => kind_named(value.get_type().name()),
    }
}

/// The evaluator's name for a kind of value, in words.
pub(super) fn kind_named(name: &str) -> &'static str {
    match name {
        "null_type" | "null" => "null",
        "bool" => "a boolean",
        "int" => "an integer",
        "uint" => "an unsigned integer",
        "double" => "a decimal number",
        "string" => "a string",
        "bytes" => "bytes",
        "list" => "a list",
        "map" => "an object",
        "type" => "a type",
        "google.protobuf.Timestamp" => "a timestamp",
        "google.protobuf.Duration" => "a duration",
        "iterable" => "a list",
        _ => "another kind of value",
    }
}
