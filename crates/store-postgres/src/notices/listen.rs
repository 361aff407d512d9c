//! Hears what other processes have committed.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::time::sleep;

use super::{Announcement, CHANNEL, Hub};
use crate::fault::Fault;

/// Between two tries to reach a server that is gone.
const PAUSE: Duration = Duration::from_millis(250);

/// A listener that hears everything from now on.
pub(super) async fn connect(pool: &PgPool) -> Result<PgListener, Fault> {
    let mut listener = PgListener::connect_with(pool).await?;
    // The loss is to be heard of at once, and not only once the server is back.
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

/// Runs until the store is gone.
pub(super) async fn run(listener: PgListener, pool: PgPool, hub: Arc<Hub>) {
    let mut current = Some(listener);
    loop {
        match current.as_mut() {
            Some(listener) => match listener.try_recv().await {
                Ok(Some(notification)) => {
                    if let Some(announcement) = Announcement::heard(notification.payload(), &hub.name) {
                        hub.tell(&announcement);
                    }
                }
                lost => {
                    hub.breaks.note();
                    tracing::warn!(error = ?lost.err(), "the connection for notices is lost");
                    current = None;
                }
            },
            None => {
                current = connect(&pool).await.ok();
                if current.is_some() {
                    tracing::info!("the connection for notices is back");
                    hub.look_again();
                } else {
                    sleep(PAUSE).await;
                }
            }
        }
    }
}
