//! A coordinator that listens.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::background::Background;
use crate::connections;
use crate::http::router;

/// How long requests may take to finish at shutdown. Waiting requests are answered at once; what is left is a response on a
/// slow connection.
const GRACE: Duration = Duration::from_secs(10);

/// How long background work may take to finish: it can be stopped at any time, and waits only for the store.
const BACKGROUND_GRACE: Duration = Duration::from_secs(5);

/// How long clearing the marks of this coordinator may take: one write.
const RELEASE_GRACE: Duration = Duration::from_secs(2);

/// A running coordinator.
#[derive(Debug)]
pub struct Coordinator {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Coordinator {
    /// Serves an application until the token is cancelled.
    pub fn start(app: Arc<App>, listener: TcpListener, shutdown: CancellationToken) -> io::Result<Self> {
        let background = Background::start(&app);
        Self::serve(app, listener, shutdown, background)
    }

    /// The same for a passive coordinator: it answers requests and has no background work.
    pub fn look(app: Arc<App>, listener: TcpListener, shutdown: CancellationToken) -> io::Result<Self> {
        app.instance.be_passive();
        let background = Background::look(&app);
        Self::serve(app, listener, shutdown, background)
    }

    fn serve(
        app: Arc<App>,
        listener: TcpListener,
        shutdown: CancellationToken,
        background: Background,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        app.keys.listens_on(address);
        let task = tokio::spawn(serve(app, listener, shutdown, background));
        Ok(Self { address, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until it has ended, all of it.
    pub async fn ended(self) -> io::Result<()> {
        self.task.await.map_err(|error: JoinError| io::Error::other(error))
    }
}

async fn serve(app: Arc<App>, listener: TcpListener, shutdown: CancellationToken, background: Background) {
    let serving = connections::serve(listener, router(Arc::clone(&app)), app.closing.clone());
    let mut serving = Box::pin(serving);
    let has_ended = tokio::select! {
        () = &mut serving => true,
        () = shutdown.cancelled() => false,
    };
    app.closing.cancel();
    if !has_ended && timeout(GRACE, serving).await.is_err() {
        tracing::warn!("requests were still open when the shutdown timeout expired");
    }
    if timeout(BACKGROUND_GRACE, background.ended()).await.is_err() {
        tracing::warn!("the database does not respond; background work is abandoned");
    }
    if timeout(RELEASE_GRACE, app.quarantine.release_marks()).await.is_err() {
        tracing::warn!(
            "the database does not respond; unfinished work will count as crashed with this coordinator"
        );
    }
}
