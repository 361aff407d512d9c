//! Agents.

use accord_api::{AgentContract, AgentSummary, AgentView, Page, PageQuery, ValidateAgentAnswer};
use reqwest::Method;
use serde_json::Value;

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Agents that have all of these tags.
    pub async fn agents(&self, tags: &[String], page: &PageQuery) -> Result<Page<AgentSummary>, ClientError> {
        let mut which = query(page)?;
        if let (Some(members), false) = (which.as_object_mut(), tags.is_empty()) {
            members.insert("tags".to_owned(), Value::from(tags.join(",")));
        }
        self.get(&["agents"]).query(which).read().await
    }

    /// An agent.
    pub async fn agent(&self, name: &str) -> Result<AgentView, ClientError> {
        self.get(&["agents", name]).read().await
    }

    /// Stores a new agent.
    pub async fn create_agent(&self, blueprint: &Value) -> Result<AgentView, ClientError> {
        self.post(&["agents"]).body(blueprint).read().await
    }

    /// Puts a blueprint in the place of an agent's, if that is still the one with this hash.
    pub async fn put_agent(
        &self,
        name: &str,
        blueprint: &Value,
        if_match: Option<&str>,
    ) -> Result<AgentView, ClientError> {
        let call = self.call(Method::PUT, &["agents", name]).header("if-match", if_match);
        call.body(blueprint).read().await
    }

    /// Changes some fields of an agent's blueprint, if that is still the one with this hash.
    pub async fn patch_agent(
        &self,
        name: &str,
        fields: &Value,
        if_match: Option<&str>,
    ) -> Result<AgentView, ClientError> {
        let call = self.call(Method::PATCH, &["agents", name]).header("if-match", if_match);
        call.body(fields).read().await
    }

    /// Deletes an agent.
    pub async fn delete_agent(&self, name: &str) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["agents", name]).done().await
    }

    /// Both contracts of an agent, and what becomes of them at each provider.
    pub async fn agent_contract(&self, name: &str) -> Result<AgentContract, ClientError> {
        self.get(&["agents", name, "contract"]).read().await
    }

    /// Checks a blueprint without storing it.
    pub async fn validate_agent(&self, blueprint: &Value) -> Result<ValidateAgentAnswer, ClientError> {
        self.post(&["agents", "validate"]).body(blueprint).read().await
    }
}
