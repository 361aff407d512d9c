//! The agents that can be used now, from files and from the store, compiled.
//!
//! Files are read at the start and whenever they change; those of an agent that is asked for are looked at first. Stored
//! agents are read each time, because another coordinator may have changed them; what was made of a document is kept by
//! its hash. On the same name a file wins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use accord_api::ErrorName;
use accord_contract::{Invariants, Schema};
use accord_domain::agent::Blueprint;
use accord_store::{Defined, DocumentRecord, Store};
use serde_json::{Value, json};

use super::agents::{self, Declared, Examined, FileAgent, Files, Sound};
use super::definition::first_error;
use super::file_changes::KnownFiles;
use super::found::{Found, Hides};
use super::recent::{IN_USE, Recent};
use crate::error::Error;
use crate::work::heavy;

/// No agent has a longer name.
const SHOWN: usize = 64;

/// An agent that passed all checks, with its contracts compiled.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The blueprint.
    pub(crate) blueprint: Blueprint,
    /// The blueprint as JSON text: what runners are handed.
    pub(crate) document: String,
    /// A hash of the document.
    pub(crate) hash: String,
    /// `parameters_schema`, compiled.
    pub(crate) parameters: Option<Schema>,
    /// `output_schema`, compiled.
    pub(crate) output: Option<Schema>,
    /// `default_output_schema`, compiled.
    pub(crate) default_output: Option<Schema>,
    /// `invariants`, compiled.
    pub(crate) invariants: Invariants,
}

impl Agent {
    /// The name under which its output schema is registered, where it refers to one.
    pub(crate) fn output_name(&self) -> Option<&str> {
        self.blueprint.output_schema.as_ref().and_then(Value::as_str)
    }

    /// The name under which its default output schema is registered, where it refers to one.
    pub(crate) fn default_output_name(&self) -> Option<&str> {
        self.blueprint.default_output_schema.as_ref().and_then(Value::as_str)
    }
}

/// The agents.
pub(crate) struct Catalog {
    store: Arc<dyn Store>,
    folder: Option<PathBuf>,
    /// The providers that are configured.
    pub(super) providers: Vec<String>,
    files: RwLock<Arc<Files>>,
    examined: Recent<Arc<Examined>>,
    agents: Recent<Arc<Agent>>,
    schemas: Recent<Schema>,
    /// Held while an agent's file is compared and written.
    pub(super) writing: tokio::sync::Mutex<()>,
    /// Held while an agent that was asked for is read again: many may ask for it at once.
    pub(super) reading: tokio::sync::Mutex<()>,
    /// What the audit log knows of the files.
    pub(super) known_files: KnownFiles,
}

impl Catalog {
    /// The agents of a folder, which are read now, and of a store.
    pub(crate) fn new(store: Arc<dyn Store>, folder: Option<PathBuf>, providers: Vec<String>) -> Self {
        let files = folder.as_deref().map(agents::load).unwrap_or_default();
        let known_files = KnownFiles::new(hashes(&files));
        Self {
            store,
            folder,
            providers,
            files: RwLock::new(Arc::new(files)),
            examined: Recent::new(IN_USE),
            agents: Recent::new(IN_USE),
            schemas: Recent::new(IN_USE),
            writing: tokio::sync::Mutex::new(()),
            reading: tokio::sync::Mutex::new(()),
            known_files,
        }
    }

    /// The folder of agents.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Reads the files again. Who asks meanwhile gets all of the old or all of the new.
    pub(crate) async fn reload(&self) {
        let Some(folder) = self.folder.clone() else { return };
        let loaded = tokio::task::spawn_blocking(move || agents::load(&folder)).await;
        if let Ok(files) = loaded {
            *self.files.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
        }
    }

    /// The agents in files, as they are now.
    pub(super) fn files(&self) -> Arc<Files> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The hashes of the agents in files.
    pub(super) fn hashes(&self) -> BTreeMap<String, String> {
        hashes(&self.files())
    }

