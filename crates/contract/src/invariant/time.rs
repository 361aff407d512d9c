//! Moments and lengths of time, to the nanosecond. No clock: a rule sees only times that are in its documents.

use std::any::Any;

use cel::common::types::{DURATION_TYPE, TIMESTAMP_TYPE, Type};
use cel::common::value::{StaticVal, Val};
use jiff::{Timestamp, Zoned, civil, tz};

use crate::decimal::Decimal;

pub(super) const SECOND: i128 = 1_000_000_000;

/// The longest duration, as CEL has it: ten thousand years.
const LONGEST: i128 = 315_576_000_000 * SECOND;

/// From the year 1 to the end of the year 9999, less the two days that an offset may take.
const EARLIEST: i128 = -62_135_596_800 * SECOND;
const LATEST: i128 = 253_402_207_200 * SECOND;

/// A point in time, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(i128);

/// A length of time, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span(i128);

impl Moment {
    pub(super) fn new(nanoseconds: i128) -> Option<Self> {
        (EARLIEST..LATEST).contains(&nanoseconds).then_some(Self(nanoseconds))
    }

    /// As RFC 3339 writes it, with an offset.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_allowed = |character: char| character.is_ascii_digit() || "TtZz:.+-".contains(character);
        let has_time = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
        let parsed = (has_time && text.chars().all(is_allowed)).then(|| text.parse::<Timestamp>().ok())??;
        Self::new(parsed.as_nanosecond())
    }

    /// The beginning of a day, as `2026-01-31` writes it, in UTC.
    pub(super) fn of_day(text: &str) -> Option<Self> {
        let is_day =
            text.len() == 10 && text.chars().all(|character| character.is_ascii_digit() || character == '-');
        let day = is_day.then(|| text.parse::<civil::Date>().ok())??;
        Self::new(day.to_zoned(tz::TimeZone::UTC).ok()?.timestamp().as_nanosecond())
    }

    pub(super) fn nanoseconds(self) -> i128 {
        self.0
    }

    /// In a zone: `UTC`, or an offset such as `+02:00`.
    pub(super) fn zoned(self, zone: &str) -> Option<Zoned> {
        let moment = Timestamp::from_nanosecond(self.0).ok()?;
        let offset = match zone {
            "UTC" | "Z" => tz::Offset::UTC,
            zone => {
                let (sign, digits) = match zone.split_at_checked(1)? {
                    ("-", digits) => (-1, digits),
                    ("+", digits) => (1, digits),
                    _ => (1, zone),
                };
                let (hours, minutes) = digits.split_once(':')?;
                let two = |text: &str| (text.len() == 2).then(|| text.parse::<u8>().ok()).flatten();
                let (hours, minutes) = (two(hours)?, two(minutes).filter(|minutes| *minutes < 60)?);
                tz::Offset::from_seconds(sign * (i32::from(hours) * 3_600 + i32::from(minutes) * 60)).ok()?
            }
        };
        Some(moment.to_zoned(tz::TimeZone::fixed(offset)))
    }

    pub(super) fn text(self) -> String {
        Timestamp::from_nanosecond(self.0).map(|moment| moment.to_string()).unwrap_or_default()
    }
}

/// The units that a duration may be written in, and their nanoseconds.
const UNITS: &[(&str, i64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

impl Span {
    pub(super) fn new(nanoseconds: i128) -> Option<Self> {
        (-LONGEST..=LONGEST).contains(&nanoseconds).then_some(Self(nanoseconds))
    }

    /// As `1h30m`, `-1.5s` or `250ms`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let mut rest = unsigned;
        let mut total = 0i128;
        while !rest.is_empty() || rest.len() == unsigned.len() {
            let (number, after) = rest.split_at(rest.find(|character: char| character.is_alphabetic())?);
            let (unit, after) = after
                .split_at(after.find(|character: char| !character.is_alphabetic()).unwrap_or(after.len()));
            let (_, nanoseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
            let part = Decimal::parse(number)
                .filter(|number| !number.is_negative())?
                .times(&Decimal::from(*nanoseconds))?;
            total = total.checked_add(i128::from(part.whole()?))?;
            rest = after;
        }
        Self::new(if text.starts_with('-') { -total } else { total })
    }

    pub(super) fn nanoseconds(self) -> i128 {
        self.0
    }

    pub(super) fn text(self) -> String {
        let seconds = Decimal::parse(&self.0.to_string()).zip(Decimal::parse("1e-9"));
        let seconds = seconds.and_then(|(nanoseconds, unit)| nanoseconds.times(&unit));
        format!("{}s", seconds.map(|seconds| seconds.plain()).unwrap_or_default())
    }
}

macro_rules! value {
    ($name:ident, $kind:ident, $type:ident) => {
        static $kind: Type = $type;

        impl Val for $name {
            fn get_type(&self) -> &Type {
                &$kind
            }

            fn cel_type() -> &'static Type {
                &$kind
            }

            fn equals(&self, other: &dyn Val) -> bool {
                other.downcast_ref::<Self>() == Some(self)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
                Box::new(*self)
            }

            fn as_any(&self) -> Option<&dyn Any> {
                Some(self)
            }
        }

        impl StaticVal for $name {}
    };
}

value!(Moment, MOMENT, TIMESTAMP_TYPE);
value!(Span, SPAN, DURATION_TYPE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_rfc_3339_writes_them() {
        for (text, expected) in [
            ("2026-01-31T12:00:00Z", Some("2026-01-31T12:00:00Z")),
            ("2026-01-31T12:00:00.5+02:00", Some("2026-01-31T10:00:00.5Z")),
            ("2026-02-30T12:00:00Z", None),
            ("2026-01-31 12:00:00Z", None),
            ("2026-01-31T12:00:00", None),
            ("0000-01-01T00:00:00Z", None),
            ("2026-01-31T12:00:00Z[UTC]", None),
            ("", None),
        ] {
            assert_eq!(Moment::parse(text).map(Moment::text).as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            ("2026-01-31", Some("2026-01-31T00:00:00Z")),
            ("2026-1-31", None),
            ("2026-02-30", None),
            ("20260131", None),
        ] {
            assert_eq!(Moment::of_day(text).map(Moment::text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn durations_are_read_with_their_units() {
        for (text, expected) in [
            ("1h30m", Some("5400s")),
            ("-1.5s", Some("-1.5s")),
            ("250ms", Some("0.25s")),
            ("0s", Some("0s")),
            ("1h-1m", None),
            ("90", None),
            ("s", None),
            ("1d", None),
            ("", None),
            ("-", None),
            ("9999999999h", None),
        ] {
            assert_eq!(Span::parse(text).map(Span::text).as_deref(), expected, "{text}");
        }
    }
}
