//! What is known about endpoints. It is written with the end of a run.

use accord_store::{Fact, FactStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::params;

use crate::store::SqliteStore;
use crate::value::{micros, named, time};

#[async_trait]
impl FactStore for SqliteStore {
    async fn facts(&self, models: &[String], since: Timestamp) -> Result<Vec<Fact>, StoreError> {
        let models = models.to_vec();
        self.look(move |connection| {
            let sql = "SELECT endpoint, model, feature, verdict, at FROM facts WHERE model = ?1 AND at >= ?2 \
                       ORDER BY endpoint, feature";
            let mut statement = connection.prepare_cached(sql)?;
            let mut facts = Vec::new();
            for model in models {
                let mut rows = statement.query(params![model, micros(since)])?;
                while let Some(row) = rows.next()? {
                    facts.push(Fact {
                        endpoint: row.get(0)?,
                        model: row.get(1)?,
                        feature: row.get(2)?,
                        verdict: named(row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?)?,
                        at: time(row.get(4)?)?,
                    });
                }
            }
            Ok(facts)
        })
        .await
    }
}
