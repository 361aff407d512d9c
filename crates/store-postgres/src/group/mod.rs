//! Use cases that share a transaction.
//!
//! Those that happen many times in every run are queued, one queue for each kind of [`Job`]. A task takes all that have queued up
//! while the last transaction was committed, carries them out in a few statements, commits once, and answers all of them. So one
//! commit carries many use cases under load, and a single one does not wait.
//!
//! A group never waits for a lock that a use case of another transaction holds: it skips those rows, and what needs them is carried
//! out alone, in its own transaction. The same happens to all of a group if the database rejects one of its statements: the
//! group is rolled back, and only the job that caused the error fails. After a lost connection or a failed commit nothing is repeated,
//! because it is not known what was written.

mod lane;

use std::sync::Arc;

use accord_store::StoreError;
use sqlx::{PgConnection, PgPool};
use tokio::sync::{mpsc, oneshot};

use crate::error::DbError;
use crate::horizon::BEGIN;
use crate::notices::{Announcement, Hub};
use lane::Lane;

/// Jobs that may wait for a group before their callers wait in their turn.
const QUEUE: usize = 1024;

/// What to do about rows that another transaction has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locks {
    Skip,
    Wait,
}

/// The result of a job in a group.
#[derive(Debug)]
pub(crate) enum Outcome<T> {
    Done(Result<T, StoreError>),
    /// It has to be carried out alone, because of a row that was skipped. It has written nothing.
    Apart,
}

/// An outcome for each job, and what to announce after the commit.
pub(crate) type Together<T> = Result<(Vec<Outcome<T>>, Announcement), DbError>;

/// What jobs find before their transaction begins.
#[derive(Debug)]
pub(crate) enum Look<S, T> {
    /// There is something to do.
    Seen(S),
    /// The answers, without a transaction.
    Answered(Vec<T>),
}

/// A use case that can share its transaction with others of its kind.
pub(crate) trait Job: Send + Sync + Sized + 'static {
    type Answer: Send + 'static;
    type Seen: Send;

    /// What begins the transaction of a group; `None` if [`Job::together`] is one statement, which needs none.
    fn begin(_jobs: &[&Self]) -> Option<&'static str> {
        Some(BEGIN)
    }

    /// About how much of memory and of a message to the server it takes.
    fn bytes(&self) -> usize;

    /// Two jobs with the same key are not in one group.
    fn key(&self) -> Option<&str>;

    /// Reads what need not be in the transaction.
    fn look(
        connection: &mut PgConnection,
        jobs: &[&Self],
    ) -> impl Future<Output = Result<Look<Self::Seen, Self::Answer>, DbError>> + Send;

    /// Carries out jobs in a transaction, and gives an outcome for each. A job that is refused writes nothing. With
    /// [`Locks::Wait`] no job is [`Outcome::Apart`]; there is one then.
    fn together(
        connection: &mut PgConnection,
        jobs: &[&Self],
        seen: Self::Seen,
        locks: Locks,
    ) -> impl Future<Output = Together<Self::Answer>> + Send;
}

/// A job and the caller who waits for it.
struct Queued<J: Job> {
    job: J,
    reply: oneshot::Sender<Result<J::Answer, StoreError>>,
}

impl<J: Job> Queued<J> {
    fn answer(self, answer: Result<J::Answer, StoreError>) {
        // The caller may be gone; the work is done all the same.
        let _ = self.reply.send(answer);
    }
}

/// The way to the task that carries out jobs of one kind. The task ends with the last of these.
pub(crate) struct Group<J: Job> {
    jobs: mpsc::Sender<Queued<J>>,
}

impl<J: Job> Clone for Group<J> {
    fn clone(&self) -> Self {
        Self { jobs: self.jobs.clone() }
    }
}

impl<J: Job> Group<J> {
    pub(crate) fn start(pool: &PgPool, hub: &Arc<Hub>) -> Self {
        let (jobs, queue) = mpsc::channel(QUEUE);
        tokio::spawn(Lane::new(pool.clone(), Arc::clone(hub), queue).run());
        Self { jobs }
    }

    /// Carries out a job. When this returns, what it wrote is on disk.
    pub(crate) async fn run(&self, job: J) -> Result<J::Answer, StoreError> {
        let gone = || StoreError::Unavailable("the store is closed".into());
        let (reply, answer) = oneshot::channel();
        self.jobs.send(Queued { job, reply }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}
