//! Contracts that agents have had.

use async_trait::async_trait;

use crate::error::StoreError;

/// How many contracts of an agent are kept: callers are a few versions behind, and editors can make hundreds in an hour.
pub const MOST_CONTRACTS: u32 = 20;

/// The input and output schema that an agent had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractRecord {
    pub agent_name: String,
    /// `INPUT-OUTPUT`, by which callers name it.
    pub hash: String,
    /// As JSON text.
    pub input: String,
    /// As JSON text.
    pub output: Option<String>,
}

/// Keeps the contracts that agents have had, so that a caller of an older one can be told what changed.
#[async_trait]
pub trait ContractStore: Send + Sync {
    /// Keeps a contract. Of each agent, the [`MOST_CONTRACTS`] that were written last are kept; writing the same again counts.
    async fn keep_contract(&self, contract: ContractRecord) -> Result<(), StoreError>;

    async fn contract(&self, agent_name: &str, hash: &str) -> Result<Option<ContractRecord>, StoreError>;
}
