//! Tells other processes what this one has committed.

use sqlx::PgPool;
use tokio::sync::mpsc;

use super::{Announcement, CHANNEL, LONGEST_LOOK};
use crate::error::within;

/// Announcements that are joined into one statement; the next ones are collected while it is
/// executed.
const BATCH: usize = 256;

/// Does not wait for the disk: a notification need not survive a crash.
const NOTIFY: &str = "
WITH setting AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload, setting";

/// Runs until the store is gone.
pub(super) async fn run(pool: PgPool, name: String, mut announcements: mpsc::Receiver<Announcement>) {
    let mut batch = Vec::with_capacity(BATCH);
    while announcements.recv_many(&mut batch, BATCH).await > 0 {
        let mut all = Announcement::default();
        batch.drain(..).for_each(|announcement| all.join(announcement));
        let telling = sqlx::query(NOTIFY).bind(CHANNEL).bind(all.payloads(&name)).execute(&pool);
        if let Err(error) = within(LONGEST_LOOK, async { Ok(telling.await?) }).await {
            tracing::debug!(?error, "other coordinators were not notified; they will poll");
        }
    }
}
