//! The budget of a run.

use std::time::Duration;

use accord_api::{Limits, Spent, Usage};
use accord_executor::{Allowance, Retry};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::text::counted;

/// The limits of a run, and the signal that ends it.
#[derive(Debug, Clone)]
pub struct Budget {
    limits: Limits,
    seconds: u64,
    deadline: Option<Instant>,
    retry: Retry,
    stop: CancellationToken,
}

/// Why no more is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Over {
    Stopped,
    TimedOut(u64),
}

impl Budget {
    /// The agent's limits, from now on. Where they name no time, `longest` is it. What earlier deliveries took of the time
    /// is gone.
    pub fn new(limits: &Limits, longest: Duration, spent: &Spent, stop: CancellationToken) -> Self {
        let time = limits.timeout_seconds.map_or(longest, Duration::from_secs);
        let left = time.saturating_sub(Duration::from_millis(spent.milliseconds));
        // A time beyond the range of the clock is no limit.
        let deadline = Instant::now().checked_add(left);
        Self { limits: limits.clone(), seconds: time.as_secs(), deadline, retry: Retry::default(), stop }
    }

    /// With another patience for providers that are away.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// How long to keep asking a provider that is away.
    pub(crate) fn retry(&self) -> Retry {
        self.retry
    }

    /// How long the run may still take, where that is limited.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Why another turn would exceed the cost limit; `None` if it would not.
    pub(crate) fn exhausted(&self, used: &Usage) -> Option<String> {
        self.limits.exhausted(used)
    }

    /// The budget that is left for the next turn.
    pub(crate) fn left(&self, used: &Usage) -> Allowance {
        let tokens = used.input_tokens.saturating_add(used.output_tokens);
        let cost = used.cost_usd.unwrap_or_default();
        Allowance {
            tokens: self.limits.max_tokens_total.map(|most| most.saturating_sub(tokens)),
            cost_usd: self.limits.max_cost_usd.map(|most| most - cost),
        }
    }

    /// Ends when the run has to.
    pub(crate) async fn over(&self) -> Over {
        let deadline = async {
            match self.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Over::Stopped,
            () = deadline => Over::TimedOut(self.seconds),
        }
    }
}

/// The message of a run that timed out.
pub(crate) fn timed_out(seconds: u64) -> String {
    let seconds = counted(u32::try_from(seconds).unwrap_or(u32::MAX), "second", "seconds");
    format!("no result within {seconds}; raise timeout_seconds, or ask for less")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limits: Limits) -> Budget {
        Budget { limits, seconds: 1, deadline: None, retry: Retry::default(), stop: CancellationToken::new() }
    }

    #[test]
    fn tokens_and_money_run_out() {
        let used = Usage { input_tokens: 60, output_tokens: 40, cost_usd: Some(0.5) };
        assert_eq!(budget(Limits::default()).exhausted(&used), None);
        let tokens = |most| budget(Limits { max_tokens_total: Some(most), ..Limits::default() });
        assert_eq!(tokens(101).exhausted(&used), None);
        assert!(tokens(100).exhausted(&used).is_some_and(|words| words.starts_with("100 tokens used")));
        let money = |most| budget(Limits { max_cost_usd: Some(most), ..Limits::default() });
        assert_eq!(money(0.6).exhausted(&used), None);
        assert_eq!(tokens(101).left(&used), Allowance { tokens: Some(1), cost_usd: None });
        assert_eq!(money(0.75).left(&used), Allowance { tokens: None, cost_usd: Some(0.25) });
        assert!(money(0.5).exhausted(&used).is_some_and(|words| words.starts_with("0.5000 USD spent")));
    }
}
