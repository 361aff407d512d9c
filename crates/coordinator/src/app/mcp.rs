//! What answers at `/mcp`.
//!
//! The coordinator does not know MCP: its host passes it in. The types are those of HTTP, so that neither side needs the other.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use accord_json::Checked;
use axum::body::Bytes;
use axum::http::{Request, Response};
use futures_util::stream::BoxStream;

/// A body in pieces.
pub type GuestBody = BoxStream<'static, Result<Bytes, Infallible>>;

/// The future answer.
pub type GuestAnswer = Pin<Box<dyn Future<Output = Response<GuestBody>> + Send>>;

/// Answers requests that were authorized and whose values were counted. A request has its headers, `Authorization` among them.
pub type Guest = Arc<dyn Fn(Request<Checked<Bytes>>) -> GuestAnswer + Send + Sync>;
