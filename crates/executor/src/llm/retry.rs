//! When to ask again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// How often one request is repeated. With the pauses below that bridges half a minute of trouble; a provider that is
/// away for longer is for the caller to know.
pub(super) const MAX_RETRIES: u32 = 5;

/// The first pause, doubled with each further one.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause of our own making.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The longest pause that a provider can ask for: as long as it may be silent. Where it asks for more the request fails, for
/// the caller to know; to ask sooner than that would be no use to anybody.
pub(super) const LONGEST_DEMANDED: Duration = Duration::from_secs(300);

/// Whether an answer with this status may be another one next time.
pub(super) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// Pauses that grow and are spread, so that many sessions do not come back at once. They are spread by the session's
/// id and a count: nothing here is random, so a run can be replayed.
#[derive(Debug)]
pub(super) struct Pauses {
    first: Duration,
    state: u64,
}

impl Pauses {
    pub(super) fn new(first: Duration, session: &str) -> Self {
        let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self { first, state: session.bytes().fold(0xcbf2_9ce4_8422_2325, mix) }
    }

    /// The pause before a retry, counted from 0: between half of the full pause and all of it, or longer where that is
    /// demanded. What is demanded makes it no shorter: some demand nothing, or a moment that is past.
    pub(super) fn next(&mut self, retry: u32, demanded: Option<Duration>) -> Duration {
        let full = self.first.saturating_mul(2_u32.saturating_pow(retry)).min(LONGEST_PAUSE);
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (self.state >> 48) as u32;
        let half = full / 2;
        let own = half + half.mul_f64(f64::from(share) / f64::from(u16::MAX));
        own.max(demanded.unwrap_or_default())
    }
}

/// The pause that a provider asks for, as milliseconds, as seconds or as a date.
pub(super) fn demanded(headers: &[(String, String)], now: Timestamp) -> Option<Duration> {
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
    fn pauses_double_and_are_spread_the_same_way_each_time() {
        let second = Duration::from_secs(1);
        let pauses = |session: &str| {
            let mut pauses = Pauses::new(second, session);
            (0..8).map(|retry| pauses.next(retry, None)).collect::<Vec<Duration>>()
        };
        assert_eq!(pauses("a"), pauses("a"));
        assert_ne!(pauses("a"), pauses("b"));
        for (retry, pause) in (0..8).zip(pauses("a")) {
            let full = (second * 2_u32.pow(retry)).min(LONGEST_PAUSE);
            assert!((full / 2..=full).contains(&pause), "{retry}: {pause:?}");
        }
    }

    #[test]
    fn a_demanded_pause_makes_no_pause_shorter() {
        let second = Duration::from_secs(1);
        let pause = |demanded| Pauses::new(second, "a").next(0, demanded);
        assert_eq!(pause(Some(Duration::ZERO)), pause(None));
        assert_eq!(pause(Some(second * 2)), second * 2);
    }

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
            assert_eq!(demanded(&headers, now), expected.map(Duration::from_millis), "{name}: {value}");
        }
        let endless = [("retry-after".to_owned(), "1e300".to_owned())];
        assert_eq!(demanded(&endless, now), Some(Duration::MAX));
        assert_eq!(demanded(&[], now), None);
    }
}
