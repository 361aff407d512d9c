//! The numbers of rules: exact, whatever they are written like.
//!
//! Integers of 64 bits are the evaluator's own. All others are an [`Exact`], because the evaluator has only binary floating-point
//! numbers for them, in which `0.1 + 0.2` is not `0.3`. Every operator and function on numbers is ours, and goes through [`Number`].

use std::any::Any;
use std::cmp::Ordering;

use cel::common::types::{CelDouble, CelInt, CelUInt, DOUBLE_TYPE, INT_TYPE, Type};
use cel::common::value::{StaticVal, Val};

use crate::decimal::Decimal;

/// A number that is not an integer of 64 bits.
#[derive(Debug, Clone)]
pub(super) struct Exact {
    value: Decimal,
    /// Whether it is an integer, by the way it was written or made.
    is_integer: bool,
}

static INTEGER: Type = INT_TYPE;
static DECIMAL: Type = DOUBLE_TYPE;

impl Val for Exact {
    fn get_type(&self) -> &Type {
        if self.is_integer { &INTEGER } else { &DECIMAL }
    }

    fn cel_type() -> &'static Type {
        &DECIMAL
    }

    fn equals(&self, other: &dyn Val) -> bool {
        Number::of(other).is_some_and(|other| self.value == other.decimal())
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Exact {}

/// What it costs more than another value to read or make a number that is not an integer of 64 bits, in steps.
const EXACT_STEPS: u64 = 4;

/// What the meter charges for a number beside the step for a value.
pub(super) fn weight(value: &(dyn Val + '_)) -> u64 {
    match value.downcast_ref::<Exact>() {
        Some(exact) => EXACT_STEPS + exact.value.length() as u64 / 16,
        None if value.downcast_ref::<CelDouble>().is_some() => EXACT_STEPS,
        None => 0,
    }
}

/// Any number of a rule.
#[derive(Debug, Clone)]
pub(super) enum Number {
    Small(i64),
    Large { value: Decimal, is_integer: bool },
}

impl Number {
    pub(super) fn of(value: &(dyn Val + '_)) -> Option<Self> {
        if let Some(integer) = value.downcast_ref::<CelInt>() {
            return Some(Self::Small(*integer.inner()));
        }
        if let Some(exact) = value.downcast_ref::<Exact>() {
            return Some(Self::Large { value: exact.value.clone(), is_integer: exact.is_integer });
        }
        if let Some(integer) = value.downcast_ref::<CelUInt>() {
            let value = Decimal::parse(&integer.inner().to_string())?;
            return Some(Self::Large { value, is_integer: true });
        }
        // The literal of a rule, of at most 15 digits: the nearest text is what was written.
        let float = value.downcast_ref::<CelDouble>()?;
        Self::of_literal(*float.inner()).map(|value| Self::Large { value, is_integer: false })
    }

    /// The number that a literal writes, if the evaluator's number keeps it.
    pub(super) fn of_literal(float: f64) -> Option<Decimal> {
        Decimal::parse(&format!("{float:e}"))
    }

    pub(super) fn integer(value: Decimal) -> Self {
        value.whole().map_or(Self::Large { value, is_integer: true }, Self::Small)
    }

    pub(super) fn fraction(value: Decimal) -> Self {
        Self::Large { value, is_integer: false }
    }

    pub(super) fn is_integer(&self) -> bool {
        !matches!(self, Self::Large { is_integer: false, .. })
    }

    pub(super) fn decimal(&self) -> Decimal {
        match self {
            Self::Small(integer) => Decimal::from(*integer),
            Self::Large { value, .. } => value.clone(),
        }
    }

    /// As an integer of 64 bits, if it is one: `2.0` is.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Small(integer) => Some(*integer),
            Self::Large { value, .. } => value.whole(),
        }
    }

    /// How many digits are calculated one by one.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Small(_) => 0,
            Self::Large { value, .. } => value.length(),
        }
    }

    /// An integer if both of these are, else a decimal.
    pub(super) fn like(value: Decimal, left: &Self, right: &Self) -> Self {
        if left.is_integer() && right.is_integer() { Self::integer(value) } else { Self::fraction(value) }
    }

    /// The sum, if it is not too large.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        if let (Self::Small(left), Self::Small(right)) = (self, other)
            && let Some(sum) = left.checked_add(*right)
        {
            return Some(Self::Small(sum));
        }
        self.decimal().plus(&other.decimal()).map(|sum| Self::like(sum, self, other))
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(left), Self::Small(right)) => left.cmp(right),
            _ => self.decimal().cmp(&other.decimal()),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Small(integer) => integer.to_string(),
            Self::Large { value, .. } => value.plain(),
        }
    }

    pub(super) fn boxed<'v>(self) -> Box<dyn Val + 'v> {
        match self {
            Self::Small(integer) => Box::new(CelInt::from(integer)),
            Self::Large { value, is_integer } => Box::new(Exact { value, is_integer }),
        }
    }
}
