//! How long to keep asking a provider that is away.
//!
//! An outage begins with the first request that fails in a way that may pass, and ends with the first that does not. While it
//! lasts the same request is made again, after pauses that grow, until the policy says that it is enough.

use std::time::Duration;

use tokio::time::Instant;

use crate::event::Event;

/// The first pause, doubled with each further one.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause of our own making: a provider that is back is found out soon.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How long, and how often, a request is made again that failed in a way that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// For how long, from the first failure on. Zero: not at all.
    pub for_time: Duration,
    /// How many times it is made at most, the first included. None: as often as the time allows.
    pub max_attempts: Option<u32>,
}

impl Default for Retry {
    /// A minute and a half: longer than a provider takes to restart or to lift a limit, and short enough for a wrong
    /// address to be noticed.
    fn default() -> Self {
        Self { for_time: Duration::from_secs(90), max_attempts: None }
    }
}

/// A request that is made again after a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub reason: String,
    pub pause: Duration,
    /// How many times it was made so far.
    pub attempts: u32,
    /// How many times it may still be made, where that is limited.
    pub attempts_left: Option<u32>,
    /// For how long it may still be made, from the end of the pause on.
    pub time_left: Duration,
}

impl Wait {
    pub fn event(self) -> Event {
        Event::Retrying {
            reason: self.reason,
            milliseconds: whole_milliseconds(self.pause),
            attempts: Some(self.attempts),
            attempts_left: self.attempts_left,
            milliseconds_left: Some(whole_milliseconds(self.time_left)),
        }
    }
}

/// No further attempt is made: the last reason, and why it is the last.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GaveUp(pub String);

/// The attempts at one request, and then at the next.
#[derive(Debug)]
pub struct Attempts {
    policy: Retry,
    pauses: Pauses,
    /// When the first of those failed that failed in a row.
    since: Option<Instant>,
    made: u32,
}

impl Attempts {
    /// Attempts under a policy. The pauses are spread by the session's id.
    pub fn new(policy: Retry, session_id: &str) -> Self {
        Self::with_first_pause(policy, session_id, FIRST_PAUSE)
    }

    pub(crate) fn with_first_pause(policy: Retry, session_id: &str, first: Duration) -> Self {
        Self { policy, pauses: Pauses::new(first, session_id), since: None, made: 0 }
    }

    pub fn begin(&mut self) {
        (self.since, self.made) = (None, 0);
    }

    /// What to do about an attempt that failed in a way that may pass: how long to wait before the next one, or the reason
    /// with how often and how long it was tried. `demanded` is the pause that the provider asks for.
    pub fn failed(&mut self, reason: String, demanded: Option<Duration>) -> Result<Wait, GaveUp> {
        let (spent, attempts_left) = self.count();
        let left = self.policy.for_time.saturating_sub(spent);
        let demanded = demanded.unwrap_or_default();
        if left.is_zero() || attempts_left == Some(0) {
            return Err(self.exhausted(&reason, spent));
        }
        if demanded > left {
            let (asks, left) = (demanded.as_secs_f64().ceil(), seconds(left));
            return Err(GaveUp(format!(
                "{reason} (the provider asks to wait {asks} seconds, but `retry.for_seconds` leaves {left})"
            )));
        }
        // The last attempt is made when the time is over, not a pause earlier.
        let pause = self.pauses.next(self.made.saturating_sub(1)).min(left).max(demanded);
        Ok(Wait { reason, pause, attempts: self.made, attempts_left, time_left: left.saturating_sub(pause) })
    }

    /// An attempt that failed, and is made again or not as it once was.
    pub(crate) fn failed_as_recorded(&mut self, reason: String, is_repeated: bool) -> Result<Wait, GaveUp> {
        let (spent, attempts_left) = self.count();
        match is_repeated {
            true => Ok(Wait {
                reason,
                pause: Duration::ZERO,
                attempts: self.made,
                attempts_left,
                time_left: self.policy.for_time,
            }),
            false => Err(self.exhausted(&reason, spent)),
        }
    }

    /// Counts an attempt. How long they have failed, and how many are left.
    fn count(&mut self) -> (Duration, Option<u32>) {
        self.made = self.made.saturating_add(1);
        let now = Instant::now();
        let spent = now.duration_since(*self.since.get_or_insert(now));
        (spent, self.policy.max_attempts.map(|most| most.saturating_sub(self.made)))
    }

    fn exhausted(&self, reason: &str, spent: Duration) -> GaveUp {
        GaveUp(match self.made {
            1 => format!("{reason} (not retried: `retry` allows no more attempts)"),
            made => format!("{reason} (gave up after {made} attempts in {})", seconds(spent)),
        })
    }
}

