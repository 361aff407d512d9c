//! Making, changing and removing agents.
//!
//! New agents go to the store. One that lives in a file is changed in its file. In both homes the condition is checked
//! and the change made in one step: by the store's transaction, and under a lock here.

use std::sync::Arc;

use accord_api::{AgentView, ErrorName, Source};
use accord_store::{Defined, DocumentRecord};
use serde_json::{Map, Value, json};

use super::examine::Examined;
use super::files::FileAgent;
use super::write;
use crate::app::blueprints::Blueprints;
use crate::app::catalog::examined;
use crate::app::definition::{AGENT, make_definition, record};
use crate::app::found::Found;
use crate::app::promise::first_answer;
use crate::app::{Expected, Made, Promise};
use crate::error::Error;

impl Blueprints {
    /// Makes an agent in the store.
    pub(crate) async fn create_agent(
        &self,
        value: Value,
        promise: Option<Promise>,
    ) -> Result<Made<AgentView>, Error> {
        // First of all: a file of the same name may have come since.
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return Ok(Made::Replayed(answer));
        }
        let examined = sound(examined(value).await)?;
        let name = name_of(&examined);
        if self.catalog.in_file(&name).await.is_some() {
            return Err(AGENT.exists(&name));
        }
        let record = record(&name, examined.document(), self.outside.now());
        let view = self.catalog.view(&Found::Stored(Box::new(record.clone()), Arc::new(examined))).await?;
        make_definition(self.store.as_ref(), &AGENT, record, view, promise).await
    }

    /// Puts a blueprint in the place of the one that is there, or makes the agent where there is none.
    pub(crate) async fn put_agent(
        &self,
        name: &str,
        value: Value,
        expected: &Expected,
    ) -> Result<Made<AgentView>, Error> {
        let examined = sound(examined(value).await)?;
        AGENT.check_name(name, &name_of(&examined))?;
        let writing = self.catalog.writing.lock().await;
        match self.catalog.found(name).await {
            Ok(found) => {
                let view = self.replace(found, examined, expected).await?;
                Ok(Made::Changed(Box::new(view)))
            }
            Err(error) if error.name() == ErrorName::AgentNotFound => {
                AGENT.check_absent(expected, name)?;
                drop(writing);
                AGENT.made_meanwhile(self.create_agent(examined.value, None).await, expected, name)
            }
            Err(error) => Err(error),
        }
    }

    /// Changes parts of a blueprint: a JSON merge patch (RFC 7396).
    pub(crate) async fn patch_agent(
        &self,
        name: &str,
        patch: &Value,
        expected: &Expected,
    ) -> Result<AgentView, Error> {
        if !patch.is_object() {
            let message = "expected an object with fields to set, and null for fields to remove";
            return Err(Error::new(ErrorName::InvalidRequest, message));
        }
        let _writing = self.catalog.writing.lock().await;
        let found = self.catalog.found(name).await?;
        AGENT.check(expected, name, found.hash())?;
        let mut value = found.value().clone();
        merge(&mut value, patch);
        let examined = sound(examined(value).await)?;
        if name_of(&examined) != name {
            let message = "an agent cannot be renamed; create another agent and delete this one";
            return Err(Error::new(ErrorName::InvalidRequest, message));
        }
        // What was patched is what must still be there.
        let expected = Expected::OneOf(vec![found.hash().to_owned()]);
        self.replace(found, examined, &expected).await
    }

    /// Removes an agent.
    pub(crate) async fn delete_agent(&self, name: &str, expected: &Expected) -> Result<(), Error> {
        let _writing = self.catalog.writing.lock().await;
        match self.catalog.found(name).await? {
            Found::File(_) => {
                let agent = self.fresh(name).await?;
                AGENT.check(expected, name, &agent.hash)?;
                let removed = tokio::task::spawn_blocking(move || write::remove(&agent)).await;
                removed.map_err(Error::internal)?.map_err(|reason| AGENT.read_only(name, &reason))?;
                self.catalog.reload().await;
                self.catalog.known_files.written(name, None);
                Ok(())
            }
            Found::Stored(record, _) => {
                AGENT.check(expected, name, &record.hash)?;
                Ok(self
                    .store
                    .remove_definition(Defined::Agent, name, expected.condition(&record.hash))
                    .await?)
            }
        }
    }

    /// Writes a blueprint to the home of the one that is there.
    async fn replace(
        &self,
        found: Found,
        examined: Examined,
        expected: &Expected,
    ) -> Result<AgentView, Error> {
        let name = found.name().to_owned();
        match found.source() {
            Source::File => {
                let agent = self.fresh(&name).await?;
                AGENT.check(expected, &name, &agent.hash)?;
                self.write_file(&agent, examined.value).await?;
                self.agent(&name).await
            }
            Source::Store => {
                AGENT.check(expected, &name, found.hash())?;
                let condition = expected.condition(found.hash());
                let now = self.outside.now();
                let created_at = found.created_at().unwrap_or(now);
                let record = DocumentRecord { created_at, ..record(&name, examined.document(), now) };
                self.store.put_definition(Defined::Agent, record.clone(), condition, None).await?;
                self.catalog.view(&Found::Stored(Box::new(record), Arc::new(examined))).await
            }
        }
    }

    async fn write_file(&self, agent: &FileAgent, value: Value) -> Result<(), Error> {
        if agent.foreign {
            let reason =
                "it is in the kb.agent/1 format; edit the file itself, or rewrite it as an Accord agent";
            return Err(AGENT.read_only(&agent.name, reason));
        }
        let Some(home) = agent.home.clone() else {
            return Err(AGENT.read_only(&agent.name, "the agent's file is unknown"));
        };
        let written = tokio::task::spawn_blocking(move || write::write(&home, &value)).await;
        written.map_err(Error::internal)?.map_err(|reason| AGENT.read_only(&agent.name, &reason))?;
        self.catalog.reload().await;
        let hash = self.catalog.hashes().remove(&agent.name);
        self.catalog.known_files.written(&agent.name, hash);
        Ok(())
    }

    /// An agent's file as it is at this moment, and not as it was when somebody last looked.
    async fn fresh(&self, name: &str) -> Result<Arc<FileAgent>, Error> {
        self.catalog.reload().await;
        self.catalog.files().agents.get(name).map(Arc::clone).ok_or_else(|| AGENT.changed(name))
    }
}

