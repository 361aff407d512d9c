//! The `replay` executor: a recorded agent over its recording.
//!
//! The blueprint in the cassette says which executor it was and with what settings. That executor is made over the
//! recording instead of the network and does all the work, so that nothing is tried that a live run would not do. Its
//! tools give what they once gave: see `tools`.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::event::Events;
use crate::llm::Providers;
use crate::session::{Capabilities, Executor, OpenError, Session, TurnError, TurnFailure};
use crate::start::Start;
use crate::toolbox::Toolboxes;
use crate::transport::Transport;
use crate::turn::Turn;

use super::file::CassetteError;
use super::format::{Cassette, Ended};
use super::provider::providers;
use super::tools::ReplayToolboxes;
use super::transport::{Matching, ReplayTransport};

/// The environment of a recorded executor on replay.
pub struct Stage {
    /// Whom it knows: the recorded provider, without its key.
    pub providers: Providers,
    /// How it asks them.
    pub transport: Arc<dyn Transport>,
    /// Its tools, which give what was recorded and run nothing.
    pub toolboxes: Arc<dyn Toolboxes>,
}

/// Makes the executor that was recorded, to work with this and nothing else.
pub type MakeExecutor = Arc<dyn Fn(Stage) -> Arc<dyn Executor> + Send + Sync>;

/// Opens recorded sessions. Each begins at the beginning of its cassette; with exact matching, one that continues a
/// conversation finds its place by what it asks.
pub struct ReplayExecutor {
    make_inner: MakeExecutor,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(rename = "type")]
    _kind: Option<String>,
    cassette: PathBuf,
    #[serde(rename = "match")]
    matching: Option<String>,
}

impl ReplayExecutor {
    /// Replays with the executors that this makes.
    pub fn new(make_inner: MakeExecutor) -> Self {
        Self { make_inner }
    }
}

#[async_trait]
impl Executor for ReplayExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::deserialize(&start.settings).map_err(|error| {
            OpenError::Settings(format!("invalid settings of the replay executor: {error}"))
        })?;
        let matching = matching(settings.matching.as_deref())?;
        let path = inside(&start.project_dir, &settings.cassette)?;
        let cassette = Cassette::load(&path).await.map_err(|error| match error {
            CassetteError::Missing(text) => OpenError::Missing(text),
            CassetteError::Broken(text) => OpenError::Settings(text),
        })?;
        let recorded = recorded_settings(&cassette, &path)?;
        let providers = providers(cassette.fallback_providers.iter().chain(&cassette.provider));
        let mcp_tools = cassette.mcp_tools.clone();
        let transport = Arc::new(ReplayTransport::with_matching(cassette, matching));
        let toolboxes = Arc::new(ReplayToolboxes { tape: Arc::clone(&transport), mcp_tools });
        // A replay costs nothing and starts no servers.
        let (costs_are_limited, mcp_servers) = (false, Vec::new());
        let start = Start { settings: recorded, costs_are_limited, mcp_servers, ..start };
        let stage = Stage { providers, transport: transport.clone(), toolboxes };
        let inner = (self.make_inner)(stage).open(start).await?;
        Ok(Box::new(ReplaySession { inner, tape: transport }))
    }
}

/// The recorded session. If the recorded run was ended, the replay ends in the same way, at once instead of after the
/// recorded time.
struct ReplaySession {
    inner: Box<dyn Session>,
    tape: Arc<ReplayTransport>,
}

#[async_trait]
impl Session for ReplaySession {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let stop = cancel.child_token();
        let mut working = self.inner.turn(turn, events, &stop);
        let ended = tokio::select! {
            biased;
            result = &mut working => return result,
            ended = self.tape.over() => ended,
        };
        stop.cancel();
        let error = match ended {
            Ended::Stopped => TurnError::Stopped,
            Ended::TimedOut { seconds } => TurnError::TimedOut(seconds),
        };
        working.await.map_err(|failure| TurnFailure { error, ..failure })
    }

    fn conversation(&self) -> Option<Value> {
        self.inner.conversation()
    }

    fn switch(&mut self, settings: &Value) -> Result<(), OpenError> {
        self.inner.switch(settings)
    }

    async fn close(self: Box<Self>) {
        self.inner.close().await;
    }
}

/// The path of a cassette, which has to be in the project folder: a user who may store an agent must not read other files
/// with it, neither by a path nor by a link.
fn inside(folder: &Path, cassette: &Path) -> Result<PathBuf, OpenError> {
    let outside = |found: &Path| {
        let found = found.display();
        OpenError::Settings(format!(
            "`cassette` is '{found}': expected a file inside the project folder, relative to it and without '..'"
        ))
    };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !cassette.components().all(is_plain) {
        return Err(outside(cassette));
    }
    let path = folder.join(cassette);
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(found), Ok(folder)) if !found.starts_with(&folder) => Err(outside(&found)),
        // The reader reports a missing file.
        _ => Ok(path),
    }
}

fn matching(word: Option<&str>) -> Result<Matching, OpenError> {
    match word {
        None | Some("exact") => Ok(Matching::Exact),
        Some("order") => Ok(Matching::Order),
        Some(other) => Err(OpenError::Settings(format!("expected `match` exact or order, got '{other}'"))),
    }
}

fn recorded_settings(cassette: &Cassette, path: &Path) -> Result<Value, OpenError> {
    let wrong = |why: &str| {
        let path = path.display();
        OpenError::Settings(format!(
            "the cassette {path} cannot be replayed: {why}; record it again with `accord record`"
        ))
    };
    let settings = cassette.agent.get("executor").filter(|settings| settings.is_object());
    let settings = settings.ok_or_else(|| wrong("its `agent` has no `executor`"))?;
    // A cassette of a cassette would open itself for ever.
    if settings.get("type").and_then(Value::as_str) == Some("replay") {
        return Err(wrong("its agent is itself a replay"));
    }
    Ok(settings.clone())
}
