//! The task of a group: gathers jobs, carries them out together, and those that have to be alone in tasks of their own.

use std::sync::Arc;
use std::time::Duration;

use accord_store::StoreError;
use sqlx::pool::PoolConnection;
use sqlx::{Connection, PgConnection, PgPool, Postgres};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::{Job, Locks, Look, Outcome, Queued};
use crate::error::{DbError, LONGEST_USE, retrying, within};
use crate::horizon::{BEGIN, begin_with};
use crate::notices::{Announcement, Hub};
use crate::store::conclude;

/// Jobs in one transaction: enough that commits no longer dominate, few enough that the first does not wait long for the last.
const MOST_JOBS: usize = 128;

/// Bytes in one transaction, not counting those of the last job: they are sent in one message and held in memory until then.
const MOST_BYTES: usize = 4 << 20;

/// A connection that has rested for this long is given back: the pool checks it before it is used again.
const KEPT: Duration = Duration::from_secs(1);

/// How often a group that has no answer asks whether the server has stopped answering others.
const TICK: Duration = Duration::from_secs(1);

/// Why a group failed.
enum Failure {
    /// Nothing was written.
    Undone(DbError),
    /// It is not known what was written, or the connection is lost.
    Unknown(DbError),
}

/// Outcomes of all jobs, and what to announce.
type Done<J> = (Vec<Outcome<<J as Job>::Answer>>, Announcement);

/// A connection that is kept between groups.
struct Held {
    connection: PoolConnection<Postgres>,
    used: Instant,
}

pub(super) struct Lane<J: Job> {
    pool: PgPool,
    hub: Arc<Hub>,
    queue: mpsc::Receiver<Queued<J>>,
    /// The first of the next group: its key is already in this one, or there was no room left.
    next: Option<Queued<J>>,
    held: Option<Held>,
}

impl<J: Job> Lane<J> {
    pub(super) fn new(pool: PgPool, hub: Arc<Hub>, queue: mpsc::Receiver<Queued<J>>) -> Self {
        Self { pool, hub, queue, next: None, held: None }
    }

    /// Runs until nobody can queue anything.
    pub(super) async fn run(mut self) {
        while let Some(first) = self.first().await {
            let mut group = self.gather(first);
            group.retain(|queued| !queued.reply.is_closed());
            if !group.is_empty() {
                self.carry_out(group).await;
            }
        }
    }

    async fn first(&mut self) -> Option<Queued<J>> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        if self.held.is_some() {
            match timeout(KEPT, self.queue.recv()).await {
                Ok(first) => return first,
                Err(_) => self.held = None,
            }
        }
        self.queue.recv().await
    }

    /// All that have queued up.
    fn gather(&mut self, first: Queued<J>) -> Vec<Queued<J>> {
        let mut bytes = first.job.bytes();
        let mut group = vec![first];
        while group.len() < MOST_JOBS && bytes < MOST_BYTES {
            let Ok(queued) = self.queue.try_recv() else { break };
            let key = queued.job.key();
            if key.is_some() && group.iter().any(|other| other.job.key() == key) {
                self.next = Some(queued);
                break;
            }
            bytes += queued.job.bytes();
            group.push(queued);
        }
        group
    }

    async fn carry_out(&mut self, group: Vec<Queued<J>>) {
        let jobs: Vec<&J> = group.iter().map(|queued| &queued.job).collect();
        let done = self.attempt(&jobs).await;
        match done {
            Ok((outcomes, announcement)) => {
                self.hub.announce(announcement);
                for (queued, outcome) in group.into_iter().zip(outcomes) {
                    match outcome {
                        Outcome::Done(answer) => queued.answer(answer),
                        Outcome::Apart => self.set_apart(queued),
                    }
                }
            }
            Err(Failure::Undone(error)) => {
                tracing::debug!(?error, jobs = group.len(), "a group was rolled back");
                group.into_iter().for_each(|queued| self.set_apart(queued));
            }
            Err(Failure::Unknown(error)) => {
                let cause = match StoreError::from(error) {
                    StoreError::Unavailable(cause) => cause,
                    other => other.to_string(),
                };
                for queued in group {
                    queued.answer(Err(StoreError::Unavailable(cause.clone())));
                }
            }
        }
    }

    /// One transaction. The connection is kept if it is known to be in order afterwards.
    async fn attempt(&mut self, jobs: &[&J]) -> Result<Done<J>, Failure> {
        let mut held = self.connection().await.map_err(Failure::Unknown)?;
        let begun = Instant::now();
        let transaction = transact(&mut held.connection, jobs);
        let done = tokio::select! {
            done = transaction => Some(done),
            () = self.silence(begun) => None,
        };
        match done {
            Some(Ok(done)) => {
                self.held = Some(Held { used: Instant::now(), ..held });
                Ok(done)
            }
            // The pool looks whether the connection is still good for writing.
            Some(Err(failure)) => Err(failure),
            None => {
                // Closing it would wait for an answer too.
                drop(held.connection.detach());
                let text = "PostgreSQL does not respond".to_owned();
                Err(Failure::Unknown(StoreError::Unavailable(text).into()))
            }
        }
    }

    /// Completes when an answer to what began then is not to be expected any more.
    async fn silence(&self, begun: Instant) {
        while begun.elapsed() < LONGEST_USE && !self.hub.breaks.is_silent_since(begun.elapsed()) {
            tokio::time::sleep(TICK).await;
        }
    }

    async fn connection(&mut self) -> Result<Held, DbError> {
        if let Some(held) = self.held.take()
            && !self.hub.breaks.is_doubtful(held.used.elapsed())
        {
            return Ok(held);
        }
        let connection = self.pool.acquire().await?;
        Ok(Held { connection, used: Instant::now() })
    }

    /// Carries out one job in its own transaction, which may wait for others.
    fn set_apart(&self, queued: Queued<J>) {
        let (pool, hub) = (self.pool.clone(), Arc::clone(&self.hub));
        tokio::spawn(async move {
            let answer = retrying(|| alone(&pool, &hub, &queued.job)).await;
            queued.answer(answer);
        });
    }
}

