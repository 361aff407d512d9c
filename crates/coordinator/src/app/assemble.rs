//! Makes the services of a coordinator from each other.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use accord_domain::key::Role;
use accord_store::{EventStore, Store};
use tokio_util::sync::CancellationToken;

use super::assignments::RecentAssignments;
use super::audit::Audit;
use super::blueprints::Blueprints;
use super::callbacks::Callbacks;
use super::catalog::{AgentState, Catalog};
use super::contracts::Contracts;
use super::definitions::Definitions;
use super::endpoints::Endpoints;
use super::events::Events;
use super::inputs::Inputs;
use super::instance::Instance;
use super::keys::Keys;
use super::lineage::Lineage;
use super::mcp::Guest;
use super::presence::Presence;
use super::quarantine::Quarantine;
use super::recent::{IN_USE, Recent};
use super::runners::{RunnerCache, Runners};
use super::runs::Runs;
use super::schemas::Schemas;
use super::server::Server;
use super::sessions::Sessions;
use super::stats::Stats;
use super::upkeep::Upkeep;
use super::workflows::WorkflowRuns;
use crate::bodies::Bodies;
use crate::error::Error;
use crate::hub::Hub;
use crate::outside::{Embedder, Outside};
use crate::outstanding::Outstanding;
use crate::settings::Settings;

/// The services of a coordinator.
pub struct App {
    pub(crate) audit: Arc<Audit>,
    pub(crate) blueprints: Arc<Blueprints>,
    pub(crate) callbacks: Callbacks,
    pub(crate) endpoints: Endpoints,
    pub(crate) events: Arc<Events>,
    pub(crate) inputs: Inputs,
    pub(crate) instance: Arc<Instance>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) lineage: Arc<Lineage>,
    pub(crate) quarantine: Arc<Quarantine>,
    pub(crate) runners: Arc<Runners>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) schemas: Schemas,
    pub(crate) server: Server,
    pub(crate) sessions: Sessions,
    pub(crate) stats: Stats,
    pub(crate) upkeep: Upkeep,
    pub(crate) workflow_runs: WorkflowRuns,
    pub(crate) event_store: Arc<dyn EventStore>,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) outstanding: Outstanding,
    pub(crate) bodies: Bodies,
    /// Cancelled when the server is about to end: requests that wait are answered with what there is.
    pub(crate) closing: CancellationToken,
    pub(crate) mcp: OnceLock<Guest>,
}

/// Optional parts of a coordinator, besides store and settings.
#[derive(Default)]
pub struct AppOptions {
    /// Makes vectors of texts, to compare the outputs that feed one node.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The tag of the only runner that this coordinator starts work for: each run demands it.
    pub runner_tag: Option<String>,
}

impl App {
    /// The services over a store.
    pub fn new(store: Arc<dyn Store>, outside: Arc<dyn Outside>, settings: Settings) -> Self {
        Self::with_options(store, outside, settings, AppOptions::default())
    }

