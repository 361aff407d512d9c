//! What goes wrong with a server, and where it is noted.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{RequestId, ServerJsonRpcMessage};

use crate::json;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum McpError {
    #[error("{0}")]
    Refused(String),
    /// It refused, as a server does that speaks another generation of the protocol.
    #[error("{0}")]
    OtherGeneration(String),
    /// It did not answer.
    #[error("it did not respond within {} seconds", .0.as_secs())]
    Silent(Duration),
    /// It is not there, or no longer; the same request may do better later.
    #[error("{0}")]
    Gone(String),
    #[error("{0}")]
    Broken(String),
}

impl McpError {
    /// Whether the same request may do better later.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Silent(_) | Self::Gone(_))
    }
}

/// Why a connection failed, noted by the transport: `rmcp` says only that it did.
#[derive(Clone, Default)]
pub(super) struct Faults(Arc<Mutex<Option<McpError>>>);

impl Faults {
    /// Keeps the first one: others follow from it.
    pub(super) fn note(&self, fault: McpError) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
    }

    pub(super) fn take(&self) -> Option<McpError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Reads a message that may answer the requests that `is_asked` knows; `None` if it is no message.
///
/// From text, because numbers are not kept as they are written when `rmcp` reads a value.
pub(super) fn read(
    text: &str,
    is_asked: impl Fn(i64) -> bool,
) -> Option<Result<ServerJsonRpcMessage, McpError>> {
    let message: ServerJsonRpcMessage = json::read_message(text).ok()?;
    let id = match &message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => return Some(Ok(message)),
    };
    match id {
        Some(RequestId::Number(id)) if is_asked(*id) => Some(Ok(message)),
        _ => Some(Err(McpError::Broken("it responded to an unknown request".to_owned()))),
    }
}
