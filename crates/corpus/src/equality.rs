//! Equality of JSON values with numbers compared as numbers.
//!
//! `6.0` is `6` and `14.40` is `14.4`, but `9007199254740993` is not `9007199254740992`: nothing goes through a
//! float. Members of an object have no order.

use serde_json::{Number, Value};

/// Whether two values are the same value.
pub fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_value(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| same_value(left, right)))
        }
        _ => left == right,
    }
}

fn same_number(left: &Number, right: &Number) -> bool {
    let (left, right) = (left.to_string(), right.to_string());
    match (Decimal::of(&left), Decimal::of(&right)) {
        (Some(left), Some(right)) => left == right,
        // An exponent beyond all reason: only the same text is the same number.
        _ => left == right,
    }
}

/// `digits × 10^exponent` with neither leading nor trailing zeros, so that equal numbers are equal structs.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, text),
        };
        let (significand, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
        let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let trailing = all.len() - all.trim_end_matches('0').len();
        let shift = i64::try_from(trailing).ok()? - i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
        Some(Self { negative, digits: digits.to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(left: &str, right: &str) -> bool {
        same_value(&serde_json::from_str(left).unwrap(), &serde_json::from_str(right).unwrap())
    }

    #[test]
    fn notation_does_not_matter() {
        for (left, right) in [
            ("6.0", "6"),
            ("14.40", "14.4"),
            ("1e3", "1000"),
            ("1E+3", "1000.00"),
            ("0.001", "1e-3"),
            ("-0", "0.0"),
            ("-12.50", "-1.25e1"),
            (r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1.0}"#),
        ] {
            assert!(same(left, right), "{left} is {right}");
        }
    }

    #[test]
    fn different_values_are_not_equal() {
        for (left, right) in [
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.10000000000000000001"),
            ("1", "-1"),
            ("10", "1"),
            ("1", "true"),
            ("1", "\"1\""),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert!(!same(left, right), "{left} is not {right}");
        }
    }
}
