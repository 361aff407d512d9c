//! Times on the command line: how long ago or from now, or exactly.

use jiff::{SignedDuration, Timestamp};

/// Reads `30m`, `24h`, `7d`, `2w` (an age), a date, or an RFC 3339 time.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    since(text, Timestamp::now())
}

/// The same for the future: `30m` means in 30 minutes.
pub(crate) fn parse_ahead(text: &str) -> Result<Timestamp, String> {
    let now = Timestamp::now();
    let at = read(text, |length| now.checked_add(length).ok())?;
    if at <= now { Err(format!("expected a time in the future, got {at}")) } else { Ok(at) }
}

fn since(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    read(text, |length| now.checked_sub(length).ok())
}

fn read(text: &str, relative: impl Fn(SignedDuration) -> Option<Timestamp>) -> Result<Timestamp, String> {
    let wrong = || format!("expected 30m, 24h, 7d, 2w, 2026-11-15 or 2026-11-15T10:00:00Z, got '{text}'");
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>() {
        let midnight = date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| wrong())?;
        return Ok(midnight.timestamp());
    }
    let split = text.find(|character: char| !character.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(split);
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(wrong()),
    };
    let length = number.checked_mul(seconds).map(SignedDuration::from_secs).ok_or_else(wrong)?;
    relative(length).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_to_come_is_in_the_future() {
        let left = parse_ahead("30d").unwrap().duration_since(Timestamp::now());
        assert_eq!(left.as_secs().div_euclid(86_400), 29);
        assert!(parse_ahead("9000-01-01").is_ok());
        for text in ["2001-01-01", "0d", "30", ""] {
            assert!(parse_ahead(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_is_relative_or_exact() {
        let now = "2026-11-15T10:00:00Z".parse().unwrap();
        let cases = [
            ("30m", "2026-11-15T09:30:00Z"),
            ("24h", "2026-11-14T10:00:00Z"),
            ("7d", "2026-11-08T10:00:00Z"),
            ("2w", "2026-11-01T10:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T12:00:00+02:00", "2026-11-01T10:00:00Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(since(text, now), Ok(expected.parse().unwrap()), "{text}");
        }
        for text in ["", "d", "7", "7 days", "-7d", "99999999999999999999d", "9999999999d", "yesterday"] {
            assert!(since(text, now).is_err(), "{text}");
        }
    }
}
