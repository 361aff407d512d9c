//! Responses that their clients have not read yet.
//!
//! A response stays in memory until the connection has taken all of it. Clients that ask for large ones and do not read them
//! are limited: their responses are counted for as long as they are held, and over the limit they get no further document
//! before some are read or their connections are dropped (`connections/write_timeout`). There is a limit for each key, or for
//! each address without keys, so that one client does not keep out the others; and one for all of them together.
//!
//! The bytes count themselves ([`Charge::hold`]): the last holder releases their count.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_api::ErrorName;
use accord_domain::id::{KeyId, RunId};
use bytes::Bytes;
use serde_json::json;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

use crate::app::Caller;
use crate::error::Error;

/// The most that one client leaves unread: eight of the largest documents. Only a client that does not read needs more.
const MOST_OF_ONE: usize = 64 * 1024 * 1024;

/// The most that all of them leave unread: a part of the memory of a small machine.
const MOST_OF_ALL: usize = 256 * 1024 * 1024;

/// Documents that are read from the store and made into answers at once. They are not counted yet, and each may be as large as
/// the largest; more would only wait for the store and the processor.
const TURNS: usize = 16;

/// Smaller answers are not counted: there is one of them for each connection at most.
pub(crate) const COUNTED_FROM: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    Key(KeyId),
    Run(RunId),
    /// The client at this address, if it is known.
    Address(Option<IpAddr>),
}

impl Holder {
    pub(crate) fn of(caller: &Caller, from: Option<IpAddr>) -> Self {
        match (&caller.run, &caller.key_id) {
            (Some(acting), _) => Self::Run(acting.run_id.clone()),
            (None, Some(key_id)) => Self::Key(key_id.clone()),
            (None, None) => Self::Address(from),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// For one caller, in bytes.
    pub(crate) of_one: usize,
    /// For all of them, in bytes.
    pub(crate) of_all: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { of_one: MOST_OF_ONE, of_all: MOST_OF_ALL }
    }
}

/// The answers that are not yet read.
#[derive(Debug, Clone)]
pub(crate) struct Outstanding {
    bounds: Bounds,
    counts: Arc<Counts>,
    turns: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Counts {
    bytes: Mutex<HashMap<Holder, usize>>,
    read: Notify,
}

impl Default for Outstanding {
    fn default() -> Self {
        Self::new(Bounds::default())
    }
}

impl Outstanding {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, counts: Arc::default(), turns: Arc::new(Semaphore::new(TURNS)) }
    }

    /// Waits for a turn to read a document and to make an answer of it, unless too many are unread.
    pub(crate) async fn turn(&self, holder: &Holder) -> Result<Turn, Error> {
        self.check(holder)?;
        let turn = self.next_turn(holder).await;
        // Those before may have left theirs unread meanwhile.
        self.check(holder)?;
        Ok(turn)
    }

    /// Waits for a turn, and before that until enough is read: for a response that has begun.
    pub(crate) async fn turn_when_read(&self, holder: &Holder) -> Turn {
        loop {
            let read = self.counts.read.notified();
            if self.check(holder).is_err() {
                read.await;
                continue;
            }
            let turn = self.next_turn(holder).await;
            if self.check(holder).is_ok() {
                return turn;
            }
        }
    }

    async fn next_turn(&self, holder: &Holder) -> Turn {
        // It is never closed.
        let permit = Arc::clone(&self.turns).acquire_owned().await.ok();
        Turn { outstanding: self.clone(), holder: holder.clone(), _permit: permit }
    }

    /// Whether a caller may have another document.
    fn check(&self, holder: &Holder) -> Result<(), Error> {
        let counts = self.counts.lock();
        let (of_one, of_all) =
            (counts.get(holder).copied().unwrap_or_default(), counts.values().sum::<usize>());
        drop(counts);
        let Bounds { of_one: most_of_one, of_all: most_of_all } = self.bounds;
        if of_one >= most_of_one {
            let message = format!(
                "{of_one} bytes of responses to this client are unread; the limit is {most_of_one}. Read them or close their connections, then retry"
            );
            let details = json!({"unread_bytes": of_one, "limit_bytes": most_of_one});
            return Err(Error::new(ErrorName::UnreadAnswers, message).with_details(details));
        }
        if of_all >= most_of_all {
            let message = format!(
                "{of_all} bytes of responses are unread by clients; the limit is {most_of_all}. Retry in a moment"
            );
            let details = json!({"unread_bytes": of_all, "limit_bytes": most_of_all});
            return Err(Error::new(ErrorName::Overloaded, message).with_details(details));
        }
        Ok(())
    }

    /// Counts bytes that are held for a caller from now on.
    pub(crate) fn charge(&self, holder: &Holder, bytes: usize) -> Charge {
        self.charge_until(holder, bytes, None)
    }

    fn charge_until(
        &self,
        holder: &Holder,
        bytes: usize,
        taken: Option<oneshot::Sender<Infallible>>,
    ) -> Charge {
        *self.counts.lock().entry(holder.clone()).or_default() += bytes;
        Charge { bytes, holder: holder.clone(), counts: Arc::clone(&self.counts), _taken: taken }
    }

