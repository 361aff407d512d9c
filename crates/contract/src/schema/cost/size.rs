//! How large a value is, as far as the cost of validating it goes.

use serde_json::{Number, Value};

/// `multipleOf` divides as by hand: the square of the digits, nine of which make up a machine word.
const DIGITS_A_WORD: u64 = 9;

/// How large a value is.
#[derive(Debug, Default)]
pub(super) struct Size {
    pub(super) values: u64,
    pub(super) bytes: u64,
    /// Of the longest number.
    pub(super) digits: u64,
    pub(super) depth: usize,
}

impl Size {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self { bytes: text.len() as u64, ..Self::one() },
            Value::Number(number) => Self { digits: digits(number), ..Self::one() },
            Value::Array(items) => items.iter().map(Self::of).fold(Self::one(), Self::with),
            Value::Object(members) => members.iter().fold(Self::one(), |whole, (name, member)| {
                let member = Self::of(member);
                whole.with(Self { bytes: member.bytes + name.len() as u64, ..member })
            }),
            _ => Self::one(),
        }
    }

    fn one() -> Self {
        Self { values: 1, bytes: 0, digits: 0, depth: 1 }
    }

    fn with(self, part: Self) -> Self {
        Self {
            values: self.values + part.values,
            bytes: self.bytes + part.bytes,
            digits: self.digits.max(part.digits),
            depth: self.depth.max(part.depth + 1),
        }
    }
}

/// The digits of a number written without an exponent: `1e900` has 901.
pub(super) fn digits(number: &Number) -> u64 {
    let text = number.as_str();
    let Some(mark) = text.bytes().position(|byte| matches!(byte, b'e' | b'E')) else {
        return text.len() as u64;
    };
    let exponent = text.get(mark + 1..).and_then(|exponent| exponent.parse::<i64>().ok());
    (mark as u64).saturating_add(exponent.unwrap_or(i64::MAX).unsigned_abs())
}

/// The steps of dividing numbers with this many digits together.
pub(super) fn division(digits: u64, divisor: u64) -> u64 {
    let words = digits.saturating_add(divisor) / DIGITS_A_WORD;
    words.saturating_mul(words)
}
