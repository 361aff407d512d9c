//! The one thread that writes.
//!
//! Use cases arrive as closures on a bounded channel. The thread takes all that have queued up while the last commit was
//! on its way to the disk, runs them one after the other inside one transaction, commits once, and answers all of them. So one
//! sync of the disk carries many use cases under load, and a single use case does not wait. Under load the writer
//! waits a moment for more of them: those who were just answered are about to come back, and would else wait for a whole commit.
//! The slower the disk, the longer the moment.
//!
//! What fails is undone alone: by a savepoint around it, or by not having written anything yet ([`Undo`]). What succeeded
//! is acknowledged only after the commit; if that fails, none is; nor if the file was moved since it was opened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use accord_store::{Notice, StoreError};
use rusqlite::Connection;
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::error::{CommitError, DbError, DbResult};
use crate::open;
use crate::opened::Opened;

/// Use cases that may wait for the writer before their callers wait in their turn.
const QUEUE: usize = 1024;

/// Operations in one transaction: enough that syncing no longer dominates, few enough that the
/// first one does not wait long for the last.
const GROUP: usize = 256;

/// A group of this size means load, and that more use cases are coming.
const CROWD: usize = 8;

/// With slow commits a smaller group is enough: the pause is short compared with what it saves.
const CROWD_OF_SLOW_DISK: usize = 2;
const SLOW_COMMIT: Duration = Duration::from_millis(2);

/// How long the next of a crowd may take to come, at least: a few requests are read in that time. Where the last commit took
/// longer, this part of it.
const NEXT_COMER: Duration = Duration::from_micros(100);
const NEXT_COMER_PART: u32 = 16;

/// How long a crowd is waited for in all, at least: a commit costs processor time however much it carries, and where the disk
/// is quick, that is what limits a crowd. Where the last commit took longer, this part of it: half a commit's time is lost, and
/// twice as many are carried.
const GATHERING: Duration = Duration::from_millis(1);
const GATHERING_PART: u32 = 2;

/// The upper bound: a disk that hangs once is not a reason to wait.
const LONGEST_GATHERING: Duration = Duration::from_millis(20);

/// How long dropping the store may block: what has queued is written within this on any working disk.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a use case that fails is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undo {
    /// By a savepoint around it. SQLite then sets aside every page that others in the group have changed too.
    Savepoint,
    /// Not at all: the use case decides before it writes, so that afterwards only the database can fail it. Where that
    /// happens, the whole group fails. For what happens many times in every run.
    Decided,
}

/// When what a use case writes has to be on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// Before it is answered.
    Now,
    /// With the next use case that needs it: until then it survives the end of this process, and not that of the machine.
    Later,
}

/// Inside a write: the connection, and the notices to send after the commit.
pub(crate) struct Write<'a> {
    connection: &'a Connection,
    notices: Vec<Notice>,
}

impl Write<'_> {
    /// The connection, in a transaction.
    pub(crate) fn connection(&self) -> &Connection {
        self.connection
    }

    /// Tells others, after the commit.
    pub(crate) fn notify(&mut self, notice: Notice) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }
}

/// A use case on its way through the writer.
trait Job: Send {
    fn undo(&self) -> Undo;

    /// When it has to be on disk.
    fn flush(&self) -> Flush;

    /// Does the work. Where that fails, it must be undone; the text says why it failed.
    fn run(&mut self, connection: &Connection) -> Result<Vec<Notice>, CommitError>;

    /// Answers the caller: with what came of the work, or with why nothing was committed.
    fn answer(self: Box<Self>, lost: Option<&CommitError>);
}

