//! Why a definition is not written.

use std::io;

use thiserror::Error;

/// Why a definition cannot be written to its file, or removed.
#[derive(Debug, Error)]
pub enum WriteError {
    #[error("it is in the kb.agent/1 format; edit the file itself, or rewrite it as an Accord agent")]
    Foreign,
    #[error("the {0}'s file is unknown")]
    NoFile(&'static str),
    #[error("could not start the writer thread")]
    NoThread,
    #[error("this value cannot be written as YAML")]
    NotYaml,
    #[error(transparent)]
    Yaml(#[from] serde_saphyr::SerializeError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}
