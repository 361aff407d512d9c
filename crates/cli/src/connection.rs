//! The way to a coordinator: one that runs, or one of the command's own.
//!
//! A configured address (`--coordinator`, `runner.coordinator`) comes first, then the one that `accord up` has left
//! in `.accord/coordinator.json`, if that one answers there. A command that can do its work alone starts its own where none is found:
//! what was kept can be looked at with nothing running.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use accord_api::Role;
use accord_client::{ApiKey, Client};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::config::{Config, FOLDER, Flag, Origin};
use crate::failure::{Failure, Problem};
use crate::host::{self, Duty, Hosted};
use crate::project::ProjectArguments;
use crate::store;

/// Which coordinator to talk to
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ConnectionArguments {
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    /// Coordinator URL [default: the one that runs for this project]
    #[arg(long, value_name = "URL")]
    pub(crate) coordinator: Option<String>,
    /// File with the API key [default: ACCORD_KEY, or runner.key_file of the configuration]
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    pub(crate) key_file: Option<PathBuf>,
    /// API key; other users of this machine can see it, so prefer --key-file or ACCORD_KEY
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
}

impl ConnectionArguments {
    /// The configuration of the project, with these flags.
    pub(crate) fn config(&self, mut flags: Vec<Flag>) -> Result<Config, Problem> {
        let mut flag = |key, name, value: &Option<String>| {
            if let Some(value) = value {
                flags.push(Flag { key, name, value: toml::Value::String(value.clone()) });
            }
        };
        flag("runner.coordinator", "--coordinator", &self.coordinator);
        flag("runner.key", "--key", &self.key);
        // Relative to where the command is called, not to the project.
        let key_file = self.key_file.as_ref().map(|file| absolute(file)).transpose()?;
        flag("runner.key_file", "--key-file", &key_file);
        Config::load(&self.project.find()?, flags)
    }

    /// A client of the coordinator that runs, or what to do where none does.
    pub(crate) async fn client(&self) -> Result<Client, Failure> {
        let config = self.config(Vec::new())?;
        match running(&config).await? {
            Some(client) => Ok(client),
            None => Err(none_runs().into()),
        }
    }

    /// The coordinator that runs, or one of the command's own.
    pub(crate) async fn reach(&self, access: Access) -> Result<Reached, Failure> {
        reach(&self.config(Vec::new())?, access).await
    }
}

fn absolute(file: &Path) -> Result<String, Problem> {
    let path = std::path::absolute(file)
        .map_err(|error| Problem::new(format!("--key-file {}: {error}", file.display())))?;
    path.into_os_string().into_string().map_err(|_| Problem::new("--key-file: the path is not valid UTF-8"))
}

/// The problem if a coordinator has to be running.
pub(crate) fn none_runs() -> Problem {
    Problem::new("no coordinator is running for this project")
        .hint("start one with `accord up`, or pass --coordinator URL")
}

/// How a command uses the project's database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Looks at it, ends something, or takes something out. A project that keeps nothing yet stays as it is.
    Look,
    /// Puts something in.
    Change,
}

/// A coordinator that answers, for as long as this is kept.
pub(crate) struct Reached {
    client: Client,
    own: Option<(Hosted, DropGuard)>,
}

impl Reached {
    /// Whether it is the command's own, which has no runners.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }
}

