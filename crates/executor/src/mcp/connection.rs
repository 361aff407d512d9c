//! A connection to one server, on which `rmcp` speaks the protocol.

use std::time::Duration;

use accord_domain::agent::MAY_PASS;
use rmcp::model::{
    CancelledNotificationParam, ClientCapabilities, ClientConfig, ClientRequest, ErrorCode, ErrorData,
    Implementation, ProtocolVersion, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, PeerRequestOptions, RunningService,
    ServiceError,
};
use rmcp::transport::Transport;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::error::{Faults, McpError};

/// The supported versions, the newest first. What is used here is the same in all of them.
const VERSIONS: [ProtocolVersion; 5] = [
    ProtocolVersion::V_2026_07_28,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2024_11_05,
];

/// How a connection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greeting {
    /// With `initialize`, as all versions up to 2025-11-25.
    Handshake,
    /// With `server/discover`, since 2026-07-28: there is no session, and every request says who asks.
    Discovery,
}

/// How a server that speaks only the other generation refuses a greeting. A few others refuse so too, and are asked once more.
const OTHER_GENERATION: [ErrorCode; 5] = [
    ErrorCode::METHOD_NOT_FOUND,
    ErrorCode::INVALID_PARAMS,
    ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
    ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
    ErrorCode::HEADER_MISMATCH,
];

pub(super) struct Connection {
    client: RunningService<RoleClient, ClientConfig>,
    faults: Faults,
}

impl Connection {
    /// Greets a server over a transport that notes its faults.
    pub(super) async fn open(
        transport: impl Transport<RoleClient> + 'static,
        faults: Faults,
        greeting: Greeting,
    ) -> Result<Self, McpError> {
        let name = Implementation::new("accord", env!("CARGO_PKG_VERSION"));
        let config = ClientConfig::new(ClientCapabilities::default(), name);
        let served = match greeting {
            Greeting::Handshake => {
                config.with_protocol_version(ProtocolVersion::V_2025_11_25).serve(transport).await
            }
            Greeting::Discovery => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                let lifecycle = ClientLifecycleMode::Discover { preferred_versions };
                let config = config.with_protocol_version(ProtocolVersion::V_2026_07_28);
                config.serve_with_lifecycle(transport, lifecycle).await
            }
        };
        let client = served.map_err(|error| faults.take().unwrap_or(not_greeted(error)))?;
        let connection = Self { client, faults };
        let version = connection.client.peer_info().map(|info| info.protocol_version.clone());
        match version.filter(|version| !VERSIONS.contains(version)) {
            Some(version) => Err(unsupported(version.as_str())),
            None => Ok(connection),
        }
    }

    pub(super) fn has_tools(&self) -> bool {
        self.client.peer_info().is_some_and(|info| info.capabilities.tools.is_some())
    }

    /// Asks, and waits for the answer. `patience` is how long there may be no sign of life. What is no longer wanted is
    /// taken back.
    pub(super) async fn ask(
        &self,
        request: ClientRequest,
        patience: Duration,
        cancel: &CancellationToken,
    ) -> Result<Value, McpError> {
        // What went wrong with a notification is nothing to this request.
        self.faults.take();
        let options = PeerRequestOptions::with_timeout(patience).reset_timeout_on_progress();
        let asked = self.client.send_request_with_option(request, options).await;
        let asked = asked.map_err(|error| self.fault(error))?;
        let id = asked.id.clone();
        match cancel.run_until_cancelled(asked.await_response()).await {
            Some(Ok(result)) => {
                serde_json::to_value(result).map_err(|error| McpError::Broken(error.to_string()))
            }
            Some(Err(error)) => Err(self.fault(error)),
            None => {
                let reason = "the answer is no longer wanted".to_owned();
                let params = CancelledNotificationParam::new(Some(id), Some(reason));
                self.client.notify_cancelled(params).await.ok();
                Err(McpError::Refused("stopped".to_owned()))
            }
        }
    }

    fn fault(&self, error: ServiceError) -> McpError {
        match error {
            ServiceError::McpError(error) => refused(&error),
            ServiceError::Timeout { timeout } => McpError::Silent(timeout),
            other => self.faults.take().unwrap_or_else(|| McpError::Gone(other.to_string())),
        }
    }

    /// Whether nothing can be asked any more.
    pub(super) fn is_lost(&self) -> bool {
        self.client.is_transport_closed()
    }

    /// Ends the connection, and the server where it is ours.
    pub(super) async fn close(mut self) {
        self.client.close().await.ok();
    }
}

fn not_greeted(error: ClientInitializeError) -> McpError {
    match error {
        ClientInitializeError::JsonRpcError(error) => refused(&error),
        ClientInitializeError::ExpectedInitResult(Some(ServerResult::CustomResult(result))) => {
            unsupported(result.0.get("protocolVersion").and_then(Value::as_str).unwrap_or_default())
        }
        ClientInitializeError::ConnectionClosed(why) => McpError::Gone(why),
        other => McpError::Broken(other.to_string()),
    }
}

pub(super) fn refused(error: &ErrorData) -> McpError {
    let message = format!("{} ({})", error.message, error.code.0);
    match error.data.as_ref().and_then(|data| data.get(MAY_PASS)) == Some(&Value::Bool(true)) {
        true => McpError::Gone(message),
        false if OTHER_GENERATION.contains(&error.code) => McpError::OtherGeneration(message),
        false => McpError::Refused(message),
    }
}

fn unsupported(version: &str) -> McpError {
    let shown: String = version.chars().take(40).collect();
    let known = VERSIONS.each_ref().map(ProtocolVersion::as_str).join(", ");
    McpError::OtherGeneration(format!("unsupported MCP version '{shown}'; expected {known}"))
}
