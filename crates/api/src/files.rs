//! Files of callers.

use accord_domain::id::FileId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An uploaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FileView {
    /// Id: the SHA-256 of the content.
    pub id: FileId,
    /// Name, for people and models.
    pub name: String,
    /// Media type, as the content says.
    pub media_type: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the upload.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Removed then, unless it is uploaded or given to a run again before.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
}

/// How an uploaded file is called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// File name, for people and models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
