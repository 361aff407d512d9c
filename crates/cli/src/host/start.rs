//! Finds problems that would prevent a process from starting, without starting one.

use tokio::net::TcpListener;

use super::telemetry::Telemetry;
use super::{embeddings, executors, log, runner};
use crate::config::Config;
use crate::failure::{Failure, Problem};

/// Everything that `accord up` would refuse in these settings, but for the store and for an address that is taken.
pub(crate) async fn refusals(config: &Config) -> Vec<Problem> {
    let looks: [Result<(), Failure>; 6] = [
        log::examine(config).map_err(Failure::from),
        Telemetry::examine(config).map_err(Failure::from),
        embeddings::embedder(config).map(drop),
        executors(config).map(drop),
        runner::folder(config).map(drop),
        listen(&config.values.server.listen).await.map_err(Failure::from),
    ];
    looks.into_iter().filter_map(Result::err).filter_map(Failure::into_problem).collect()
}

/// Listens for a moment.
async fn listen(address: &str) -> Result<(), Problem> {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() != std::io::ErrorKind::AddrInUse => {
            Err(super::coordinator::cannot_listen(address, &error))
        }
        _ => Ok(()),
    }
}
