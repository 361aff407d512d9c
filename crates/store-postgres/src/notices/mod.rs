//! Notices: from writers of this process immediately, from other processes by `NOTIFY`, and, if
//! that was lost, from the events themselves.
//!
//! Three tasks: `send` notifies other processes in batches; `listen` receives their notices; `tail`
//! reads new events and reports the sessions that have some. Only `tail` announces events, and only
//! once they can be read: an older open transaction delays them. It also polls from time to time,
//! because a process can die between its commit and its `NOTIFY`, and it catches up after a lost
//! connection.

mod announcement;
mod listen;
mod send;
mod tail;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use accord_store::{Notice, Notices};
use sqlx::PgPool;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::task::JoinHandle;

pub(crate) use announcement::Announcement;

use crate::connect::Breaks;
use crate::error::DbError;
use crate::events::newest_settled;

/// The channel of `LISTEN` and `NOTIFY`.
const CHANNEL: &str = "accord";

/// A receiver that lags by more gets an error, and polls.
const KEPT_NOTICES: usize = 4096;

/// More than this waits only while the server does not answer; what is dropped then is found by the others' `tail`.
const KEPT_ANNOUNCEMENTS: usize = 4096;

/// How long a look at new events, or telling others, may take: both take milliseconds, but on a line that was cut without a word
/// they would wait forever, without any notification.
const LONGEST_LOOK: Duration = Duration::from_secs(15);

/// Where the writers of a process and its watching tasks meet.
pub(crate) struct Hub {
    notices: broadcast::Sender<Notice>,
    outbox: mpsc::Sender<Announcement>,
    /// There may be new events.
    wake: Notify,
    /// Notices may have been missed: `tail` repeats all that it can see in the events.
    missed: AtomicBool,
    /// Our id, to recognise our own announcements.
    name: String,
    /// Where broken connections are noted.
    pub(crate) breaks: Arc<Breaks>,
}

impl Hub {
    /// Tells everybody what was committed.
    pub(crate) fn announce(&self, announcement: Announcement) {
        if announcement.is_empty() {
            return;
        }
        self.tell(&announcement);
        self.outbox.try_send(announcement).ok();
    }

    /// From now on.
    pub(crate) fn subscribe(&self) -> Notices {
        self.notices.subscribe()
    }

    fn tell(&self, announcement: &Announcement) {
        for notice in announcement.notices() {
            self.send(notice);
        }
        self.wake.notify_one();
    }

    /// No listener is not an error.
    fn send(&self, notice: Notice) {
        self.notices.send(notice).ok();
    }

    fn look_again(&self) {
        self.missed.store(true, Ordering::Release);
        self.wake.notify_one();
    }
}

/// The tasks. They end when this is dropped.
pub(crate) struct Watch {
    tasks: Vec<JoinHandle<()>>,
}

impl Watch {
    /// Starts to watch the database.
    pub(crate) async fn start(pool: &PgPool, breaks: Arc<Breaks>) -> Result<(Arc<Hub>, Self), DbError> {
        let name: String = sqlx::query_scalar("SELECT gen_random_uuid()::text").fetch_one(pool).await?;
        let (outbox, announcements) = mpsc::channel(KEPT_ANNOUNCEMENTS);
        let hub = Arc::new(Hub {
            notices: broadcast::Sender::new(KEPT_NOTICES),
            outbox,
            wake: Notify::new(),
            missed: AtomicBool::new(false),
            name,
            breaks,
        });
        let listener = listen::connect(pool).await?;
        let position = newest_settled(pool).await?;
        let tasks = vec![
            tokio::spawn(send::run(pool.clone(), hub.name.clone(), announcements)),
            tokio::spawn(listen::run(listener, pool.clone(), Arc::clone(&hub))),
            tokio::spawn(tail::run(pool.clone(), Arc::clone(&hub), position)),
        ];
        Ok((hub, Self { tasks }))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
