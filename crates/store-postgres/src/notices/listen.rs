//! Hears what other processes have committed.

use std::sync::Arc;
use std::time::Duration;

use accord_store::StoreError;
use sqlx::postgres::{PgListener, PgNotification};
use sqlx::{Executor, PgPool};
use tokio::time::{sleep, timeout};

use super::{Announcement, CHANNEL, Hub};
use crate::connect::SILENCE;
use crate::error::{DbError, within};

/// After this long without a message the server is pinged: a connection may be cut silently.
const QUIET: Duration = Duration::from_secs(10);

/// Between two tries to reach a server that is gone.
const PAUSE: Duration = Duration::from_millis(250);

/// How long connecting may take.
const CONNECTING: Duration = Duration::from_secs(10);

/// A listener that receives everything from now on.
pub(super) async fn connect(pool: &PgPool) -> Result<PgListener, DbError> {
    let mut listener = PgListener::connect_with(pool).await?;
    // The loss is to be heard of at once, and not only once the server is back.
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// The next notification; `None` if the connection is lost.
async fn next(listener: &mut PgListener) -> Result<Option<PgNotification>, DbError> {
    loop {
        if let Ok(heard) = timeout(QUIET, listener.try_recv()).await {
            return Ok(heard?);
        }
        within(SILENCE, async { Ok(listener.execute("SELECT 1").await?) }).await?;
    }
}

/// Runs until the store is gone.
pub(super) async fn run(listener: PgListener, pool: PgPool, hub: Arc<Hub>) {
    let mut current = Some(listener);
    loop {
        match current.as_mut() {
            Some(listener) => match next(listener).await {
                Ok(Some(notification)) => {
                    if let Some(announcement) = Announcement::heard(notification.payload(), &hub.name) {
                        hub.tell(&announcement);
                    }
                }
                lost => {
                    hub.breaks.note();
                    let cause = lost.err().map(|error| StoreError::from(error).to_string());
                    tracing::warn!(cause, "the notification connection was lost");
                    current = None;
                }
            },
            None => {
                current = within(CONNECTING, connect(&pool)).await.ok();
                if current.is_some() {
                    tracing::info!("the notification connection was restored");
                    hub.look_again();
                } else {
                    sleep(PAUSE).await;
                }
            }
        }
    }
}
