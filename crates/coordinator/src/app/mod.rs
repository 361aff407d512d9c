//! The use cases. Each is a method of [`App`], in the file of its subject; nothing here knows of HTTP.

mod acting;
pub(crate) mod agents;
mod audit;
mod beginning;
mod callbacks;
mod catalog;
mod claims;
mod config;
mod contracts;
mod definitions;
mod endpoints;
mod events;
mod guest;
mod handed;
mod keys;
mod labels;
mod page;
mod presence;
mod promise;
pub(crate) mod quarantine;
mod readiness;
mod recent;
mod reports;
mod runners;
mod runs;
mod schemas;
mod sessions;
mod stats;
mod tiers;
mod upkeep;
mod workflows;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use accord_blueprint::Workflows;
use accord_store::Store;
use tokio_util::sync::CancellationToken;

pub(crate) use acting::Acting;
use catalog::AgentState;
pub(crate) use catalog::{Agent, Catalog};
pub(crate) use claims::LONGEST_CLAIM_SECONDS;
pub(crate) use definitions::{Definitions, Expected, Made, watch};
pub(crate) use events::{EVENT_KINDS, Followed, Follower, Following, event_json};
pub use guest::{Guest, GuestAnswer, GuestBody};
pub(crate) use keys::{Caller, Denial, FRESH, Keys, Refusal};
pub use keys::{new_key, refuse_open_bind};
pub(crate) use page::HIGHEST_LIMIT;
pub(crate) use promise::Promise;
pub(crate) use runners::LONGEST_HEARTBEAT_SECONDS;
pub(crate) use runs::{HIGHEST_PRIORITY, LONGEST_WAIT_SECONDS, check_wait};

use crate::hub::Hub;
use crate::outside::{Embedder, Outside};
use crate::outstanding::Outstanding;
use crate::settings::Settings;
use contracts::Contracts;
use handed::Handed;
use presence::Presence;
use quarantine::Quarantine;
use readiness::Readiness;
use runners::Runners;
use workflows::WorkflowState;

/// What the use cases work with.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) workflows: Definitions<Workflows>,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) settings: Settings,
    pub(crate) keys: Keys,
    pub(crate) hub: Hub,
    pub(crate) contracts: Contracts,
    handed: Handed,
    quarantine: Quarantine,
    /// What was answered and is not read yet.
    pub(crate) outstanding: Outstanding,
    readiness: Readiness,
    pub(crate) runners: Runners,
    pub(crate) presence: Presence,
    /// Held while figures are counted.
    counting: Arc<tokio::sync::Mutex<()>>,
    /// Who answers at `/mcp`.
    pub(crate) mcp: OnceLock<Guest>,
    /// What makes vectors of texts, where an embedding model is configured.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// The tag of the runner that everything goes to which is started here, where this is there for one runner alone.
    own_tag: Option<String>,
    /// Whether this only answers: nothing goes on by itself, so what is asked has to be done at once.
    is_passive: AtomicBool,
    /// Cancelled when the server is about to end: whoever waits answers with what there is.
    pub(crate) closing: CancellationToken,
    instance: OnceLock<String>,
}

impl App {
    /// An application on a store.
    pub fn new(store: Arc<dyn Store>, outside: Arc<dyn Outside>, settings: Settings) -> Self {
        let agents = AgentState::new(settings.providers.clone());
        let catalog = Catalog::new(Arc::clone(&store), settings.agents_dir.clone(), agents);
        let workflows =
            Definitions::new(Arc::clone(&store), settings.workflows_dir.clone(), WorkflowState::default());
        let keys = Keys::new(Arc::clone(&store), Arc::clone(&outside));
        let presence = Presence::new(outside.now());
        let quarantine = Quarantine::new(outside.now());
        Self {
            store,
            catalog,
            workflows,
            outside,
            settings,
            keys,
            hub: Hub::default(),
            contracts: Contracts::default(),
            handed: Handed::default(),
            quarantine,
            is_passive: AtomicBool::new(false),
            outstanding: Outstanding::default(),
            readiness: Readiness::default(),
            runners: Runners::default(),
            presence,
            counting: Arc::default(),
            mcp: OnceLock::new(),
            embedder: None,
            own_tag: None,
            closing: CancellationToken::new(),
            instance: OnceLock::new(),
        }
    }

    /// The same application, which compares siblings by vectors of their texts.
    #[must_use]
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder: Some(embedder), ..self }
    }

    /// The same application, for the runner with this tag: what is started here demands it.
    #[must_use]
    pub fn for_runner(self, tag: String) -> Self {
        Self { own_tag: Some(tag), ..self }
    }

    /// From now on this only answers.
    pub(crate) fn be_passive(&self) {
        self.is_passive.store(true, Ordering::Relaxed);
    }

    fn is_passive(&self) -> bool {
        self.is_passive.load(Ordering::Relaxed)
    }

    /// Which server this is: another text at each start.
    pub fn instance(&self) -> &str {
        self.instance.get_or_init(|| self.outside.unique())
    }
}
