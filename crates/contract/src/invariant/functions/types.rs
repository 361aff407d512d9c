//! Conversions between kinds of values.

use cel::common::types::{CelBool, CelBytes, CelType, CelUInt};
use cel::common::value::Val;

use super::function::{
    Argument, Function, Made, Wrong, made_bool, made_int, made_number, made_text, number, text,
};
use crate::decimal::{Decimal, Rounding};
use crate::invariant::number::Number;
use crate::invariant::time::{Moment, SECOND, Span};
use crate::violation::escape::quoted;

const NUMBER: Option<&str> = Some("a number");

pub(super) const TABLE: &[Function] = &[
    Function::new("int", "int(value)", (1, 1), NUMBER, integer),
    Function::new("uint", "uint(value)", (1, 1), NUMBER, unsigned),
    Function::new("double", "double(value)", (1, 1), NUMBER, |arguments| {
        made_number(Some(Number::fraction(converted(arguments)?)))
    }),
    Function::new("string", "string(value)", (1, 1), Some("a string"), |arguments| {
        let [value] = arguments else { return Err(Wrong::Kinds) };
        made_text(written(*value).ok_or(Wrong::Kinds)?)
    }),
    Function::new("bool", "bool(text)", (1, 1), None, boolean),
    Function::new("bytes", "bytes(text)", (1, 1), Some("bytes"), |arguments| {
        let [value] = arguments else { return Err(Wrong::Kinds) };
        match value.downcast_ref::<CelBytes>() {
            Some(bytes) => Ok(bytes.clone_as_boxed()),
            None => Ok(Box::new(CelBytes::from(text(*value)?.as_bytes().to_vec()))),
        }
    }),
    Function::new("dyn", "dyn(value)", (1, 1), None, |arguments| {
        arguments.first().map(|value| value.clone_as_boxed()).ok_or(Wrong::Kinds)
    }),
    Function::new("type", "type(value)", (1, 1), Some("a type"), |arguments| {
        let [value] = arguments else { return Err(Wrong::Kinds) };
        Ok(Box::new(CelType::from(value.get_type())))
    })
    .surface(),
];

/// The number that a value is or writes.
fn converted(arguments: &[Argument<'_, '_>]) -> Result<Decimal, Wrong> {
    let [value] = arguments else { return Err(Wrong::Kinds) };
    match text(*value) {
        Ok(text) => {
            Decimal::parse(text).ok_or_else(|| Wrong::Because(format!("{} is not a number", quoted(text))))
        }
        Err(_) => Ok(number(*value)?.decimal()),
    }
}

/// Without what is after the point; of a text, only an integer.
fn whole(arguments: &[Argument<'_, '_>]) -> Result<Decimal, Wrong> {
    let number = converted(arguments)?;
    let is_text = arguments.first().is_some_and(|value| text(*value).is_ok());
    let whole = number.rounded(0, Rounding::Down).ok_or_else(super::function::too_large)?;
    match is_text && whole != number {
        true => Err(Wrong::Because(format!("{} is not an integer", number.plain()))),
        false => Ok(whole),
    }
}

fn integer<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    if let Some(moment) = arguments.first().and_then(|value| value.downcast_ref::<Moment>()) {
        return made_int(i64::try_from(moment.nanoseconds().div_euclid(SECOND)).unwrap_or_default());
    }
    made_number(Some(Number::integer(whole(arguments)?)))
}

fn unsigned<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let number = whole(arguments)?;
    match number.plain().parse::<u64>() {
        Ok(number) => Ok(Box::new(CelUInt::from(number))),
        Err(_) => {
            Err(Wrong::Because(format!("{} is not between 0 and 18446744073709551615", number.plain())))
        }
    }
}

fn boolean<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [value] = arguments else { return Err(Wrong::Kinds) };
    if let Some(truth) = value.downcast_ref::<CelBool>() {
        return made_bool(*truth.inner());
    }
    match text(*value)? {
        "true" => made_bool(true),
        "false" => made_bool(false),
        text => Err(Wrong::Because(format!("{} is neither 'true' nor 'false'", quoted(text)))),
    }
}

/// A value as text, if it has one.
pub(super) fn written(value: Argument<'_, '_>) -> Option<String> {
    if let Ok(text) = text(value) {
        return Some(text.to_owned());
    }
    if let Some(number) = Number::of(value) {
        return Some(number.text());
    }
    if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        return String::from_utf8(bytes.inner().to_vec()).ok();
    }
    if let Some(moment) = value.downcast_ref::<Moment>() {
        return Some(moment.text());
    }
    if let Some(span) = value.downcast_ref::<Span>() {
        return Some(span.text());
    }
    Some(value.downcast_ref::<CelBool>()?.inner().to_string())
}
