//! Contracts that agents have had.

use accord_store::{ContractRecord, ContractStore, MOST_CONTRACTS, StoreError};
use async_trait::async_trait;
use sqlx::Row as _;

use crate::error::{DbError, retrying};
use crate::store::{PostgresStore, conclude};
use crate::text::{escape, unescape};

const KEEP: &str = "
INSERT INTO contracts (agent_name, hash, input, output) VALUES ($1, $2, $3, $4)
ON CONFLICT (agent_name, hash) DO UPDATE SET seq = DEFAULT";

const FORGET: &str = "
DELETE FROM contracts WHERE agent_name = $1 AND seq NOT IN
    (SELECT seq FROM contracts WHERE agent_name = $1 ORDER BY seq DESC LIMIT $2)";

#[async_trait]
impl ContractStore for PostgresStore {
    async fn keep_contract(&self, contract: ContractRecord) -> Result<(), StoreError> {
        retrying(|| self.write_contract(&contract)).await
    }

    async fn contract(&self, agent_name: &str, hash: &str) -> Result<Option<ContractRecord>, StoreError> {
        retrying(|| self.read_contract(agent_name, hash)).await
    }
}

impl PostgresStore {
    async fn write_contract(&self, contract: &ContractRecord) -> Result<(), DbError> {
        let mut transaction = self.begin().await?;
        let name = escape(&contract.agent_name);
        let keep = sqlx::query(KEEP)
            .bind(&name)
            .bind(escape(&contract.hash))
            .bind(&contract.input)
            .bind(&contract.output);
        let written = async {
            keep.execute(&mut *transaction).await?;
            sqlx::query(FORGET)
                .bind(&name)
                .bind(i64::from(MOST_CONTRACTS))
                .execute(&mut *transaction)
                .await?;
            Ok(())
        };
        let written = written.await;
        conclude(transaction, written).await
    }

    async fn read_contract(&self, agent_name: &str, hash: &str) -> Result<Option<ContractRecord>, DbError> {
        let query = sqlx::query("SELECT * FROM contracts WHERE agent_name = $1 AND hash = $2");
        let row = query.bind(escape(agent_name)).bind(escape(hash)).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(ContractRecord {
            agent_name: unescape(row.try_get("agent_name")?),
            hash: unescape(row.try_get("hash")?),
            input: row.try_get("input")?,
            output: row.try_get("output")?,
        }))
    }
}
