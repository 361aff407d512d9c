//! Contracts that agents have had.

use accord_store::{ContractRecord, ContractStore, MOST_CONTRACTS, StoreError};
use async_trait::async_trait;
use rusqlite::{OptionalExtension as _, params};

use crate::store::SqliteStore;

/// The new row is the last one, also of a contract that is known.
const KEEP: &str =
    "INSERT OR REPLACE INTO contracts (agent_name, hash, input, output) VALUES (?1, ?2, ?3, ?4)";

const FORGET: &str = "DELETE FROM contracts WHERE agent_name = ?1 AND seq NOT IN \
                      (SELECT seq FROM contracts WHERE agent_name = ?1 ORDER BY seq DESC LIMIT ?2)";

const FIND: &str =
    "SELECT agent_name, hash, input, output FROM contracts WHERE agent_name = ?1 AND hash = ?2";

#[async_trait]
impl ContractStore for SqliteStore {
    async fn keep_contract(&self, contract: ContractRecord) -> Result<(), StoreError> {
        self.write(move |write| {
            let ContractRecord { agent_name, hash, input, output } = &contract;
            let connection = write.connection();
            connection.prepare_cached(KEEP)?.execute(params![agent_name, hash, input, output])?;
            connection.prepare_cached(FORGET)?.execute(params![agent_name, MOST_CONTRACTS])?;
            Ok(())
        })
        .await
    }

    async fn contract(&self, agent_name: &str, hash: &str) -> Result<Option<ContractRecord>, StoreError> {
        let key = [agent_name.to_owned(), hash.to_owned()];
        self.read_by_key(move |connection| {
            let mut statement = connection.prepare_cached(FIND)?;
            let found = statement.query_row(key, |row| {
                Ok(ContractRecord {
                    agent_name: row.get(0)?,
                    hash: row.get(1)?,
                    input: row.get(2)?,
                    output: row.get(3)?,
                })
            });
            Ok(found.optional()?)
        })
        .await
    }
}