struct UseCase<T, F> {
    undo: Undo,
    flush: Flush,
    work: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for UseCase<T, F>
where
    T: Send,
    F: FnOnce(&mut Write<'_>) -> DbResult<T> + Send,
{
    fn undo(&self) -> Undo {
        self.undo
    }

    fn flush(&self) -> Flush {
        self.flush
    }

    fn run(&mut self, connection: &Connection) -> Result<Vec<Notice>, CommitError> {
        let Some(work) = self.work.take() else { return Ok(Vec::new()) };
        let mut write = Write { connection, notices: Vec::new() };
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut write)))
            .unwrap_or_else(|_| Err(DbError::Answer(StoreError::Unavailable("a use case panicked".into()))))
            .map_err(StoreError::from);
        let notices = match &outcome {
            Ok(_) => Ok(write.notices),
            Err(error) => Err(CommitError(error.to_string())),
        };
        self.outcome = Some(outcome);
        notices
    }

    fn answer(self: Box<Self>, lost: Option<&CommitError>) {
        let answer = match (lost, self.outcome) {
            (None, Some(outcome)) => outcome,
            // Also what failed by itself: it may have failed because of something that now never happened.
            (Some(CommitError(cause)), _) => Err(StoreError::Unavailable(cause.clone())),
            (None, None) => Err(StoreError::Unavailable("the use case was not run".into())),
        };
        // The caller may be gone; the work is done all the same.
        let _ = self.reply.send(answer);
    }
}

/// The way to the thread.
pub(crate) struct Writer {
    jobs: Option<mpsc::Sender<Box<dyn Job>>>,
    ended: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
    commits: Arc<AtomicU64>,
    file: Option<Opened>,
}

