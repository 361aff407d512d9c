//! Numbers as they are written. Nothing here goes through a float: a number is its decimal text until two of
//! them are compared.

use serde_json::{Map, Number, Value};

use crate::decimal::Decimal;
use crate::limits::MAX_NUMBER_DIGITS;

/// Whether a JSON number literal is small enough to be kept. Others are rejected, never rounded.
pub(crate) fn is_kept(literal: &str) -> bool {
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    mantissa.len() <= MAX_NUMBER_DIGITS
        && exponent.parse::<i64>().is_ok_and(|exponent| exponent.unsigned_abs() <= MAX_NUMBER_DIGITS as u64)
}

/// The number that a valid JSON literal writes, digit for digit.
pub(crate) fn exact(literal: &str) -> Number {
    Number::from_string_unchecked(literal.to_owned())
}

/// Whether two values are the same JSON value: `1.0` is `1`, and the order of members does not matter.
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => same_members(left, right),
        _ => left == right,
    }
}

fn same_members(left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    left.len() == right.len()
        && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
}

pub(crate) fn same_number(left: &Number, right: &Number) -> bool {
    let same = |(left, right): (Decimal, Decimal)| left == right;
    left.as_str() == right.as_str()
        || Decimal::of_number(left).zip(Decimal::of_number(right)).is_some_and(same)
}

/// Whether a number is whole: `6`, `6.0` and `1e3` are.
pub(crate) fn is_integer(number: &Number) -> bool {
    Decimal::of_number(number).is_none_or(|decimal| decimal.is_whole())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::Number(exact(text))
    }

    #[test]
    fn numbers_compare_by_value_not_by_text() {
        for (left, right) in
            [("14.4", "14.40"), ("1", "1.0"), ("-0", "0.0"), ("1e3", "1000"), ("120e-1", "12")]
        {
            assert!(same(&value(left), &value(right)), "{left} is {right}");
        }
        for (left, right) in [
            ("90071992547409931234", "90071992547409931235"),
            ("1", "-1"),
            ("0.1", "0.10000000000000001"),
            ("1", "10"),
        ] {
            assert!(!same(&value(left), &value(right)), "{left} is not {right}");
        }
    }

    #[test]
    fn numbers_beyond_the_limit_are_not_kept() {
        assert!(is_kept("1e400"));
        assert!(!is_kept("1e1001"));
        assert!(!is_kept("1e99999999999999999999"));
        assert!(!is_kept(&"9".repeat(1_001)));
    }
}
