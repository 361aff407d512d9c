//! What endpoints support.

use std::collections::BTreeMap;

use accord_domain::evidence::{Evidence, Observation};
use accord_store::{Fact, FactFilter, FactStore, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{counted, micros, time};
use crate::error::{DbError, retrying};
use crate::rows::column;
use crate::store::PostgresStore;
use crate::text::{escape, escape_some, unescape};

#[async_trait]
impl FactStore for PostgresStore {
    async fn facts(&self, filter: &FactFilter) -> Result<Vec<Fact>, StoreError> {
        retrying(|| self.read_facts(filter)).await
    }

    async fn forget_facts(&self, filter: &FactFilter) -> Result<u64, StoreError> {
        retrying(|| self.delete_facts(filter)).await
    }
}

const KNOWN: &str =
    "SELECT good, bad, at FROM endpoint_facts WHERE model = $1 AND endpoint = $2 AND feature = $3";

const ALL_KNOWN: &str = "
SELECT t.place, f.good, f.bad, f.at
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS t(model, endpoint, feature, place)
JOIN endpoint_facts f ON f.model = t.model AND f.endpoint = t.endpoint AND f.feature = t.feature";

/// For each, whether it adds to what is known. Most do not: every run of a busy endpoint reports the same.
pub(crate) async fn are_news(
    connection: &mut PgConnection,
    observations: &[&Observation],
) -> Result<Vec<bool>, DbError> {
    if observations.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(ALL_KNOWN)
        .bind(column(observations, |each| escape(&each.model)))
        .bind(column(observations, |each| escape(&each.endpoint)))
        .bind(column(observations, |each| escape(&each.feature)))
        .fetch_all(connection)
        .await?;
    let mut known = vec![None; observations.len()];
    for row in &rows {
        let place: usize = counted(row.try_get("place")?)?;
        if let Some(known) = place.checked_sub(1).and_then(|index| known.get_mut(index)) {
            *known = Some(evidence(row)?);
        }
    }
    let adds = |(known, each)| merged(known, &[each]).is_some();
    Ok(known.into_iter().zip(observations.iter().copied()).map(adds).collect())
}

/// Waits for concurrent writers of the same fact, so that no observation is lost.
const LOCKED: &str = "
INSERT INTO endpoint_facts AS known (model, endpoint, feature, good, bad, at) VALUES ($1, $2, $3, 0, 0, $4)
ON CONFLICT (model, endpoint, feature) DO UPDATE SET at = known.at
RETURNING good, bad, at";

const WRITE: &str = "UPDATE endpoint_facts SET good = $4, bad = $5, at = $6 WHERE model = $1 AND endpoint = $2 AND feature = $3";

/// Adds observations to what is known. In one order everywhere, so that two writers never wait for each other crosswise.
pub(crate) async fn write(
    connection: &mut PgConnection,
    observations: &[Observation],
) -> Result<(), DbError> {
    let mut ordered = BTreeMap::<_, Vec<&Observation>>::new();
    for each in observations {
        ordered.entry((&each.model, &each.endpoint, &each.feature)).or_default().push(each);
    }
    for ((model, endpoint, feature), observations) in ordered {
        let place = [escape(model), escape(endpoint), escape(feature)];
        // Every run of a busy endpoint reports the same: only a new fact waits for the commit of others.
        let known = query(KNOWN, &place).fetch_optional(&mut *connection).await?;
        let known = known.as_ref().map(evidence).transpose()?;
        if merged(known, &observations).is_none() {
            continue;
        }
        let Some(first) = observations.first() else { continue };
        let row = query(LOCKED, &place).bind(micros(first.at)).fetch_one(&mut *connection).await?;
        if let Some(Evidence { good, bad, at }) = merged(Some(evidence(&row)?), &observations) {
            query(WRITE, &place).bind(good).bind(bad).bind(micros(at)).execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// The evidence after these observations; `None` if they add nothing.
fn merged(known: Option<Evidence>, observations: &[&Observation]) -> Option<Evidence> {
    observations.iter().fold(None, |new, each| Evidence::after(new.or(known), each.observed, each.at).or(new))
}

type Query<'a> = sqlx::query::Query<'a, sqlx::Postgres, sqlx::postgres::PgArguments>;

fn query<'a>(sql: &'static str, place: &'a [std::borrow::Cow<'_, str>; 3]) -> Query<'a> {
    place.iter().fold(sqlx::query(sql), |query, part| query.bind(part.as_ref()))
}

fn evidence(row: &PgRow) -> Result<Evidence, DbError> {
    let at = time(row.try_get("at")?)?;
    Ok(Evidence { good: row.try_get("good")?, bad: row.try_get("bad")?, at })
}

/// A macro, because a query is a literal.
macro_rules! matching {
    () => {
        "($1::text[] IS NULL OR model = ANY($1)) AND ($2::text IS NULL OR endpoint = $2) \
         AND ($3::text IS NULL OR feature = $3 OR starts_with(feature, $3 || '#'))"
    };
}

const READ: &str =
    concat!("SELECT * FROM endpoint_facts WHERE ", matching!(), " ORDER BY endpoint, model, feature");

const DELETE: &str = concat!("DELETE FROM endpoint_facts WHERE ", matching!());

fn filtered<'a>(sql: &'static str, filter: &'a FactFilter) -> Query<'a> {
    let models = filter.models.as_ref();
    let models =
        models.map(|models| models.iter().map(|model| escape(model).into_owned()).collect::<Vec<_>>());
    sqlx::query(sql)
        .bind(models)
        .bind(escape_some(filter.endpoint.as_ref()))
        .bind(escape_some(filter.feature.as_ref()))
}

impl PostgresStore {
    async fn read_facts(&self, filter: &FactFilter) -> Result<Vec<Fact>, DbError> {
        let rows = filtered(READ, filter).fetch_all(&self.pool).await?;
        let fact = |row: PgRow| {
            Ok(Fact {
                endpoint: unescape(row.try_get("endpoint")?),
                model: unescape(row.try_get("model")?),
                feature: unescape(row.try_get("feature")?),
                evidence: evidence(&row)?,
            })
        };
        rows.into_iter().map(fact).collect()
    }

    async fn delete_facts(&self, filter: &FactFilter) -> Result<u64, DbError> {
        Ok(filtered(DELETE, filter).execute(&self.pool).await?.rows_affected())
    }
}
