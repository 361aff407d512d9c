//! Requests whose callers wait for the answer: which of them a repeated one joins, and which nobody waits for any more.
//!
//! A request is known by the key under which its work was created, so the work follows from
//! [`crate::RunReader::first_answer`]: a coordinator that dies in between leaves a request, and no work without one.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontRequest {
    /// Whose it is, and the route.
    pub scope: String,
    /// The idempotency key of its work.
    pub key: String,
    /// A hash of the body.
    pub fingerprint: String,
    /// The work that it continues, if it creates none.
    pub work: Option<String>,
}

/// A caller comes and waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The request, with a key of its own in case that it joins none.
    pub request: FrontRequest,
    /// Whether the caller has named the key.
    pub is_named: bool,
    /// Whether the caller says that it repeats a request.
    pub is_repeat: bool,
    /// Whether the work is stopped when nobody waits any more.
    pub is_reason: bool,
    pub now: Timestamp,
    /// Until when the caller is believed to wait, unless it is renewed.
    pub until: Timestamp,
    /// A request whose caller has left after this time is joined.
    pub left_after: Timestamp,
    /// A request that was answered after this time is joined by one that says so.
    pub answered_after: Timestamp,
}

/// How an earlier request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How many callers wait.
    pub waiting: i64,
    pub waited_until: Timestamp,
    /// When the last of them left.
    pub left_at: Option<Timestamp>,
    /// When it was answered.
    pub closed_at: Option<Timestamp>,
}

impl Standing {
    /// How many callers wait now: those of a coordinator that died do not.
    pub fn waiting_at(&self, now: Timestamp) -> i64 {
        if self.waited_until > now { self.waiting.max(0) } else { 0 }
    }

    /// Whether an equal request joins it.
    pub fn is_joined_by(&self, arrival: &Arrival) -> bool {
        if let Some(closed_at) = self.closed_at {
            return arrival.is_repeat && closed_at > arrival.answered_after;
        }
        if self.waiting_at(arrival.now) > 0 {
            return arrival.is_repeat;
        }
        let left_at = self.left_at.filter(|_| self.waiting == 0).unwrap_or(self.waited_until);
        left_at > arrival.left_after
    }
}

#[async_trait]
pub trait FrontStore: Send + Sync {
    /// Writes that a caller waits: for an earlier request that is equal, if it joins that one, or else for its own. Gives the
    /// request that it waits for.
    async fn arrive(&self, arrival: Arrival) -> Result<FrontRequest, StoreError>;

    /// The caller still waits.
    async fn wait_on(&self, scope: &str, key: &str, until: Timestamp) -> Result<(), StoreError>;

    /// The caller has left, or has its answer.
    async fn leave(
        &self,
        scope: &str,
        key: &str,
        is_answered: bool,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Requests that are the reason of their work, without an answer, and that nobody has waited for since this time.
    async fn left_alone(&self, since: Timestamp, limit: u32) -> Result<Vec<FrontRequest>, StoreError>;

    /// Forgets a request: no later one joins it.
    async fn forget_request(&self, scope: &str, key: &str) -> Result<(), StoreError>;

    /// Forgets requests that nobody has waited for since this time, with the keys that nobody has named.
    async fn forget_requests(&self, before: Timestamp) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds)
    }

    #[test]
    fn which_requests_are_joined() {
        let request =
            FrontRequest { scope: "s".into(), key: "k".into(), fingerprint: "f".into(), work: None };
        let arrival = |is_repeat| Arrival {
            request: request.clone(),
            is_named: false,
            is_repeat,
            is_reason: true,
            now: at(1000),
            until: at(1030),
            left_after: at(400),
            answered_after: at(940),
        };
        let waits = Standing { waiting: 1, waited_until: at(1010), left_at: None, closed_at: None };
        let left = |seconds| Standing { waiting: 0, left_at: Some(at(seconds)), ..waits };
        let lost = |seconds| Standing { waited_until: at(seconds), ..waits };
        let answered = |seconds| Standing { closed_at: Some(at(seconds)), ..left(seconds) };
        for (name, standing, [equal, repeated]) in [
            ("its caller waits", waits, [false, true]),
            ("its caller left", left(401), [true, true]),
            ("its caller left long ago", left(400), [false, false]),
            ("its coordinator died", lost(990), [true, true]),
            ("its coordinator died long ago", lost(300), [false, false]),
            ("one of two left", Standing { left_at: Some(at(990)), ..waits }, [false, true]),
            ("it was answered", answered(950), [false, true]),
            ("it was answered a while ago", answered(930), [false, false]),
        ] {
            let joined = [false, true].map(|is_repeat| standing.is_joined_by(&arrival(is_repeat)));
            assert_eq!(joined, [equal, repeated], "{name}");
        }
    }
}
