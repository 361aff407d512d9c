//! How a server is.

use serde::{Deserialize, Serialize};

/// Health of the server, and its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok` or `ready`.
    pub status: String,
    /// Random id, new at each start; it identifies this server process.
    #[serde(default)]
    pub instance: String,
}