    /// Puts what was read of one agent's files in its place; nothing, where they are gone.
    pub(super) fn put_file(&self, name: &str, agent: Option<Arc<FileAgent>>) {
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let agents = &mut Arc::make_mut(&mut files).agents;
        match agent {
            Some(agent) => agents.insert(name.to_owned(), agent),
            None => agents.remove(name),
        };
    }

    /// The agent of this name, ready for use: `AgentNotFound` where there is none, `AgentBroken` with its problems
    /// where it has mistakes, `SchemaNotFound` where it refers to a schema that is not registered.
    pub(crate) async fn usable(&self, name: &str) -> Result<Arc<Agent>, Error> {
        let found = self.found(name).await?;
        let Some(sound) = found.sound() else {
            let problems = found.problems();
            let message = format!("agent '{name}' is invalid: {}", first_error(problems));
            let details = json!({"problems": problems});
            return Err(Error::new(ErrorName::AgentBroken, message).with_details(details));
        };
        self.compiled(name, sound, found.document(), found.hash()).await
    }

    /// An agent that stands in a workflow, ready for use.
    pub(crate) async fn inline(&self, value: Value) -> Result<Arc<Agent>, Error> {
        let examined = self.examined_inline(value).await;
        let document = examined.document();
        let Some(sound) = &examined.sound else {
            let details = json!({"problems": examined.problems});
            let message =
                format!("the agent defined in the workflow is invalid: {}", first_error(&examined.problems));
            return Err(Error::new(ErrorName::AgentBroken, message).with_details(details));
        };
        let hash = agents::hash_of(&document);
        self.compiled(&sound.blueprint.name, sound, &document, &hash).await
    }

    /// What came out of an agent that stands in a workflow. It is kept: a workflow is looked at often.
    pub(crate) async fn examined_inline(&self, value: Value) -> Arc<Examined> {
        let hash = agents::hash_of(&value.to_string());
        if let Some(examined) = self.examined.get(&hash) {
            return examined;
        }
        let examined = Arc::new(examined(value).await);
        self.examined.put(&hash, Arc::clone(&examined));
        examined
    }

    async fn compiled(
        &self,
        name: &str,
        sound: &Sound,
        document: &str,
        hash: &str,
    ) -> Result<Arc<Agent>, Error> {
        let output = self.resolved(name, sound.contracts.output.as_ref()).await?;
        let default_output = self.resolved(name, sound.contracts.default_output.as_ref()).await?;
        let hash_of = |schema: &Option<Schema>| schema.as_ref().map(|schema| schema.hash().to_owned());
        let key = format!("{hash} {:?} {:?}", hash_of(&output), hash_of(&default_output));
        if let Some(agent) = self.agents.get(&key) {
            return Ok(agent);
        }
        let agent = Arc::new(Agent {
            blueprint: sound.blueprint.clone(),
            document: document.to_owned(),
            hash: hash.to_owned(),
            parameters: sound.contracts.parameters.clone(),
            output,
            default_output,
            invariants: sound.contracts.invariants.clone(),
        });
        self.agents.put(&key, Arc::clone(&agent));
        Ok(agent)
    }

    /// The registered schema of this name, compiled.
    pub(crate) async fn registered(&self, name: &str) -> Result<Option<Schema>, Error> {
        let Some(record) = self.store.schema(name).await? else { return Ok(None) };
        if let Some(schema) = self.schemas.get(&record.hash) {
            return Ok(Some(schema));
        }
        let unreadable = |reason: String| Error::internal(format!("the stored schema '{name}': {reason}"));
        let value: Value =
            serde_json::from_str(&record.document).map_err(|error| unreadable(error.to_string()))?;
        // What an earlier version took may be refused by this one.
        let schema = Schema::compile(&value).map_err(|error| {
            let message =
                format!("the registered schema '{name}' cannot be enforced: {error}; register it again");
            Error::new(ErrorName::InvalidSchema, message)
        })?;
        self.schemas.put(&record.hash, schema.clone());
        Ok(Some(schema))
    }

