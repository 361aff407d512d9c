//! Which errors are worth a retry, and when.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Whether an answer with this status may be another one next time.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// The pause that a provider asks for, as milliseconds, as seconds or as a date.
pub(super) fn retry_after(headers: &[(String, String)], now: Timestamp) -> Option<Duration> {
    let header = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim())
    };
    let number = |value: &str| value.parse::<f64>().ok().filter(|number| *number >= 0.0);
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let milliseconds = header("retry-after-ms").and_then(number).map(|number| seconds(number / 1000.0));
    let after = || {
        let value = header("retry-after")?;
        let date = || {
            let moment = rfc2822::parse(value).ok()?.timestamp();
            Some(Duration::try_from(moment.duration_since(now)).unwrap_or_default())
        };
        number(value).map(seconds).or_else(date)
    };
    milliseconds.or_else(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demanded_pause_is_read_in_all_its_forms() {
        let now: Timestamp = "2026-10-21T07:28:00Z".parse().unwrap();
        let cases: [(&str, &str, Option<u64>); 8] = [
            ("retry-after", "2", Some(2000)),
            ("Retry-After", "0.5", Some(500)),
            ("retry-after-ms", "250", Some(250)),
            ("retry-after", "Wed, 21 Oct 2026 07:28:07 GMT", Some(7000)),
            ("retry-after", "Wed, 21 Oct 2026 07:27:00 GMT", Some(0)),
            ("retry-after", "86400", Some(86_400_000)),
            ("retry-after", "-1", None),
            ("retry-after", "soon", None),
        ];
        for (name, value, expected) in cases {
            let headers = [(name.to_owned(), value.to_owned())];
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_millis), "{name}: {value}");
        }
        let endless = [("retry-after".to_owned(), "1e300".to_owned())];
        assert_eq!(retry_after(&endless, now), Some(Duration::MAX));
        assert_eq!(retry_after(&[], now), None);
    }
}
