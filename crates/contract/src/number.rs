//! Numbers as they are written. Nothing here goes through a float: a number is its decimal text until two of
//! them are compared.

use serde_json::{Map, Number, Value};

use crate::limits::MAX_NUMBER_DIGITS;

/// Whether a JSON number literal is small enough to be kept. What is not kept is refused, never rounded.
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
    left.as_str() == right.as_str() || Decimal::of(left.as_str()) == Decimal::of(right.as_str())
}

/// Whether a number is whole: `6`, `6.0` and `1e3` are.
pub(crate) fn is_integer(number: &Number) -> bool {
    Decimal::of(number.as_str()).exponent >= 0
}

/// A number as sign, significant digits and the power of ten of the last digit.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(literal: &str) -> Self {
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let negative = mantissa.starts_with('-');
        let mantissa = mantissa.trim_start_matches(['-', '+']);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0 };
        }
        let zeros_at_end = all.len() - all.trim_end_matches('0').len();
        let shift = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let zeros_at_end = i64::try_from(zeros_at_end).unwrap_or(i64::MAX);
        let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX);
        Self { negative, digits, exponent: exponent.saturating_sub(shift).saturating_add(zeros_at_end) }
    }
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