impl Deref for Reached {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// The coordinator that runs for a project, or one of the command's own on the project's store. That one has no runner, and
/// does nothing but what the command asks for: work is left as it is.
pub(crate) async fn reach(config: &Config, access: Access) -> Result<Reached, Failure> {
    if let Some(client) = running(config).await? {
        return Ok(Reached { client, own: None });
    }
    let store = match access {
        Access::Look => store::store_as_it_is(config).await?,
        Access::Change => store::local_store(config).await?,
    };
    let serving = CancellationToken::new();
    let hosted = host::coordinator(config, store, host::ANY_PORT, Duty::Look, serving.clone()).await?;
    Ok(Reached { client: hosted.client(Role::Admin)?, own: Some((hosted, serving.drop_guard())) })
}

/// A client of the coordinator that runs for a project, where there is one.
pub(crate) async fn running(config: &Config) -> Result<Option<Client>, Failure> {
    if config.origin("runner.coordinator") != Origin::Default {
        return client(&config.values.runner.coordinator, config).map(|client| Some(in_trace(&client)));
    }
    Ok(left(config).await?.map(|(_, client)| in_trace(&client)))
}

/// The client of a command that may be a part of a traced program: what it starts belongs to the trace of that one.
pub(crate) fn in_trace(client: &Client) -> Client {
    client.in_trace(std::env::var(accord_trace::VARIABLE).ok().as_deref())
}

/// The address that a coordinator has left, and a client of it, if that one answers there.
async fn left(config: &Config) -> Result<Option<(Address, Client)>, Failure> {
    let Some(address) = Address::read(&config.project) else { return Ok(None) };
    let client = client(&address.url, config)?;
    // If ours was killed, its file is still there, and another project's coordinator may have the port now.
    let same = client.health().await.is_ok_and(|health| health.instance == address.instance);
    Ok(same.then_some((address, client)))
}

/// How long to wait for a coordinator that is only reported: nothing else depends on it.
const TELLING: Duration = Duration::from_secs(2);

/// Says so where another coordinator runs for the project: a SQLite file is for one.
pub(crate) async fn tell_of_another(config: &Config) {
    if !matches!(store::place(config), Ok(store::DatabaseLocation::File(_))) {
        return;
    }
    if let Ok(Ok(Some((address, _)))) = timeout(TELLING, left(config)).await {
        tracing::warn!(
            url = address.url,
            pid = address.pid,
            "another coordinator is already running for this project: stop one of them; SQLite supports a single \
             coordinator, and each of two sees the changes of the other with a delay of seconds"
        );
    }
}

/// A client for an address, with the configured key.
pub(crate) fn client(url: &str, config: &Config) -> Result<Client, Failure> {
    let key = config.key()?.map(ApiKey::new);
    Ok(Client::new(url, key.as_ref())?)
}

/// The address of a coordinator, stored for other commands of the same project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    /// Its address.
    pub(crate) url: String,
    /// Its process.
    pub(crate) pid: u32,
    /// Its instance id in `/health`.
    #[serde(default)]
    pub(crate) instance: String,
}

impl Address {
    fn path(project: &Path) -> PathBuf {
        project.join(FOLDER).join("coordinator.json")
    }

    fn read(project: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(Self::path(project)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Leaves the address; it is taken away when the guard is dropped.
    pub(crate) fn leave(self, project: &Path) -> Result<AddressGuard, Problem> {
        let path = Self::path(project);
        let before = Self::read(project);
        std::fs::create_dir_all(project.join(FOLDER))
            .and_then(|()| self.write(&path))
            .map_err(|error| Problem::new(format!("cannot write {}: {error}", path.display())))?;
        Ok(AddressGuard { path, address: self, before })
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, serde_json::to_vec(self)?)
    }

    /// Whether its process exists. The caller checks that it is a coordinator.
    fn lives(&self) -> bool {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM)))
    }
}

/// Removes the address again, unless another process has written its own meanwhile. If there was a coordinator before,
/// and it still runs, its address is restored.
#[derive(Debug)]
pub(crate) struct AddressGuard {
    path: PathBuf,
    address: Address,
    before: Option<Address>,
}

impl Drop for AddressGuard {
    fn drop(&mut self) {
        let ours = std::fs::read_to_string(&self.path)
            .ok()
            .and_then(|text| serde_json::from_str::<Address>(&text).ok())
            .is_some_and(|address| address == self.address);
        // A leftover file names an address that does not answer, and is ignored.
        let _ = match &self.before {
            _ if !ours => Ok(()),
            Some(before) if before.lives() => before.write(&self.path),
            _ => std::fs::remove_file(&self.path),
        };
    }
}