    /// The same with options.
    pub fn with_options(
        store: Arc<dyn Store>,
        outside: Arc<dyn Outside>,
        settings: Settings,
        options: AppOptions,
    ) -> Self {
        let AppOptions { embedder, runner_tag } = options;
        let settings = Arc::new(settings);
        let hub = Arc::new(Hub::default());
        let outstanding = Outstanding::default();
        let closing = CancellationToken::new();
        let instance = Arc::new(Instance::new(outside.clone(), runner_tag));
        let keys = Arc::new(Keys::new(store.clone(), outside.clone()));
        let audit = Arc::new(Audit { store: store.clone(), outside: outside.clone() });
        let contracts = Arc::new(Contracts::new(store.clone(), settings.enforcement));
        let lineage = Arc::new(Lineage {
            runs: store.clone(),
            sessions: store.clone(),
            workflow_runs: store.clone(),
            instance: instance.clone(),
        });
        let blueprints = Arc::new(Blueprints {
            catalog: Catalog::new(
                store.clone(),
                settings.agents_dir.clone(),
                AgentState::new(settings.providers.clone()),
            ),
            workflows: Definitions::new(store.clone(), settings.workflows_dir.clone(), ()),
            store: store.clone(),
            outside: outside.clone(),
            settings: settings.clone(),
            audit: audit.clone(),
            instance: instance.clone(),
        });
        let quarantine =
            Arc::new(Quarantine::new(store.clone(), outside.clone(), hub.clone(), instance.clone()));
        let assignments = Arc::new(RecentAssignments::default());
        let presence = Arc::new(Presence::new(outside.now()));
        let runners = Arc::new(Runners {
            store: store.clone(),
            outside: outside.clone(),
            settings: settings.clone(),
            hub: hub.clone(),
            closing: closing.clone(),
            keys: keys.clone(),
            contracts: contracts.clone(),
            assignments: assignments.clone(),
            presence: presence.clone(),
            cache: RunnerCache::default(),
        });
        let runs = Arc::new(Runs {
            store: store.clone(),
            outside: outside.clone(),
            settings: settings.clone(),
            hub: hub.clone(),
            closing: closing.clone(),
            outstanding: outstanding.clone(),
            instance: instance.clone(),
            blueprints: blueprints.clone(),
            contracts: contracts.clone(),
            lineage: lineage.clone(),
            runners: runners.clone(),
            assignments,
            quarantine: quarantine.clone(),
        });
        Self {
            callbacks: Callbacks {
                store: store.clone(),
                outside: outside.clone(),
                quarantine: quarantine.clone(),
                runs: runs.clone(),
            },
            endpoints: Endpoints { facts: store.clone(), outside: outside.clone() },
            events: Arc::new(Events {
                events: store.clone(),
                sessions: store.clone(),
                hub: hub.clone(),
                outstanding: outstanding.clone(),
                closing: closing.clone(),
            }),
            inputs: Inputs {
                store: store.clone(),
                outside: outside.clone(),
                hub: hub.clone(),
                contracts: contracts.clone(),
            },
            schemas: Schemas {
                store: store.clone(),
                outside: outside.clone(),
                blueprints: blueprints.clone(),
            },
            server: Server {
                upkeep: store.clone(),
                quarantine: store.clone(),
                settings: settings.clone(),
                instance: instance.clone(),
                keys: keys.clone(),
                has_embedder: embedder.is_some(),
                last_ready: tokio::sync::Mutex::default(),
            },
            sessions: Sessions {
                sessions: store.clone(),
                run_reader: store.clone(),
                callbacks: store.clone(),
                lineage: lineage.clone(),
                runs: runs.clone(),
            },
            stats: Stats {
                stats: store.clone(),
                upkeep: store.clone(),
                outside: outside.clone(),
                counting: Arc::default(),
            },
            upkeep: Upkeep {
                store: store.clone(),
                outside: outside.clone(),
                settings: settings.clone(),
                instance: instance.clone(),
                runners: runners.clone(),
                audit: audit.clone(),
                presence,
            },
            workflow_runs: WorkflowRuns {
                store: store.clone(),
                outside: outside.clone(),
                settings: settings.clone(),
                hub: hub.clone(),
                closing: closing.clone(),
                outstanding: outstanding.clone(),
                instance: instance.clone(),
                embedder,
                blueprints: blueprints.clone(),
                contracts,
                lineage: lineage.clone(),
                quarantine: quarantine.clone(),
                runs: runs.clone(),
                flows: Recent::new(IN_USE),
            },
            event_store: store,
            audit,
            blueprints,
            instance,
            keys,
            lineage,
            quarantine,
            runners,
            runs,
            outside,
            settings,
            hub,
            outstanding,
            bodies: Bodies::default(),
            closing,
            mcp: OnceLock::new(),
        }
    }

    /// The id of this coordinator: another one at each start.
    pub fn instance(&self) -> &str {
        self.instance.id()
    }

    /// Says where the server listens: if others can reach it, a key is always needed.
    pub fn listens_on(&self, address: SocketAddr) {
        self.keys.listens_on(address);
    }

    /// Makes a key that only this process knows, for a runner or a command that shares it with the coordinator.
    pub fn local_key(&self, role: Role) -> Result<String, Error> {
        self.keys.local_key(role)
    }

    /// Lets a guest answer at `/mcp`. The first one stays.
    pub fn serves_mcp(&self, guest: Guest) {
        let _ = self.mcp.set(guest);
    }
}
