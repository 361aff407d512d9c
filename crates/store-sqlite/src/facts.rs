//! Facts about endpoints. They are written with the result of a run.

use accord_domain::evidence::{Evidence, Observation};
use accord_store::{Fact, FactFilter, FactStore, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, named_params};

use crate::error::DbResult;
use crate::store::SqliteStore;
use crate::value::{json, micros, time};

#[async_trait]
impl FactStore for SqliteStore {
    async fn facts(&self, filter: &FactFilter) -> Result<Vec<Fact>, StoreError> {
        let filter = filter.clone();
        self.read_by_key(move |connection| read(connection, &filter)).await
    }

    async fn forget_facts(&self, filter: &FactFilter) -> Result<u64, StoreError> {
        let filter = filter.clone();
        self.write(move |write| {
            let sql = format!("DELETE FROM facts WHERE {}", matching(&filter));
            let models = filter.models.as_ref().map(json).transpose()?;
            let mut statement = write.connection().prepare_cached(&sql)?;
            Ok(statement.execute(&parameters(&filter, &models))? as u64)
        })
        .await
    }
}

/// Every clause names its parameter, so that each statement has all of them.
fn matching(filter: &FactFilter) -> String {
    let models = match filter.models {
        Some(_) => "model IN (SELECT value FROM json_each(:models))",
        None => ":models IS NULL",
    };
    format!(
        "{models} AND (:endpoint IS NULL OR endpoint = :endpoint) \
         AND (:feature IS NULL OR feature = :feature OR substr(feature, 1, length(:feature) + 1) = :feature || '#')"
    )
}

fn parameters<'a>(filter: &'a FactFilter, models: &'a Option<String>) -> [(&'static str, &'a dyn ToSql); 3] {
    [(":models", models), (":endpoint", &filter.endpoint), (":feature", &filter.feature)]
}

fn read(connection: &Connection, filter: &FactFilter) -> DbResult<Vec<Fact>> {
    let sql = format!(
        "SELECT good, bad, at, endpoint, model, feature FROM facts WHERE {} ORDER BY endpoint, model, feature",
        matching(filter)
    );
    let models = filter.models.as_ref().map(json).transpose()?;
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(&parameters(filter, &models))?;
    let mut facts = Vec::new();
    while let Some(row) = rows.next()? {
        let (endpoint, model, feature) = (row.get(3)?, row.get(4)?, row.get(5)?);
        facts.push(Fact { endpoint, model, feature, evidence: evidence(row)? });
    }
    Ok(facts)
}

fn evidence(row: &Row<'_>) -> DbResult<Evidence> {
    Ok(Evidence { good: row.get(0)?, bad: row.get(1)?, at: time(row.get(2)?)? })
}

/// Adds an observation to what is known.
pub(crate) fn learn(connection: &Connection, observation: &Observation) -> DbResult<()> {
    let Observation { endpoint, model, feature, observed, at } = observation;
    let known = "SELECT good, bad, at FROM facts WHERE model = ?1 AND endpoint = ?2 AND feature = ?3";
    let mut known = connection.prepare_cached(known)?;
    let known =
        known.query_row([model, endpoint, feature], |row| Ok(evidence(row))).optional()?.transpose()?;
    let Some(Evidence { good, bad, at }) = Evidence::after(known, *observed, *at) else { return Ok(()) };
    let sql = "INSERT OR REPLACE INTO facts (model, endpoint, feature, good, bad, at) \
               VALUES (:model, :endpoint, :feature, :good, :bad, :at)";
    connection.prepare_cached(sql)?.execute(named_params! {
        ":model": model, ":endpoint": endpoint, ":feature": feature, ":good": good, ":bad": bad, ":at": micros(at),
    })?;
    Ok(())
}