/// A duration as text, to a tenth of a second if it is short.
fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} seconds", time.as_secs_f64()),
        whole => format!("{whole} seconds"),
    }
}

pub(crate) fn whole_milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Pauses that grow and are spread, so that many sessions do not come back at once. They are spread by the session's
/// id and a count: nothing here is random, so a run can be replayed.
#[derive(Debug)]
pub(crate) struct Pauses {
    first: Duration,
    state: u64,
}

impl Pauses {
    pub(crate) fn new(first: Duration, session: &str) -> Self {
        let mix = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self { first, state: session.bytes().fold(0xcbf2_9ce4_8422_2325, mix) }
    }

    /// The pause before a retry, counted from 0: between half of the full pause and all of it.
    pub(crate) fn next(&mut self, retry: u32) -> Duration {
        let full = self.first.saturating_mul(2_u32.saturating_pow(retry)).min(LONGEST_PAUSE);
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (self.state >> 48) as u32;
        let half = full / 2;
        half + half.mul_f64(f64::from(share) / f64::from(u16::MAX))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn policy(seconds: u64, max_attempts: Option<u32>) -> Retry {
        Retry { for_time: Duration::from_secs(seconds), max_attempts }
    }

    /// Fails until it is given up: each wait, and the last words.
    async fn outage(policy: Retry) -> (Vec<Wait>, String) {
        let (mut attempts, mut waits) = (Attempts::new(policy, "a"), Vec::new());
        loop {
            match attempts.failed("down".to_owned(), None) {
                Ok(wait) => {
                    advance(wait.pause).await;
                    waits.push(wait);
                }
                Err(GaveUp(words)) => return (waits, words),
            }
        }
    }

    #[test]
    fn pauses_double_and_are_spread_the_same_way_each_time() {
        let pauses = |session: &str| {
            let mut pauses = Pauses::new(SECOND, session);
            (0..8).map(|retry| pauses.next(retry)).collect::<Vec<Duration>>()
        };
        assert_eq!(pauses("a"), pauses("a"));
        assert_ne!(pauses("a"), pauses("b"));
        for (retry, pause) in (0..8).zip(pauses("a")) {
            let full = (SECOND * 2_u32.pow(retry)).min(LONGEST_PAUSE);
            assert!((full / 2..=full).contains(&pause), "{retry}: {pause:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_default_bridges_a_minute_and_a_half() {
        let (waits, words) = outage(Retry::default()).await;
        let waited: Duration = waits.iter().map(|wait| wait.pause).sum();
        assert_eq!(waited, Duration::from_secs(90));
        assert_eq!(words, format!("down (gave up after {} attempts in 90 seconds)", waits.len() + 1));
        let numbers: Vec<u32> = waits.iter().map(|wait| wait.attempts).collect();
        assert_eq!(numbers, (1..).take(waits.len()).collect::<Vec<u32>>());
        assert!(waits.iter().all(|wait| wait.attempts_left.is_none()));
        assert_eq!(waits.last().map(|wait| wait.time_left), Some(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_are_counted() {
        let (waits, words) = outage(policy(3600, Some(3))).await;
        let left: Vec<Option<u32>> = waits.iter().map(|wait| wait.attempts_left).collect();
        assert_eq!(left, [Some(2), Some(1)]);
        assert!(words.starts_with("down (gave up after 3 attempts in "), "{words}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_policy_can_turn_off_retries() {
        for policy in [policy(0, None), policy(90, Some(1))] {
            let expected = "down (not retried: `retry` allows no more attempts)".to_owned();
            assert_eq!(outage(policy).await, (Vec::new(), expected));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_outage_has_all_of_the_time() {
        let mut attempts = Attempts::new(policy(10, None), "a");
        assert!(attempts.failed("down".to_owned(), None).is_ok());
        advance(SECOND * 20).await;
        assert!(attempts.failed("down".to_owned(), None).is_err());
        attempts.begin();
        let wait = attempts.failed("down".to_owned(), None).unwrap();
        assert_eq!((wait.attempts, wait.pause + wait.time_left), (1, SECOND * 10));
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_never_shortens_a_pause() {
        let pause = |demanded| Attempts::new(policy(90, None), "a").failed("busy".to_owned(), demanded);
        assert_eq!(pause(Some(Duration::ZERO)), pause(None));
        assert_eq!(pause(Some(SECOND * 20)).map(|wait| wait.pause), Ok(SECOND * 20));
        let words = "busy (the provider asks to wait 91 seconds, but `retry.for_seconds` leaves 90 seconds)";
        assert_eq!(pause(Some(SECOND * 91)), Err(GaveUp(words.to_owned())));
    }
}
