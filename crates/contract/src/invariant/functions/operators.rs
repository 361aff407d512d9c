//! The operators, and what only rewritten rules call.

use std::cmp::Ordering;

use cel::common::types::{CelBytes, CelMap, CelMapKey};
use cel::common::value::Val;

use super::function::{Argument, Function, Made, Reads, Wrong};
use super::function::{list, made_bool, made_list, made_number, made_text, number, text, too_large};
use crate::decimal::Decimal;
use crate::invariant::meter;
use crate::invariant::number::Number;
use crate::invariant::time::{Moment, Span};
use crate::invariant::value::{compare, equal};

const fn operator(
    name: &'static str,
    arguments: usize,
    result: Option<&'static str>,
    run: for<'b, 'v> fn(&[Argument<'b, 'v>]) -> Made<'v>,
) -> Function {
    Function { name, usage: "", least: arguments, most: arguments, result, reads: Reads::All, run }
}

/// The literal of a number that the evaluator would round.
pub(in crate::invariant) const NUMBER: &str = "@number";
/// An index or a key, before the evaluator looks it up.
pub(in crate::invariant) const INDEX: &str = "@index";
/// The second half of the macro `sortBy`.
pub(in crate::invariant) const SORT_BY: &str = "@sortBy";

pub(super) const TABLE: &[Function] = &[
    operator("_==_", 2, None, |arguments| made_bool(pair(arguments, equal)?)),
    operator("_!=_", 2, None, |arguments| made_bool(!pair(arguments, equal)?)),
    operator("_<_", 2, None, |arguments| made_bool(order(arguments)?.is_lt())),
    operator("_<=_", 2, None, |arguments| made_bool(order(arguments)?.is_le())),
    operator("_>_", 2, None, |arguments| made_bool(order(arguments)?.is_gt())),
    operator("_>=_", 2, None, |arguments| made_bool(order(arguments)?.is_ge())),
    operator("_+_", 2, Some("a sum"), add),
    operator("_-_", 2, Some("a number"), subtract),
    operator("_*_", 2, Some("a number"), multiply),
    operator("_/_", 2, Some("a number"), divide),
    operator("_%_", 2, Some("a number"), remainder),
    operator("-_", 1, Some("a number"), negate),
    operator("@in", 2, None, contained),
    operator(NUMBER, 1, Some("a number"), |arguments| {
        let [written] = arguments else { return Err(Wrong::Kinds) };
        made_number(Decimal::parse(text(*written)?).map(Number::fraction))
    }),
    operator(INDEX, 1, None, |arguments| {
        let [index] = arguments else { return Err(Wrong::Kinds) };
        let whole = Number::of(*index).and_then(|number| number.whole()).map(Number::Small);
        Ok(whole.map_or_else(|| index.clone_as_boxed(), Number::boxed))
    }),
    operator(SORT_BY, 1, Some("a list"), super::lists::sort_pairs),
];

fn pair<'b, 'v, T>(
    arguments: &[Argument<'b, 'v>],
    combine: impl Fn(&(dyn Val + 'v), &(dyn Val + 'v)) -> T,
) -> Result<T, Wrong> {
    let [left, right] = arguments else { return Err(Wrong::Kinds) };
    Ok(combine(*left, *right))
}

fn order(arguments: &[Argument<'_, '_>]) -> Result<Ordering, Wrong> {
    pair(arguments, compare)?.ok_or(Wrong::Kinds)
}

fn add<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [left, right] = arguments else { return Err(Wrong::Kinds) };
    if let (Some(left), Some(right)) = (Number::of(*left), Number::of(*right)) {
        return made_number(left.plus(&right));
    }
    if let (Ok(left), Ok(right)) = (text(*left), text(*right)) {
        return made_text(format!("{left}{right}"));
    }
    if let (Ok(left), Ok(right)) = (list(*left), list(*right)) {
        return made_list(left.iter().chain(right).map(|item| item.clone_as_boxed()).collect());
    }
    if let (Some(left), Some(right)) = (left.downcast_ref::<CelBytes>(), right.downcast_ref::<CelBytes>()) {
        return Ok(Box::new(CelBytes::from([left.inner(), right.inner()].concat())));
    }
    let later = |moment: &Moment, span: &Span| {
        made_time(moment.nanoseconds().checked_add(span.nanoseconds()).and_then(Moment::new))
    };
    match (moment(*left), span(*left), moment(*right), span(*right)) {
        (Some(moment), _, _, Some(span)) | (_, Some(span), Some(moment), _) => later(moment, span),
        (_, Some(left), _, Some(right)) => made_time(Span::new(left.nanoseconds() + right.nanoseconds())),
        _ => Err(Wrong::Kinds),
    }
}

