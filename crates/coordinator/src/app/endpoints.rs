//! Facts learned about endpoints: shown and removed.

use std::sync::Arc;

use accord_api::{EndpointFact, EndpointFilter, EndpointQuery, ForgottenFacts, Page};
use accord_store::{Fact, FactFilter, FactStore};
use jiff::Timestamp;

use super::page::by_count;
use crate::error::Error;
use crate::outside::Outside;

/// The facts that runners have reported about endpoints.
pub(crate) struct Endpoints {
    pub(super) facts: Arc<dyn FactStore>,
    pub(super) outside: Arc<dyn Outside>,
}

impl Endpoints {
    /// The learned facts, by endpoint, model and feature.
    pub(crate) async fn list(&self, query: EndpointQuery) -> Result<Page<EndpointFact>, Error> {
        let EndpointQuery { endpoint, model, feature, limit, cursor } = query;
        let facts = self.facts.facts(&matching(EndpointFilter { endpoint, model, feature })).await?;
        let now = self.outside.now();
        by_count(facts.into_iter().map(|fact| view(fact, now)).collect(), limit, cursor.as_deref())
    }

    pub(crate) async fn forget(&self, filter: EndpointFilter) -> Result<ForgottenFacts, Error> {
        let words = filter.to_string();
        let forgotten = self.facts.forget_facts(&matching(filter)).await?;
        Ok(ForgottenFacts { forgotten, matching: words })
    }
}

/// A fact with its weight at this time.
pub(super) fn view(fact: Fact, now: Timestamp) -> EndpointFact {
    EndpointFact::new(fact.endpoint, fact.model, fact.feature, fact.evidence, now)
}

fn matching(filter: EndpointFilter) -> FactFilter {
    let EndpointFilter { endpoint, model, feature } = filter;
    FactFilter { endpoint, models: model.map(|model| vec![model]), feature }
}
