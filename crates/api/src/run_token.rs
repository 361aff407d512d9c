//! What a run shows to act for itself.

use std::fmt;
use std::str::FromStr;

use accord_domain::id::{LeaseId, RunId};

const PREFIX: &str = "run.";

/// Lets a run start and follow children of its session: `Authorization: Bearer run.<run>.<lease>`.
///
/// It is made of what the holder of the lease knows already, and opens nothing once the lease is another's or the run
/// is over. It shows itself to nobody: see [`RunToken::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct RunToken {
    run_id: RunId,
    lease_id: LeaseId,
}

/// The text is no run token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotARunToken;

impl RunToken {
    /// The token of a run under a lease.
    pub fn new(run_id: RunId, lease_id: LeaseId) -> Self {
        Self { run_id, lease_id }
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// The lease, which is the secret part.
    pub fn lease_id(&self) -> &LeaseId {
        &self.lease_id
    }

    /// Whether a text means to be one, well made or not.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// The token as it is sent.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}.{}", self.run_id, self.lease_id)
    }
}

impl FromStr for RunToken {
    type Err = NotARunToken;

    fn from_str(text: &str) -> Result<Self, NotARunToken> {
        let (run_id, lease_id) =
            text.strip_prefix(PREFIX).and_then(|ids| ids.rsplit_once('.')).ok_or(NotARunToken)?;
        Ok(Self {
            run_id: run_id.parse().map_err(|_| NotARunToken)?,
            lease_id: lease_id.parse().map_err(|_| NotARunToken)?,
        })
    }
}

impl fmt::Debug for RunToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "RunToken({}, …)", self.run_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_round_trips_and_hides_its_secret() {
        let token = RunToken::new(RunId::new("0190"), LeaseId::new("0191"));
        assert_eq!(token.expose(), "run.run_0190.lse_0191");
        assert_eq!(token.expose().parse(), Ok(token.clone()));
        assert!(!format!("{token:?}").contains("0191"));
    }

    #[test]
    fn other_texts_are_not_tokens() {
        for text in
            ["", "run.", "run.run_1", "run.run_1.", "run.ses_1.lse_1", "run.lse_1.run_1", "accord_1_2"]
        {
            assert_eq!(text.parse::<RunToken>(), Err(NotARunToken), "{text}");
        }
    }
}