async fn transact<J: Job>(connection: &mut PgConnection, jobs: &[&J]) -> Result<Done<J>, Failure> {
    let seen = match J::look(&mut *connection, jobs).await.map_err(undone)? {
        Look::Seen(seen) => seen,
        Look::Answered(answers) => {
            let outcomes = answers.into_iter().map(|answer| Outcome::Done(Ok(answer))).collect();
            return Ok((outcomes, Announcement::default()));
        }
    };
    let Some(begin) = J::begin(jobs) else {
        return J::together(connection, jobs, seen, Locks::Skip).await.map_err(undone);
    };
    let mut transaction = connection.begin_with(begin).await.map_err(|error| undone(error.into()))?;
    match J::together(&mut transaction, jobs, seen, Locks::Skip).await {
        Ok(done) => {
            transaction.commit().await.map_err(|error| Failure::Unknown(error.into()))?;
            Ok(done)
        }
        Err(error) => {
            transaction.rollback().await.map_err(|error| Failure::Unknown(error.into()))?;
            Err(undone(error))
        }
    }
}

/// An error before the commit. If the connection is lost, others would fail on it too.
fn undone(error: DbError) -> Failure {
    match &error {
        DbError::Database(sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::Tls(_)) => {
            Failure::Unknown(error)
        }
        _ => Failure::Undone(error),
    }
}

async fn alone<J: Job>(pool: &PgPool, hub: &Hub, job: &J) -> Result<J::Answer, DbError> {
    let mut connection = within(LONGEST_USE, async { Ok(pool.acquire().await?) }).await?;
    let seen = match J::look(&mut connection, &[job]).await? {
        Look::Seen(seen) => seen,
        Look::Answered(answers) => return only(answers),
    };
    drop(connection);
    let mut transaction = begin_with(pool, BEGIN).await?;
    let done = J::together(&mut transaction, &[job], seen, Locks::Wait).await;
    let done = done.and_then(|(outcomes, announcement)| match only(outcomes)? {
        Outcome::Done(answer) => Ok((answer?, announcement)),
        Outcome::Apart => Err(StoreError::Unavailable("the row was locked".into()).into()),
    });
    let (answer, announcement) = conclude(transaction, done).await?;
    hub.announce(announcement);
    Ok(answer)
}

fn only<T>(all: Vec<T>) -> Result<T, DbError> {
    let missing = || StoreError::Unavailable("the use case was not carried out".into()).into();
    all.into_iter().next().ok_or_else(missing)
}
