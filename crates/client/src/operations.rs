//! What operators ask: is it there, who works for it, who may speak to it, how did it go.

use accord_api::{
    AuditQuery, AuditView, CreateKey, CreatedKey, EndpointFact, EndpointFilter, EndpointQuery,
    ForgottenFacts, Health, KeyId, KeyView, MeView, Page, PageQuery, RunnerView, ServerConfig, Stats,
    StatsQuery,
};
use reqwest::Method;

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Whether the coordinator is alive, and which one it is.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.get(&["health"]).read().await
    }

    /// Whether it can work: its store is reachable and migrated.
    pub async fn ready(&self) -> Result<(), ClientError> {
        self.get(&["ready"]).done().await
    }

    /// How it is set up.
    pub async fn config(&self) -> Result<ServerConfig, ClientError> {
        self.get(&["config"]).read().await
    }

    /// The runners that it knows.
    pub async fn runners(&self, page: &PageQuery) -> Result<Page<RunnerView>, ClientError> {
        self.get(&["runners"]).query(query(page)?).read().await
    }

    /// What was learned about endpoints.
    pub async fn endpoints(&self, which: &EndpointQuery) -> Result<Page<EndpointFact>, ClientError> {
        self.get(&["endpoints"]).query(query(which)?).read().await
    }

    /// Forgets what was learned about endpoints.
    pub async fn forget_endpoints(&self, which: &EndpointFilter) -> Result<ForgottenFacts, ClientError> {
        self.call(Method::DELETE, &["endpoints"]).query(query(which)?).read().await
    }

    /// Figures over runs.
    pub async fn stats(&self, which: &StatsQuery) -> Result<Stats, ClientError> {
        self.get(&["stats"]).query(query(which)?).read().await
    }

    /// The audit log, newest first.
    pub async fn audit(&self, which: &AuditQuery) -> Result<Page<AuditView>, ClientError> {
        self.get(&["audit"]).query(query(which)?).read().await
    }

    /// The role and the name of the key that is used.
    pub async fn me(&self) -> Result<MeView, ClientError> {
        self.get(&["me"]).read().await
    }

    /// Keys, without their secrets.
    pub async fn keys(&self, page: &PageQuery) -> Result<Page<KeyView>, ClientError> {
        self.get(&["keys"]).query(query(page)?).read().await
    }

    /// Makes a key. Its secret is in this answer and nowhere else.
    pub async fn create_key(&self, key: &CreateKey) -> Result<CreatedKey, ClientError> {
        self.post(&["keys"]).body(key).read().await
    }

    /// Takes a key back.
    pub async fn delete_key(&self, id: &KeyId) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["keys", id.as_str()]).done().await
    }
}
