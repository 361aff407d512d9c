//! Functions on timestamps and durations.

use cel::common::value::Val;
use jiff::Zoned;

use super::function::{Argument, Function, Made, Wrong, made_int, number, text};
use crate::invariant::time::{Moment, SECOND, Span};
use crate::violation::escape::quoted;

const NUMBER: Option<&str> = Some("a number");

pub(super) const TABLE: &[Function] = &[
    Function::new("timestamp", "timestamp('2026-01-31T12:00:00Z')", (1, 1), Some("a timestamp"), timestamp),
    Function::new("date", "date('2026-01-31')", (1, 1), Some("a timestamp"), date),
    Function::new("duration", "duration('1h30m')", (1, 1), Some("a duration"), duration),
    Function::new("getFullYear", "timestamp.getFullYear()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |day| i64::from(day.year()))
    }),
    Function::new("getMonth", "timestamp.getMonth()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |day| i64::from(day.month()) - 1)
    }),
    Function::new("getDate", "timestamp.getDate()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |day| i64::from(day.day()))
    }),
    Function::new("getDayOfMonth", "timestamp.getDayOfMonth()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |day| i64::from(day.day()) - 1)
    }),
    Function::new("getDayOfWeek", "timestamp.getDayOfWeek()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |day| i64::from(day.weekday().to_sunday_zero_offset()))
    }),
    Function::new("getDayOfYear", "timestamp.getDayOfYear()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |day| i64::from(day.day_of_year()) - 1)
    }),
    Function::new("getHours", "timestamp.getHours() or duration.getHours()", (1, 2), NUMBER, |arguments| {
        of_time(arguments, 3_600 * SECOND, |time| i64::from(time.hour()))
    }),
    Function::new(
        "getMinutes",
        "timestamp.getMinutes() or duration.getMinutes()",
        (1, 2),
        NUMBER,
        |arguments| of_time(arguments, 60 * SECOND, |time| i64::from(time.minute())),
    ),
    Function::new(
        "getSeconds",
        "timestamp.getSeconds() or duration.getSeconds()",
        (1, 2),
        NUMBER,
        |arguments| of_time(arguments, SECOND, |time| i64::from(time.second())),
    ),
    Function::new("getMilliseconds", "timestamp.getMilliseconds()", (1, 2), NUMBER, |arguments| {
        of_day(arguments, |time| i64::from(time.millisecond()))
    }),
];

/// A value itself where it is of the wanted kind, else what a text writes.
fn read<'v, T: Val + Copy + cel::common::value::StaticVal>(
    arguments: &[Argument<'_, 'v>],
    parse: fn(&str) -> Option<T>,
    wanted: &str,
) -> Made<'v> {
    let [value] = arguments else { return Err(Wrong::Kinds) };
    if let Some(value) = value.downcast_ref::<T>() {
        return Ok(Box::new(*value));
    }
    let text = text(*value)?;
    match parse(text) {
        Some(value) => Ok(Box::new(value)),
        None => Err(Wrong::Because(format!("{} is not {wanted}", quoted(text)))),
    }
}

/// From a text, or from the seconds since 1970.
fn timestamp<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    match arguments.first().and_then(|value| number(*value).ok()).and_then(|seconds| seconds.whole()) {
        Some(seconds) => match Moment::new(i128::from(seconds) * SECOND) {
            Some(moment) => Ok(Box::new(moment)),
            None => Err(Wrong::Because("a time is out of range".to_owned())),
        },
        None => read(arguments, Moment::parse, "a timestamp such as 2026-01-31T12:00:00Z"),
    }
}

/// The beginning of a day in UTC: of the day that a text writes, or that a timestamp is on.
fn date<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    const DAY: i128 = 86_400 * SECOND;
    let [value] = arguments else { return Err(Wrong::Kinds) };
    if let Some(moment) = value.downcast_ref::<Moment>() {
        let start = Moment::new(moment.nanoseconds().div_euclid(DAY) * DAY);
        return start.map(|start| Box::new(start) as Box<dyn Val>).ok_or(Wrong::Kinds);
    }
    read(arguments, Moment::of_day, "a date such as 2026-01-31")
}

fn duration<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    read(arguments, Span::parse, "a duration such as 1h30m")
}

fn of_day<'v>(arguments: &[Argument<'_, 'v>], part: fn(&Zoned) -> i64) -> Made<'v> {
    let [moment, zone @ ..] = arguments else { return Err(Wrong::Kinds) };
    let moment = moment.downcast_ref::<Moment>().ok_or(Wrong::Kinds)?;
    let zone = zone.first().map_or(Ok("UTC"), |zone| text(*zone))?;
    let zoned = moment.zoned(zone).ok_or_else(|| {
        Wrong::Because(format!(
            "{} is not a time zone; write 'UTC' or an offset such as '+02:00'",
            quoted(zone)
        ))
    })?;
    made_int(part(&zoned))
}

/// The part of a timestamp, or how many whole units a duration has.
fn of_time<'v>(arguments: &[Argument<'_, 'v>], unit: i128, part: fn(&Zoned) -> i64) -> Made<'v> {
    if let [value] = arguments
        && let Some(span) = value.downcast_ref::<Span>()
    {
        return made_int(i64::try_from(span.nanoseconds() / unit).unwrap_or(i64::MAX));
    }
    of_day(arguments, part)
}
