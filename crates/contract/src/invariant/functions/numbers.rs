//! Functions on numbers, most of them with the names of CEL's `math` library.

use std::cmp::Ordering;

use cel::common::value::Val;

use super::function::{
    ANY, Argument, Function, Made, Wrong, list, made_bool, made_int, made_number, number, whole,
};
use super::operators::negative;
use crate::decimal::Rounding;
use crate::invariant::number::Number;
use crate::invariant::value::compare;

const NUMBER: Option<&str> = Some("a number");

pub(super) const TABLE: &[Function] = &[
    Function::new("sum", "list.sum()", (1, 1), NUMBER, sum),
    Function::new("min", "min(a, b) or list.min()", (1, ANY), NUMBER, least),
    Function::new("max", "max(a, b) or list.max()", (1, ANY), NUMBER, greatest),
    Function::new("abs", "abs(number)", (1, 1), NUMBER, absolute),
    Function::new("round", "round(number) or round(number, places)", (1, 2), NUMBER, round),
    Function::new("math.greatest", "math.greatest(a, b)", (1, ANY), NUMBER, greatest),
    Function::new("math.least", "math.least(a, b)", (1, ANY), NUMBER, least),
    Function::new("math.abs", "math.abs(number)", (1, 1), NUMBER, absolute),
    Function::new("math.sign", "math.sign(number)", (1, 1), NUMBER, sign),
    Function::new("math.ceil", "math.ceil(number)", (1, 1), NUMBER, |arguments| {
        to_places(arguments, Rounding::Ceiling)
    }),
    Function::new("math.floor", "math.floor(number)", (1, 1), NUMBER, |arguments| {
        to_places(arguments, Rounding::Floor)
    }),
    Function::new("math.round", "math.round(number)", (1, 1), NUMBER, round),
    Function::new("math.trunc", "math.trunc(number)", (1, 1), NUMBER, |arguments| {
        to_places(arguments, Rounding::Down)
    }),
    Function::new("math.isNaN", "math.isNaN(number)", (1, 1), None, |arguments| is_number(arguments, false)),
    Function::new("math.isInf", "math.isInf(number)", (1, 1), None, |arguments| is_number(arguments, false)),
    Function::new("math.isFinite", "math.isFinite(number)", (1, 1), None, |arguments| {
        is_number(arguments, true)
    }),
];

fn one<'b, 'v>(arguments: &[Argument<'b, 'v>]) -> Result<Argument<'b, 'v>, Wrong> {
    arguments.first().copied().ok_or(Wrong::Kinds)
}

fn sum<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let mut total = Number::Small(0);
    for (index, item) in list(one(arguments)?)?.iter().enumerate() {
        let item = Number::of(item.as_ref()).ok_or(Wrong::Item(index))?;
        total = total.plus(&item).ok_or_else(super::function::too_large)?;
    }
    made_number(Some(total))
}

fn least<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    extreme(one(arguments)?, Ordering::Less)
}

fn greatest<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    extreme(one(arguments)?, Ordering::Greater)
}

/// The first item that is before or after all others. A single number counts as a list of it.
fn extreme<'v>(items: Argument<'_, 'v>, wanted: Ordering) -> Made<'v> {
    if Number::of(items).is_some() {
        return Ok(items.clone_as_boxed());
    }
    let mut found: Option<&(dyn Val + 'v)> = None;
    for (index, item) in list(items)?.iter().enumerate() {
        let order = compare(item.as_ref(), found.unwrap_or(item.as_ref())).ok_or(Wrong::Item(index))?;
        if found.is_none() || order == wanted {
            found = Some(item.as_ref());
        }
    }
    found.map(|item| item.clone_as_boxed()).ok_or_else(|| Wrong::Because("the list is empty".to_owned()))
}

fn absolute<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let number = number(one(arguments)?)?;
    let is_negative = number.decimal().is_negative();
    made_number(Some(if is_negative { negative(&number) } else { number }))
}

fn sign<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let number = number(one(arguments)?)?.decimal();
    made_int(match (number.is_zero(), number.is_negative()) {
        (true, _) => 0,
        (_, true) => -1,
        _ => 1,
    })
}

/// Half away from zero, like merchants and CEL.
fn round<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    to_places(arguments, Rounding::HalfAway)
}

fn to_places<'v>(arguments: &[Argument<'_, 'v>], rounding: Rounding) -> Made<'v> {
    let number = number(one(arguments)?)?;
    let places = arguments.get(1).map_or(Ok(0), |places| whole(*places))?;
    let rounded = number.decimal().rounded(places, rounding);
    made_number(rounded.map(|rounded| Number::like(rounded, &number, &number)))
}

/// Numbers are exact, so there is neither infinity nor what is not a number.
fn is_number<'v>(arguments: &[Argument<'_, 'v>], answer: bool) -> Made<'v> {
    number(one(arguments)?)?;
    made_bool(answer)
}
