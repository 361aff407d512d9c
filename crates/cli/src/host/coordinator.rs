//! A coordinator, from the configuration.

use std::net::SocketAddr;
use std::sync::Arc;

use accord_api::{Role, StoreKind};
use accord_client::{ApiKey, Client};
use accord_coordinator::{App, AppOptions, Coordinator, Settings, System};
use accord_store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::failure::{Failure, Problem};
use crate::store::DatabaseLocation;

/// A running coordinator.
pub(crate) struct Hosted {
    app: Arc<App>,
    coordinator: Coordinator,
}

impl Hosted {
    /// Its address for clients on this machine.
    pub(crate) fn url(&self) -> String {
        url(self.coordinator.address())
    }

    /// Which coordinator it is.
    pub(crate) fn instance(&self) -> &str {
        self.app.instance()
    }

    /// A client inside this process with its own key, so that it works even if keys are required.
    pub(crate) fn client(&self, role: Role) -> Result<Client, Failure> {
        let key = self.app.local_key(role).map_err(|error| Problem::new(error.to_string()))?;
        Ok(Client::new(&self.url(), Some(&ApiKey::new(key)))?)
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(self) {
        if let Err(error) = self.coordinator.ended().await {
            tracing::error!(%error, "the coordinator stopped with an error");
        }
    }
}

/// The purpose of a coordinator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Duty {
    /// All work on its store.
    All,
    /// The same, but what it is asked for goes to the runner with this tag.
    Command {
        /// The tag that only this command's runner has.
        tag: String,
    },
    /// Only answers requests: reading must not change anything, neither pending runs nor lost ones.
    Look,
}

/// Starts a coordinator that listens at `listen`.
pub(crate) async fn coordinator(
    config: &Config,
    store: Arc<dyn Store>,
    listen: &str,
    duty: Duty,
    shutdown: CancellationToken,
) -> Result<Hosted, Failure> {
    let problem = |error: std::io::Error| cannot_listen(listen, &error);
    let listener = TcpListener::bind(listen).await.map_err(problem)?;
    let address = listener.local_addr().map_err(problem)?;
    let keys = store.keys().await.map_err(|error| Problem::new(error.to_string()))?;
    accord_coordinator::refuse_open_bind(address, !keys.is_empty()).map_err(Problem::new)?;
    if duty != Duty::Look {
        super::orphaned_runs::fail(store.as_ref(), config.values.queue.lease_seconds).await;
    }
    let start = if duty == Duty::Look { Coordinator::look } else { Coordinator::start };
    let runner_tag = match duty {
        Duty::Command { tag } => Some(tag),
        Duty::All | Duty::Look => None,
    };
    let options = AppOptions { embedder: super::embeddings::embedder(config)?, runner_tag };
    let app = Arc::new(App::with_options(store, Arc::new(System), settings(config), options));
    app.serves_mcp(super::mcp::guest(url(address))?);
    let coordinator = start(Arc::clone(&app), listener, shutdown).map_err(problem)?;
    Ok(Hosted { app, coordinator })
}

/// Why the coordinator cannot listen at an address.
pub(super) fn cannot_listen(listen: &str, error: &std::io::Error) -> Problem {
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "is another accord running there? Choose another address with --listen, for example 127.0.0.1:0"
        }
        _ => "expected HOST:PORT, for example 127.0.0.1:8765 (port 0 picks a free port)",
    };
    Problem::new(format!("cannot listen on {listen}: {error}")).hint(hint)
}

fn settings(config: &Config) -> Settings {
    let values = &config.values;
    Settings {
        agents_dir: config.file_agents(),
        workflows_dir: config.file_workflows(),
        providers: config.provider_names(),
        tiers: values.tiers.clone(),
        store: kind(config),
        request_limit_bytes: usize::try_from(values.server.request_limit_bytes).unwrap_or(usize::MAX),
        queue: values.queue,
        front: values.front,
        enforcement: values.enforcement,
        ..Settings::default()
    }
}

/// What kind of store the configuration names; one that it does not name well was refused before.
fn kind(config: &Config) -> StoreKind {
    match crate::store::place(config) {
        Ok(DatabaseLocation::Server(_)) => StoreKind::Postgres,
        Ok(DatabaseLocation::Memory) => StoreKind::Memory,
        Ok(DatabaseLocation::File(_)) | Err(_) => StoreKind::Sqlite,
    }
}

/// An address for clients on this machine.
fn url(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}")
}