fn moment<'b>(value: Argument<'b, '_>) -> Option<&'b Moment> {
    value.downcast_ref::<Moment>()
}

fn span<'b>(value: Argument<'b, '_>) -> Option<&'b Span> {
    value.downcast_ref::<Span>()
}

fn made_time<'v, T: Val + 'v>(time: Option<T>) -> Made<'v> {
    match time {
        Some(time) => Ok(Box::new(time)),
        None => Err(Wrong::Because("a time is out of range".to_owned())),
    }
}

fn subtract<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [left, right] = arguments else { return Err(Wrong::Kinds) };
    if let (Some(left), Some(right)) = (Number::of(*left), Number::of(*right)) {
        return made_number(left.plus(&negative(&right)));
    }
    match (moment(*left), span(*left), moment(*right), span(*right)) {
        (Some(left), _, _, Some(right)) => made_time(Moment::new(left.nanoseconds() - right.nanoseconds())),
        (Some(left), _, Some(right), _) => made_time(Span::new(left.nanoseconds() - right.nanoseconds())),
        (_, Some(left), _, Some(right)) => made_time(Span::new(left.nanoseconds() - right.nanoseconds())),
        _ => Err(Wrong::Kinds),
    }
}

pub(super) fn negative(number: &Number) -> Number {
    match number {
        Number::Small(integer) if *integer != i64::MIN => Number::Small(-integer),
        number => Number::like(number.decimal().negated(), number, number),
    }
}

fn negate<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [operand] = arguments else { return Err(Wrong::Kinds) };
    match span(*operand) {
        Some(span) => made_time(Span::new(-span.nanoseconds())),
        None => made_number(Some(negative(&number(*operand)?))),
    }
}

/// What a quotient costs, in steps.
const QUOTIENT_STEPS: u64 = 100;

/// Both numbers. What multiplying and dividing them costs grows with the product of their lengths.
fn factors(arguments: &[Argument<'_, '_>]) -> Result<(Number, Number), Wrong> {
    let [left, right] = arguments else { return Err(Wrong::Kinds) };
    let (left, right) = (number(*left)?, number(*right)?);
    meter::spend((left.length() * right.length() / 64) as u64)?;
    Ok((left, right))
}

fn multiply<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let (left, right) = factors(arguments)?;
    if let (Number::Small(left), Number::Small(right)) = (&left, &right)
        && let Some(product) = left.checked_mul(*right)
    {
        return made_number(Some(Number::Small(product)));
    }
    made_number(left.decimal().times(&right.decimal()).map(|product| Number::like(product, &left, &right)))
}

fn divisible(arguments: &[Argument<'_, '_>]) -> Result<(Number, Number), Wrong> {
    let (left, right) = factors(arguments)?;
    match right.decimal().is_zero() {
        true => Err(Wrong::Because("division by zero".to_owned())),
        false => Ok((left, right)),
    }
}

/// Integers are divided like those of CEL, without a fraction; decimals to 34 digits.
fn divide<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let (left, right) = divisible(arguments)?;
    meter::spend(if left.is_integer() && right.is_integer() { 4 } else { QUOTIENT_STEPS })?;
    let (dividend, divisor) = (left.decimal(), right.decimal());
    let quotient = match left.is_integer() && right.is_integer() {
        true => dividend.quotient(&divisor),
        false => dividend.over(&divisor),
    };
    Ok(Number::like(quotient.ok_or_else(too_large)?, &left, &right).boxed())
}

fn remainder<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let (left, right) = divisible(arguments)?;
    made_number(left.decimal().remainder(&right.decimal()).map(|rest| Number::like(rest, &left, &right)))
}

/// `1 in [1, 2]`, `'name' in output`.
fn contained<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [item, container] = arguments else { return Err(Wrong::Kinds) };
    if let Some(map) = container.downcast_ref::<CelMap>() {
        let is_item = |name: &CelMapKey<'_>| equal(*item, name.inner());
        return match text(*item) {
            Ok(name) => made_bool(map.inner().contains_key(&CelMapKey::String(name.into()))),
            Err(_) => made_bool(map.inner().keys().any(is_item)),
        };
    }
    made_bool(list(*container)?.iter().any(|other| equal(*item, other.as_ref())))
}