    async fn resolved(&self, agent: &str, declared: Option<&Declared>) -> Result<Option<Schema>, Error> {
        match declared {
            None => Ok(None),
            Some(Declared::Inline(schema)) => Ok(Some(schema.clone())),
            Some(Declared::Named(name)) => match self.registered(name).await? {
                Some(schema) => Ok(Some(schema)),
                None => {
                    let message = format!(
                        "agent '{agent}' refers to the schema '{name}', which is not registered; register it first"
                    );
                    Err(Error::new(ErrorName::SchemaNotFound, message))
                }
            },
        }
    }

    /// The agent of this name, sound or not.
    pub(super) async fn found(&self, name: &str) -> Result<Found, Error> {
        if let Some(agent) = self.in_file(name).await {
            return Ok(Found::File(agent));
        }
        match self.store.definition(Defined::Agent, name).await? {
            Some(record) => Ok(self.stored(record).await),
            None => {
                let files = self.files();
                let records = self.store.definitions(Defined::Agent).await?;
                let stored = records.iter().map(|record| record.name.as_str());
                let known = files.agents.keys().map(String::as_str).chain(stored);
                let hint = match (&files.unreadable, agents::name::nearest(name, known)) {
                    (Some(unreadable), _) => format!("; {unreadable}"),
                    (None, Some(meant)) => format!("; did you mean '{meant}'?"),
                    (None, None) => String::new(),
                };
                let shown: String = name.chars().take(SHOWN).collect();
                let message = format!("agent '{shown}' not found{hint}");
                Err(Error::new(ErrorName::AgentNotFound, message))
            }
        }
    }

    /// All agents, by name, each with whether a stored one is hidden behind it.
    pub(super) async fn all(&self) -> Result<Vec<(Found, Hides)>, Error> {
        let files = self.files();
        let records = self.store.definitions(Defined::Agent).await?;
        let mut all = Vec::new();
        for agent in files.agents.values() {
            let hides = records.iter().any(|record| record.name == agent.name);
            let hides = if hides { Hides::Stored } else { Hides::Nothing };
            all.push((Found::File(Arc::clone(agent)), hides));
        }
        for record in records.into_iter().filter(|record| !files.agents.contains_key(&record.name)) {
            all.push((self.stored(record).await, Hides::Nothing));
        }
        all.sort_by(|(left, _), (right, _)| left.name().cmp(right.name()));
        Ok(all)
    }

    /// Whether a file hides a stored agent.
    pub(super) async fn hides(&self, found: &Found) -> Result<Hides, Error> {
        match found {
            Found::Stored(..) => Ok(Hides::Nothing),
            Found::File(agent) => match self.store.definition(Defined::Agent, &agent.name).await? {
                Some(_) => Ok(Hides::Stored),
                None => Ok(Hides::Nothing),
            },
        }
    }

    async fn stored(&self, record: DocumentRecord) -> Found {
        if let Some(examined) = self.examined.get(&record.hash) {
            return Found::Stored(Box::new(record), examined);
        }
        let value = serde_json::from_str(&record.document).unwrap_or_default();
        let examined = Arc::new(examined(value).await);
        self.examined.put(&record.hash, Arc::clone(&examined));
        Found::Stored(Box::new(record), examined)
    }
}

fn hashes(files: &Files) -> BTreeMap<String, String> {
    files.agents.iter().map(|(name, agent)| (name.clone(), agent.hash.clone())).collect()
}

/// Examines a document away from the threads that serve requests: a large schema takes its time.
pub(super) async fn examined(value: Value) -> Examined {
    match heavy(move || agents::examine_value(value)).await {
        Ok(examined) => examined,
        Err(_) => agents::examine_value(Value::Null),
    }
}
