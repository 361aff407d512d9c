//! Exact arithmetic. A result is `None` if it is larger than a number may be; only quotients are ever rounded.

use num_bigint::{BigInt, Sign};

use super::Decimal;
use crate::limits::MAX_NUMBER_DIGITS;
use crate::number::{exact, is_kept};

/// The significant digits of a quotient that does not end, as in the decimal128 of IEEE 754.
const DIVISION_DIGITS: usize = 34;

/// How far the exponents of results and operands may be from zero.
const MAX_EXPONENT: i64 = 2 * MAX_NUMBER_DIGITS as i64;

/// Digits of two numbers whose sum and product fit 128 bits.
const SHORT: usize = 18;

/// Which way a number is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest; a half goes away from zero.
    HalfAway,
    /// To the nearest; a half goes to the even neighbour.
    HalfEven,
    /// Towards zero.
    Down,
    Floor,
    Ceiling,
}

impl Decimal {
    /// A number as JSON writes it, also with zeros in front.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        let is_number = digits(whole) && digits(fraction) && digits(exponent) && is_kept(text);
        if is_number { Self::of_number(&exact(text)) } else { None }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// How many significant digits it has.
    pub(crate) fn length(&self) -> usize {
        self.digits.len()
    }

    pub(crate) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        if let Some(((left, one), (right, other))) = self.short().zip(other.short())
            && let Ok(apart @ 0..=SHORT) = usize::try_from(one.abs_diff(other))
        {
            let shift = 10i128.pow(apart as u32);
            let (left, right) = if one > other { (left * shift, right) } else { (left, right * shift) };
            return Self::made_short(left + right, one.min(other));
        }
        let (left, right, exponent) = self.aligned(other)?;
        Self::made(left + right, exponent)
    }

    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        if let Some(((left, one), (right, other))) = self.short().zip(other.short()) {
            return Self::made_short(left * right, one.checked_add(other)?);
        }
        let ((left, one), (right, other)) = (self.scaled(), other.scaled());
        Self::made(left * right, one.checked_add(other)?)
    }

    /// The quotient, if the divisor is not zero: exact if it has at most [`DIVISION_DIGITS`] digits or as many as the dividend,
    /// else rounded to these.
    pub(crate) fn over(&self, divisor: &Self) -> Option<Self> {
        let most = self.length().max(DIVISION_DIGITS);
        if divisor.is_zero() {
            return None;
        }
        let more = (most + 1 + divisor.length()).saturating_sub(self.length());
        let ((dividend, one), (divisor, other)) = (self.scaled(), divisor.scaled());
        let dividend = dividend * power(more)?;
        let (quotient, rest) = (&dividend / &divisor, &dividend % &divisor);
        let exponent = one.checked_sub(other)?.checked_sub(i64::try_from(more).ok()?)?;
        let dropped = digits(&quotient).saturating_sub(most);
        let rounded = shortened(&quotient, dropped, Rounding::HalfEven, rest.sign() != Sign::NoSign)?;
        Self::made(rounded, exponent.checked_add(i64::try_from(dropped).ok()?)?)
    }

    /// The quotient without its fraction, if the divisor is not zero.
    pub(crate) fn quotient(&self, divisor: &Self) -> Option<Self> {
        let (dividend, divisor, _) = self.aligned(divisor)?;
        if divisor.sign() == Sign::NoSign { None } else { Self::made(dividend / divisor, 0) }
    }

    /// What a division without fraction leaves, with the sign of the dividend.
    pub(crate) fn remainder(&self, divisor: &Self) -> Option<Self> {
        let (dividend, divisor, exponent) = self.aligned(divisor)?;
        if divisor.sign() == Sign::NoSign { None } else { Self::made(dividend % divisor, exponent) }
    }

    /// The number with at most this many digits after the point.
    pub(crate) fn rounded(&self, places: i64, rounding: Rounding) -> Option<Self> {
        let (mantissa, exponent) = self.scaled();
        let dropped = places.checked_neg()?.checked_sub(exponent)?;
        if dropped <= 0 {
            return Some(self.clone());
        }
        // Beyond its digits, it does not matter how many are dropped.
        let dropped = usize::try_from(dropped).ok()?.min(self.length() + 1);
        Self::made(shortened(&mantissa, dropped, rounding, false)?, places.checked_neg()?)
    }

    /// The number as people write it. With an exponent only if it would have more than 40 zeros.
    pub(crate) fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let digits = String::from_utf8_lossy(&self.digits);
        let length = self.digits.len() as i64;
        match self.exponent {
            _ if self.is_zero() => "0".to_owned(),
            exponent if exponent > length + 40 || exponent < -40 => {
                let (first, others) = digits.split_at(1);
                let point = if others.is_empty() { "" } else { "." };
                format!("{sign}{first}{point}{others}e{}", exponent - 1)
            }
            exponent if exponent >= length => {
                format!("{sign}{digits}{}", "0".repeat((exponent - length).unsigned_abs() as usize))
            }
            exponent if exponent > 0 => {
                let (whole, fraction) = digits.split_at(exponent.unsigned_abs() as usize);
                format!("{sign}{whole}.{fraction}")
            }
            exponent => format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize)),
        }
    }

    /// The number with exactly this many digits after the point.
    pub(crate) fn fixed(&self, places: usize) -> Option<String> {
        let rounded = self.rounded(i64::try_from(places).ok()?, Rounding::HalfEven)?;
        let (mantissa, exponent) = rounded.scaled();
        let missing =
            exponent.checked_add(i64::try_from(places).ok()?).filter(|zeros| *zeros <= 4 * MAX_EXPONENT)?;
        let missing = usize::try_from(missing).ok()?;
        let digits = format!("{}{}", mantissa.magnitude(), "0".repeat(missing));
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if rounded.negative { "-" } else { "" };
        Some(if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
    }

    /// As a whole number times a power of ten.
    fn scaled(&self) -> (BigInt, i64) {
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        let digits: Vec<u8> = self.digits.iter().map(|digit| digit - b'0').collect();
        let mantissa = BigInt::from_radix_be(sign, &digits, 10).unwrap_or_default();
        (mantissa, self.exponent.saturating_sub(self.digits.len() as i64))
    }

    /// Both as whole numbers times the same power of ten.
    fn aligned(&self, other: &Self) -> Option<(BigInt, BigInt, i64)> {
        let ((left, one), (right, other)) = (self.scaled(), other.scaled());
        // Zero has no digits that would have to be kept.
        let exponent = match (left.sign(), right.sign()) {
            (Sign::NoSign, _) => other,
            (_, Sign::NoSign) => one,
            _ => one.min(other),
        };
        let shifted = |mantissa: BigInt, from: i64| {
            if mantissa.sign() == Sign::NoSign {
                return Some(mantissa);
            }
            Some(mantissa * power(usize::try_from(from.checked_sub(exponent)?).ok()?)?)
        };
        Some((shifted(left, one)?, shifted(right, other)?, exponent))
    }

    /// As a whole number times a power of ten, if it has few digits: most numbers do.
    fn short(&self) -> Option<(i128, i64)> {
        let digits = Some(&self.digits).filter(|digits| digits.len() <= SHORT)?;
        let mantissa = digits.iter().fold(0, |mantissa, digit| mantissa * 10 + i128::from(digit - b'0'));
        let exponent = self.exponent.checked_sub(self.digits.len() as i64)?;
        Some((if self.negative { -mantissa } else { mantissa }, exponent))
    }

    /// A whole number times a power of ten, if it is not too large.
    fn made(mantissa: BigInt, exponent: i64) -> Option<Self> {
        let is_negative = mantissa.sign() == Sign::Minus;
        Self::of_digits(is_negative, mantissa.magnitude().to_str_radix(10), exponent)
    }

    fn made_short(mantissa: i128, exponent: i64) -> Option<Self> {
        Self::of_digits(mantissa < 0, mantissa.unsigned_abs().to_string(), exponent)
    }

    fn of_digits(negative: bool, digits: String, exponent: i64) -> Option<Self> {
        let mut digits = digits.into_bytes();
        let exponent = exponent.checked_add(i64::try_from(digits.len()).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let fits = digits.len() <= MAX_NUMBER_DIGITS && exponent.abs() <= MAX_EXPONENT;
        fits.then_some(Self { negative, digits, exponent })
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        let zero = Self { negative: false, digits: Vec::new(), exponent: 0 };
        Self::made_short(i128::from(number), 0).unwrap_or(zero)
    }
}

fn digits(number: &BigInt) -> usize {
    number.magnitude().to_str_radix(10).len()
}

/// A power of ten, if it is one that the limits allow.
fn power(exponent: usize) -> Option<BigInt> {
    let exponent =
        u32::try_from(exponent).ok().filter(|exponent| i64::from(*exponent) <= 4 * MAX_EXPONENT)?;
    Some(BigInt::from(10).pow(exponent))
}

/// A number without its last digits. `more` says that it has others after them that are not zero.
fn shortened(number: &BigInt, dropped: usize, rounding: Rounding, more: bool) -> Option<BigInt> {
    let unit = power(dropped)?;
    let (kept, rest) = (number / &unit, number % &unit);
    let half = (rest.magnitude() * 2u32).cmp(unit.magnitude());
    let is_exact = rest.sign() == Sign::NoSign && !more;
    let away = match rounding {
        _ if is_exact => false,
        Rounding::Down => false,
        Rounding::Floor => number.sign() == Sign::Minus,
        Rounding::Ceiling => number.sign() == Sign::Plus,
        Rounding::HalfAway => half.is_ge(),
        Rounding::HalfEven => half.is_gt() || half.is_eq() && (more || kept.bit(0)),
    };
    Some(match (away, number.sign()) {
        (false, _) => kept,
        (true, Sign::Minus) => kept - 1,
        (true, _) => kept + 1,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn arithmetic_is_exact() {
        for (left, operator, right, expected) in [
            ("0.1", '+', "0.2", "0.3"),
            ("1e20", '+', "1", "100000000000000000001"),
            ("0", '+', "-1.50", "-1.5"),
            ("1", '+', "-1", "0"),
            ("1.1", '*', "1.1", "1.21"),
            ("-0.5", '*', "2", "-1"),
            ("1", '/', "8", "0.125"),
            ("1", '/', "3", "0.3333333333333333333333333333333333"),
            ("2", '/', "3", "0.6666666666666666666666666666666667"),
            ("-2", '/', "3", "-0.6666666666666666666666666666666667"),
            ("100", '/', "0.01", "10000"),
            ("123456789012345678901234567890123456789", '/', "1", "123456789012345678901234567890123456789"),
            ("7", '%', "2", "1"),
            ("-7", '%', "2", "-1"),
            ("5.5", '%', "2", "1.5"),
            ("7", 'q', "2", "3"),
            ("-7.5", 'q', "2", "-3"),
        ] {
            let (left, right) = (decimal(left), decimal(right));
            let result = match operator {
                '+' => left.plus(&right),
                '*' => left.times(&right),
                '/' => left.over(&right),
                '%' => left.remainder(&right),
                _ => left.quotient(&right),
            };
            assert_eq!(result.unwrap().plain(), expected, "{left} {operator} {right}");
        }
        assert_eq!(decimal("1").over(&decimal("0")), None);
    }

    #[test]
    fn numbers_are_rounded_as_asked() {
        use Rounding::{Ceiling, Down, Floor, HalfAway, HalfEven};
        for (number, places, rounding, expected) in [
            ("2.345", 2, HalfAway, "2.35"),
            ("2.345", 2, HalfEven, "2.34"),
            ("-2.5", 0, HalfAway, "-3"),
            ("2.5", 0, HalfEven, "2"),
            ("3.5", 0, HalfEven, "4"),
            ("-2.1", 0, Floor, "-3"),
            ("2.1", 0, Ceiling, "3"),
            ("-2.9", 0, Ceiling, "-2"),
            ("-2.9", 0, Down, "-2"),
            ("1250", -2, HalfAway, "1300"),
            ("1e-900", 0, Ceiling, "1"),
            ("1e-900", 0, HalfAway, "0"),
            ("7", 5, HalfAway, "7"),
        ] {
            assert_eq!(
                decimal(number).rounded(places, rounding).unwrap().plain(),
                expected,
                "{number} {rounding:?}"
            );
        }
        for (number, places, expected) in [
            ("1.5", 2, "1.50"),
            ("0.004", 2, "0.00"),
            ("-0.005", 2, "0.00"),
            ("-1.015", 2, "-1.02"),
            ("1e3", 0, "1000"),
        ] {
            assert_eq!(decimal(number).fixed(places).unwrap(), expected, "{number}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let (large, small) = (decimal("1e1000"), decimal("1e-1000"));
        assert_eq!(large.plus(&small), None);
        let squared = decimal("1e999").times(&decimal("1e999")).unwrap();
        assert_eq!(squared.times(&large), None);
        for text in ["", "-", "1.", ".5", "1e", "+1", "0x1", "1 ", "NaN", "1e1001"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_plainly() {
        for (number, expected) in [
            ("1e3", "1000"),
            ("-0.050", "-0.05"),
            ("1e60", "1e60"),
            ("-1.5e-60", "-1.5e-60"),
            ("12.30", "12.3"),
        ] {
            assert_eq!(decimal(number).plain(), expected);
        }
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_that_of_integers(left in -1_000_000_000i64..1_000_000_000, right in 1i64..1_000_000, scale in 0u32..9) {
            let unit = decimal(&format!("1e-{scale}"));
            let scaled = |number: i64| Decimal::from(number).times(&unit).unwrap();
            prop_assert_eq!(scaled(left).plus(&scaled(right)).unwrap(), scaled(left + right));
            prop_assert_eq!(scaled(left).quotient(&scaled(right)).unwrap(), Decimal::from(left / right));
            prop_assert_eq!(scaled(left).remainder(&scaled(right)).unwrap(), scaled(left % right));
            let product = scaled(left).times(&Decimal::from(right)).unwrap();
            prop_assert_eq!(product.over(&Decimal::from(right)).unwrap(), scaled(left));
            prop_assert_eq!(decimal(&product.plain()), product);
        }

        #[test]
        fn a_rounded_quotient_is_off_by_half_a_digit_at_most(left in 1i64..i64::MAX, right in 1i64..i64::MAX) {
            let (left, right) = (Decimal::from(left), Decimal::from(right));
            let quotient = left.over(&right).unwrap();
            let error = quotient.times(&right).unwrap().plus(&left.negated()).unwrap();
            let error = if error.is_negative() { error.negated() } else { error };
            let bound = left.times(&decimal("1e-33")).unwrap();
            prop_assert!(error <= bound);
        }
    }
}