impl Writer {
    /// Starts the thread, which writes to this file; to none where the database is in memory.
    pub(crate) fn start(
        connection: Connection,
        file: Option<Opened>,
        notices: broadcast::Sender<Notice>,
    ) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let (end, ended) = std::sync::mpsc::channel();
        let commits = Arc::new(AtomicU64::new(0));
        let thread = Thread { connection, file: file.clone(), queue, notices, commits: Arc::clone(&commits) };
        std::thread::Builder::new()
            .name("accord-sqlite".into())
            .spawn(move || {
                thread.run();
                let _ = end.send(());
            })
            .map_err(|error| StoreError::Unavailable(format!("cannot start the writer's thread: {error}")))?;
        Ok(Self { jobs: Some(jobs), ended: std::sync::Mutex::new(ended), commits, file })
    }

    /// Runs one use case. When this returns, what it wrote is on disk.
    pub(crate) async fn run<T, F>(&self, undo: Undo, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Write<'_>) -> DbResult<T> + Send + 'static,
    {
        self.run_flushed(undo, Flush::Now, work).await
    }

    /// Runs one use case, and says when what it writes has to be on disk.
    pub(crate) async fn run_flushed<T, F>(&self, undo: Undo, flush: Flush, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Write<'_>) -> DbResult<T> + Send + 'static,
    {
        let gone = || StoreError::Unavailable("the store is closed".into());
        let (reply, answer) = oneshot::channel();
        let job = Box::new(UseCase { undo, flush, work: Some(work), outcome: None, reply });
        self.jobs.as_ref().ok_or_else(gone)?.send(job).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Whether the file is where it was.
    pub(crate) fn check_file(&self) -> Result<(), StoreError> {
        self.file
            .as_ref()
            .map_or(Ok(()), Opened::check)
            .map_err(|CommitError(cause)| StoreError::Unavailable(cause))
    }

    /// How many use cases wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.jobs.as_ref().map_or(0, |jobs| jobs.max_capacity() - jobs.capacity())
    }

    /// How often was committed: under load, less often than use cases were run.
    #[cfg(test)]
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    /// Lets the thread write what has queued up, and waits for that a while.
    fn drop(&mut self) {
        self.jobs = None;
        let ended = self.ended.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if ended.recv_timeout(PATIENCE).is_err() {
            let commits = self.commits.load(Ordering::Relaxed);
            tracing::warn!(commits, "the database is still writing and is left to finish on its own");
        }
    }
}

struct Thread {
    connection: Connection,
    file: Option<Opened>,
    queue: mpsc::Receiver<Box<dyn Job>>,
    notices: broadcast::Sender<Notice>,
    commits: Arc<AtomicU64>,
}

impl Thread {
    fn run(mut self) {
        let mut crowd = 0;
        let mut took = Duration::ZERO;
        while let Some(first) = self.queue.blocking_recv() {
            let mut group = vec![first];
            self.take_waiting(&mut group);
            let enough = if took < SLOW_COMMIT { CROWD } else { CROWD_OF_SLOW_DISK };
            if crowd >= enough {
                self.wait_for_more(&mut group, took);
            }
            crowd = group.len();
            let begun = Instant::now();
            self.commit(group);
            took = begun.elapsed();
        }
        if let Err(error) = open::checkpoint(&self.connection) {
            tracing::warn!(%error, "the write-ahead log is left next to the database");
        }
    }

    fn take_waiting(&mut self, group: &mut Vec<Box<dyn Job>>) {
        while group.len() < GROUP
            && let Ok(next) = self.queue.try_recv()
        {
            group.push(next);
        }
    }

    /// Waits for more use cases, but not for long compared with the last commit.
    fn wait_for_more(&mut self, group: &mut Vec<Box<dyn Job>>, took: Duration) {
        let took = took.min(LONGEST_GATHERING * GATHERING_PART);
        let (gathering, next) =
            (GATHERING.max(took / GATHERING_PART), NEXT_COMER.max(took / NEXT_COMER_PART));
        let begun = Instant::now();
        while group.len() < GROUP && begun.elapsed() < gathering {
            let before = group.len();
            std::thread::sleep(next);
            self.take_waiting(group);
            if group.len() == before {
                return;
            }
        }
    }

    fn commit(&self, mut group: Vec<Box<dyn Job>>) {
        let committed = self.attempt(&mut group);
        match committed {
            Ok(notices) => {
                self.commits.fetch_add(1, Ordering::Relaxed);
                for notice in notices {
                    // There may be no listener.
                    let _ = self.notices.send(notice);
                }
                group.into_iter().for_each(|job| job.answer(None));
            }
            Err(error) => {
                self.roll_back();
                let CommitError(cause) = &error;
                tracing::error!(cause, use_cases = group.len(), "the transaction could not be committed");
                group.into_iter().for_each(|job| job.answer(Some(&error)));
            }
        }
    }

    fn attempt(&self, group: &mut [Box<dyn Job>]) -> Result<Vec<Notice>, CommitError> {
        if group.iter().any(|job| job.flush() == Flush::Now) {
            return self.transaction(group);
        }
        self.execute("PRAGMA synchronous = NORMAL")?;
        let done = self.transaction(group);
        self.roll_back();
        self.execute("PRAGMA synchronous = FULL")?;
        done
    }

    fn transaction(&self, group: &mut [Box<dyn Job>]) -> Result<Vec<Notice>, CommitError> {
        self.execute("BEGIN IMMEDIATE")?;
        let mut notices = Vec::new();
        for job in group {
            notices.extend(match job.undo() {
                Undo::Savepoint => self.try_out(job.as_mut())?,
                Undo::Decided => self.carry_out(job.as_mut())?,
            });
        }
        self.file.as_ref().map_or(Ok(()), Opened::check)?;
        self.execute("COMMIT")?;
        Ok(notices)
    }

    fn try_out(&self, job: &mut dyn Job) -> Result<Vec<Notice>, CommitError> {
        self.execute("SAVEPOINT use_case")?;
        let notices = match job.run(&self.connection) {
            Ok(notices) => notices,
            // A full disk may make SQLite undo the whole transaction by itself: then all have failed.
            Err(error) if self.connection.is_autocommit() => return Err(error),
            Err(_) => {
                self.execute("ROLLBACK TO use_case")?;
                Vec::new()
            }
        };
        self.execute("RELEASE use_case")?;
        Ok(notices)
    }

    fn carry_out(&self, job: &mut dyn Job) -> Result<Vec<Notice>, CommitError> {
        let before = self.connection.total_changes();
        match job.run(&self.connection) {
            Ok(notices) => Ok(notices),
            Err(_) if !self.connection.is_autocommit() && self.connection.total_changes() == before => {
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(CommitError(cause)) = self.execute("ROLLBACK")
        {
            tracing::error!(cause, "cannot roll back");
        }
    }

    fn execute(&self, sql: &str) -> Result<(), CommitError> {
        let executed = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
        executed.map(|_| ()).map_err(|error| CommitError(error.to_string()))
    }
}