/// Only what has no mistakes is kept.
fn sound(examined: Examined) -> Result<Examined, Error> {
    if examined.sound.is_some() {
        return Ok(examined);
    }
    let message = AGENT.mistakes(&examined.problems);
    let problems = examined.problems;
    Err(match examined.wrong_schema {
        // A schema that is wrong has one name wherever it stands.
        Some(place) => {
            let details = json!({"path": place.path(), "pointer": place.pointer(), "problems": problems});
            Error::new(ErrorName::InvalidSchema, message).with_details(details)
        }
        None => Error::new(ErrorName::InvalidAgent, message).with_details(json!({"problems": problems})),
    })
}

fn name_of(examined: &Examined) -> String {
    examined.sound.as_ref().map(|sound| sound.blueprint.name.clone()).unwrap_or_default()
}

/// RFC 7396. What is merged came in by parsers that bound its depth.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(object) = target else { return };
    for (name, value) in members {
        if value.is_null() {
            object.shift_remove(name);
        } else {
            merge(object.entry(name.as_str()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_sets_and_removes() {
        // The examples of RFC 7396, appendix A.
        let cases = [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [1]}), json!({"a": [{"b": null}]}), json!({"a": [{"b": null}]})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ];
        for (mut target, patch, expected) in cases {
            merge(&mut target, &patch);
            assert_eq!(target, expected);
        }
    }
}
