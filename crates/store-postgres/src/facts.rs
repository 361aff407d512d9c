//! What endpoints take and refuse.

use std::collections::BTreeMap;

use accord_store::{Fact, FactStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use crate::convert::{micros, named, time};
use crate::fault::{Fault, retrying};
use crate::store::PostgresStore;
use crate::text::{escape, unescape};

#[async_trait]
impl FactStore for PostgresStore {
    async fn facts(&self, models: &[String], since: Timestamp) -> Result<Vec<Fact>, StoreError> {
        retrying(|| self.read_facts(models, since)).await
    }
}

/// The same said again within a second is not written: every run of a busy endpoint says it, and each would wait for
/// the commit of the one before.
const RESTATED_MICROS: i64 = 1_000_000;

const WRITE: &str = "
INSERT INTO endpoint_facts AS known (endpoint, model, feature, verdict, at)
SELECT t.endpoint, t.model, t.feature, t.verdict, t.at
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) AS t(endpoint, model, feature, verdict, at)
WHERE NOT EXISTS (
    SELECT 1 FROM endpoint_facts k
    WHERE k.endpoint = t.endpoint AND k.model = t.model AND k.feature = t.feature AND k.verdict = t.verdict
        AND k.at > t.at - $6
)
ON CONFLICT (model, endpoint, feature) DO UPDATE SET verdict = excluded.verdict, at = excluded.at
WHERE known.at <= excluded.at";

/// Writes facts; of several about the same, the newest counts. In one order everywhere, so that two writers never wait
/// for each other crosswise.
pub(crate) async fn write(connection: &mut PgConnection, facts: &[Fact]) -> Result<(), Fault> {
    let mut newest = BTreeMap::new();
    for fact in facts {
        let place = newest.entry((&fact.endpoint, &fact.model, &fact.feature)).or_insert(fact);
        if place.at <= fact.at {
            *place = fact;
        }
    }
    if newest.is_empty() {
        return Ok(());
    }
    let column = |value: fn(&Fact) -> &str| -> Vec<String> {
        newest.values().map(|fact| escape(value(fact)).into_owned()).collect()
    };
    sqlx::query(WRITE)
        .bind(column(|fact| &fact.endpoint))
        .bind(column(|fact| &fact.model))
        .bind(column(|fact| &fact.feature))
        .bind(newest.values().map(|fact| fact.verdict.as_str()).collect::<Vec<_>>())
        .bind(newest.values().map(|fact| micros(fact.at)).collect::<Vec<_>>())
        .bind(RESTATED_MICROS)
        .execute(connection)
        .await?;
    Ok(())
}

const READ: &str = "
SELECT endpoint, model, feature, verdict, at FROM endpoint_facts WHERE model = ANY($1) AND at >= $2
ORDER BY endpoint, model, feature";

impl PostgresStore {
    async fn read_facts(&self, models: &[String], since: Timestamp) -> Result<Vec<Fact>, Fault> {
        let models: Vec<String> = models.iter().map(|model| escape(model).into_owned()).collect();
        let rows = sqlx::query(READ).bind(models).bind(micros(since)).fetch_all(&self.pool).await?;
        let mut facts = Vec::with_capacity(rows.len());
        for row in rows {
            facts.push(Fact {
                endpoint: unescape(row.try_get("endpoint")?),
                model: unescape(row.try_get("model")?),
                feature: unescape(row.try_get("feature")?),
                verdict: named(row.try_get("verdict")?)?,
                at: time(row.try_get("at")?)?,
            });
        }
        Ok(facts)
    }
}