    #[cfg(test)]
    pub(crate) fn unread(&self) -> usize {
        self.counts.lock().values().sum()
    }
}

impl Counts {
    fn lock(&self) -> MutexGuard<'_, HashMap<Holder, usize>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn to make a response of a document.
#[derive(Debug)]
pub(crate) struct Turn {
    outstanding: Outstanding,
    holder: Holder,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// Counts a chunk of an answer; the second value resolves when the connection has taken it.
    /// Ends the turn.
    pub(crate) fn made(self, piece: Bytes) -> (Bytes, Taken) {
        let (end, taken) = oneshot::channel();
        let charge = self.outstanding.charge_until(&self.holder, piece.len(), Some(end));
        (charge.hold(piece), Taken(taken))
    }
}

/// A piece of an answer on its way.
#[derive(Debug)]
pub(crate) struct Taken(oneshot::Receiver<Infallible>);

impl Taken {
    /// Waits until the connection has taken all of it, or has ended.
    pub(crate) async fn wait(self) {
        let _ = self.0.await;
    }
}

/// Bytes that are counted, until this is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    counts: Arc<Counts>,
    holder: Holder,
    bytes: usize,
    /// Dropping it tells the receiver.
    _taken: Option<oneshot::Sender<Infallible>>,
}

impl Charge {
    /// The same bytes, counted until they are dropped.
    pub(crate) fn hold(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Held { bytes, _charge: self })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.holder) {
            *count = count.saturating_sub(self.bytes);
            if *count == 0 {
                counts.remove(&self.holder);
            }
        }
        drop(counts);
        self.counts.read.notify_waiters();
    }
}

struct Held {
    bytes: Bytes,
    _charge: Charge,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::poll;

    use super::*;

    fn bounded() -> Outstanding {
        Outstanding::new(Bounds { of_one: 10, of_all: 25 })
    }

    fn holder(name: &str) -> Holder {
        Holder::Key(KeyId::new(name))
    }

    async fn refused(outstanding: &Outstanding, holder: &Holder) -> Option<(&'static str, String)> {
        let error = outstanding.turn(holder).await.err()?;
        Some((error.name().as_str(), error.message().to_owned()))
    }

    #[tokio::test]
    async fn a_caller_over_its_bound_gets_no_document_until_it_has_read() {
        let (outstanding, one, other) = (bounded(), holder("one"), holder("other"));
        let first = outstanding.turn(&one).await.unwrap().made(Bytes::from_static(b"123456789")).0;
        let second = outstanding.turn(&one).await.unwrap().made(Bytes::from_static(b"1")).0;
        let message = "10 bytes of responses to this client are unread; the limit is 10. Read them or close their connections, then retry";
        assert_eq!(refused(&outstanding, &one).await, Some(("UnreadAnswers", message.to_owned())));
        assert_eq!(refused(&outstanding, &other).await, None);
        let part = first.slice(3..);
        drop((first, second));
        assert_eq!(
            (outstanding.unread(), refused(&outstanding, &one).await),
            (9, None),
            "a part holds the whole"
        );
        drop(part);
        assert_eq!(outstanding.unread(), 0);
    }

    #[tokio::test]
    async fn all_callers_together_have_a_bound() {
        let outstanding = bounded();
        let held = ["a", "b", "c"].map(|name| outstanding.charge(&holder(name), 9));
        let message = "27 bytes of responses are unread by clients; the limit is 25. Retry in a moment";
        assert_eq!(refused(&outstanding, &holder("d")).await, Some(("Overloaded", message.to_owned())));
        drop(held);
        assert_eq!(refused(&outstanding, &holder("d")).await, None);
    }

    #[tokio::test]
    async fn a_started_response_waits_until_enough_is_read() {
        let (outstanding, one) = (bounded(), holder("one"));
        let held = outstanding.charge(&one, 10);
        let mut waiting = pin!(outstanding.turn_when_read(&one));
        assert!(poll!(waiting.as_mut()).is_pending());
        drop(held);
        waiting.await;
    }

    #[tokio::test]
    async fn a_chunk_is_released_when_it_is_dropped() {
        let (piece, taken) = bounded().turn(&holder("one")).await.unwrap().made(Bytes::from_static(b"123"));
        let mut taken = pin!(taken.wait());
        assert!(poll!(taken.as_mut()).is_pending());
        drop(piece);
        taken.await;
    }

    #[tokio::test]
    async fn few_documents_are_read_at_once() {
        let (outstanding, one) = (bounded(), holder("one"));
        let mut turns = Vec::new();
        for _ in 0..TURNS {
            turns.push(outstanding.turn(&one).await.unwrap());
        }
        let mut waiting = pin!(outstanding.turn(&one));
        assert!(poll!(waiting.as_mut()).is_pending());
        turns.pop();
        waiting.await.unwrap();
    }
}
