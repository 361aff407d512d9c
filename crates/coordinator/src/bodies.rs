//! Request bodies in memory.
//!
//! A body is counted from its first piece until its request is answered, with its bytes and with what its values will take once
//! they are parsed. There is a limit for each key, or for each address without keys, so that one client does not keep out
//! the others; and one for all of them together. Over a limit a request is refused, to be sent again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_api::ErrorName;
use serde_json::json;

use crate::error::Error;
use crate::outstanding::{Bounds, Holder};

/// What a parsed value is counted with. One takes 100 to 400 bytes, and not every value of a body is parsed.
pub(crate) const VALUE_BYTES: usize = 128;

/// The most that one client has in memory: the largest body that there is, and three of the largest usual ones.
const MOST_BODIES_OF_ONE: usize = 256 * 1024 * 1024;

/// The most that all clients have in memory: a part of the memory of a small machine.
const MOST_BODIES_OF_ALL: usize = 512 * 1024 * 1024;

/// In how many seconds to try again: bodies are worked off within seconds.
const RETRY_SECONDS: u32 = 1;

#[derive(Debug, Clone)]
pub(crate) struct Bodies {
    bounds: Bounds,
    counts: Arc<Mutex<HashMap<Holder, usize>>>,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new(Bounds { of_one: MOST_BODIES_OF_ONE, of_all: MOST_BODIES_OF_ALL })
    }
}

impl Bodies {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, counts: Arc::default() }
    }

    /// The count of a body that begins.
    pub(crate) fn begin(&self, holder: Holder) -> Counted {
        Counted { bodies: self.clone(), holder, bytes: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Holder, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.lock().values().sum()
    }
}

/// What is counted for one body, until this is dropped.
#[derive(Debug)]
pub(crate) struct Counted {
    bodies: Bodies,
    holder: Holder,
    bytes: usize,
}

impl Counted {
    /// Counts more of the body, unless there is too much already.
    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), Error> {
        let mut counts = self.bodies.lock();
        let (of_one, of_all) =
            (counts.get(&self.holder).copied().unwrap_or_default(), counts.values().sum::<usize>());
        let Bounds { of_one: most_of_one, of_all: most_of_all } = self.bodies.bounds;
        let (whose, limit) = match (of_one + bytes > most_of_one, of_all + bytes > most_of_all) {
            (true, _) => ("of this client", most_of_one),
            (false, true) => ("of all clients", most_of_all),
            (false, false) => {
                *counts.entry(self.holder.clone()).or_default() += bytes;
                self.bytes += bytes;
                return Ok(());
            }
        };
        drop(counts);
        let message = format!(
            "the request bodies {whose} that are being handled would take more than {limit} bytes of memory, the limit; retry in a moment"
        );
        let error = Error::new(ErrorName::Overloaded, message).with_details(json!({"limit_bytes": limit}));
        Err(error.with_retry_after(RETRY_SECONDS))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.bodies.lock();
        if let Some(count) = counts.get_mut(&self.holder) {
            *count = count.saturating_sub(self.bytes);
            if *count == 0 {
                counts.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use accord_domain::id::KeyId;

    use super::*;

    #[test]
    fn bodies_of_one_client_and_of_all_have_a_bound() {
        let bodies = Bodies::new(Bounds { of_one: 10, of_all: 25 });
        let begin = |name: &str| bodies.begin(Holder::Key(KeyId::new(name)));
        let refusal = |body: &mut Counted, bytes: usize| body.add(bytes).err().map(|error| error.body());
        let (mut first, mut second) = (begin("a"), begin("a"));
        assert!(first.add(6).is_ok() && second.add(4).is_ok());
        let refused = refusal(&mut second, 1).unwrap();
        assert_eq!(refused.details.unwrap()["limit_bytes"], 10);
        let mut others = [begin("b"), begin("c")];
        assert!(others[0].add(10).is_ok() && others[1].add(5).is_ok());
        assert_eq!(refusal(&mut others[1], 1).unwrap().details.unwrap()["limit_bytes"], 25);
        drop(first);
        assert!(others[1].add(5).is_ok() && second.add(1).is_ok());
        drop((second, others));
        assert_eq!(bodies.held(), 0);
    }
}
