//! Numbers compared as they are written: a float would make two different bounds the same.

mod arithmetic;

use std::cmp::Ordering;

pub(crate) use arithmetic::Rounding;
use serde_json::{Number, Value};

/// A number as a sign and `0.digits × 10^exponent`, without zeros at either end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

/// The most digits of a whole number that is read as one.
const MOST_DIGITS: usize = 19;

impl Decimal {
    /// A number, if the value is one and its exponent can be counted.
    pub fn of(value: &Value) -> Option<Self> {
        value.as_number().and_then(Self::of_number)
    }

    /// A number, if its exponent can be counted.
    pub fn of_number(number: &Number) -> Option<Self> {
        let (mantissa, exponent) = number.as_str().split_once(['e', 'E']).unwrap_or((number.as_str(), "0"));
        let exponent: i64 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let unsigned = whole.trim_start_matches('-');
        let mut digits: Vec<u8> = unsigned.bytes().chain(fraction.bytes()).collect();
        let mut exponent = exponent.checked_add(i64::try_from(unsigned.len()).ok()?)?;
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        exponent = exponent.checked_sub(i64::try_from(zeros).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        Some(Self { negative: whole.starts_with('-'), digits, exponent })
    }

    /// Whether nothing is after the point.
    pub fn is_whole(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|digits| digits <= self.exponent.max(0))
    }

    /// The number, where nothing is after the point and it is not too large.
    pub fn whole(&self) -> Option<i64> {
        let length =
            usize::try_from(self.exponent).ok().filter(|length| self.is_whole() && *length <= MOST_DIGITS)?;
        let digits = self.digits.iter().copied().chain(std::iter::repeat(b'0')).take(length);
        let sign = if self.negative { "-" } else { "" };
        let text: String = sign.chars().chain("0".chars()).chain(digits.map(char::from)).collect();
        text.parse().ok()
    }

    fn size(&self) -> (bool, i64, &[u8]) {
        (!self.digits.is_empty(), self.exponent, &self.digits)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(formatter, "{sign}0.{}e{}", String::from_utf8_lossy(&self.digits), self.exponent)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }
}

impl Decimal {
    /// Zero is smaller than everything, whatever the exponents.
    fn magnitude(&self, other: &Self) -> Ordering {
        self.size().cmp(&other.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::of(&serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn order_is_that_of_numbers() {
        let sorted = [
            "-1e300",
            "-2",
            "-1.5",
            "-1",
            "-0.001",
            "0",
            "0.001",
            "0.1",
            "1",
            "1.0000000000000000001",
            "9",
            "10",
            "1e3",
        ];
        for (index, one) in sorted.iter().enumerate() {
            for (other_index, other) in sorted.iter().enumerate() {
                assert_eq!(decimal(one).cmp(&decimal(other)), index.cmp(&other_index), "{one} {other}");
            }
        }
    }

    #[test]
    fn spellings_are_one_number() {
        for (one, other) in [("1", "1.0"), ("100", "1e2"), ("0", "-0.0"), ("0.10", "1e-1"), ("0", "0e9")] {
            assert_eq!(decimal(one), decimal(other));
        }
    }

    #[test]
    fn whole_numbers_are_known() {
        for (text, whole) in [
            ("0", true),
            ("7", true),
            ("7.0", true),
            ("1e3", true),
            ("7.5", false),
            ("1e-1", false),
            ("12.5e1", true),
        ] {
            assert_eq!(decimal(text).is_whole(), whole, "{text}");
        }
        for (text, whole) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("-7.0", Some(-7)),
            ("1e3", Some(1_000)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("1e300", None),
            ("0.5", None),
        ] {
            assert_eq!(decimal(text).whole(), whole, "{text}");
        }
    }
}
