//! How a server is.

use serde::{Deserialize, Serialize};

/// How the server is, and which one it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok` or `ready`.
    pub status: String,
    /// Made up anew at each start: whoever remembers an address can see whether the same server is still there.
    #[serde(default)]
    pub instance: String,
}
