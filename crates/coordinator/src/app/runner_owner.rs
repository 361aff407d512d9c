//! A runner belongs to the key that registered it.
//!
//! Its id says to which: it ends with a hash of the key's id and of what is unique in its own. Every coordinator can check that
//! without asking the store, and no other key fits.

use accord_api::{ErrorName, Holding};
use accord_domain::id::{KeyId, RunnerId};
use accord_domain::key::Role;
use sha2::{Digest as _, Sha256};

use super::Caller;
use crate::error::Error;

/// What is between the two parts of an id.
const OF: &str = "-of-";

/// Characters of the hash: enough that no two keys share one by accident, and few enough for an id.
const HASH_CHARACTERS: usize = 16;

/// The id of a new runner. One that was registered without a key belongs to nobody.
pub(super) fn new_id(unique: &str, key_id: Option<&KeyId>) -> RunnerId {
    match key_id {
        Some(key_id) => RunnerId::new(format!("{unique}{OF}{}", hash(unique, key_id))),
        None => RunnerId::new(unique),
    }
}

fn hash(unique: &str, key_id: &KeyId) -> String {
    let digest = Sha256::digest(format!("{key_id} {unique}"));
    accord_blueprint::hex(&digest).chars().take(HASH_CHARACTERS).collect()
}

/// For callers with another key than the runner's it does not exist. Admins may use every runner.
pub(crate) fn check(caller: &Caller, runner_id: &RunnerId) -> Result<(), Error> {
    let Some((unique, of)) = runner_id.as_str().rsplit_once(OF) else { return Ok(()) };
    let unique = unique.strip_prefix(RunnerId::PREFIX).unwrap_or(unique);
    let is_own = caller.key_id.as_ref().is_some_and(|key_id| hash(unique, key_id) == of);
    match is_own || caller.role == Role::Admin {
        true => Ok(()),
        false => {
            let message = format!("runner '{runner_id}' not found; register first, with the same key");
            Err(Error::new(ErrorName::RunnerNotFound, message))
        }
    }
}

/// A request of a runner.
pub(crate) trait OfRunner {
    fn runner_id(&self) -> &RunnerId;
}

impl OfRunner for accord_api::ClaimRuns {
    fn runner_id(&self) -> &RunnerId {
        &self.runner_id
    }
}

impl OfRunner for accord_api::Heartbeat {
    fn runner_id(&self) -> &RunnerId {
        &self.runner_id
    }
}

impl OfRunner for Holding {
    fn runner_id(&self) -> &RunnerId {
        &self.runner_id
    }
}

macro_rules! reports {
    ($($report:ty)*) => {
        $(impl OfRunner for $report {
            fn runner_id(&self) -> &RunnerId {
                &self.holding.runner_id
            }
        })*
    };
}

reports! { accord_api::ReportEvents accord_api::ReportAttempts accord_api::FinishRun }
