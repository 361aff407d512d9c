//! What else answers under the coordinator's address, behind the same door.
//!
//! The coordinator knows no MCP: whoever hosts it puts that in. The types are those of HTTP itself, so that neither side
//! needs the other.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{Request, Response};
use futures_util::stream::BoxStream;

/// A body in pieces.
pub type GuestBody = BoxStream<'static, Result<Bytes, Infallible>>;

/// What is to come.
pub type GuestAnswer = Pin<Box<dyn Future<Output = Response<GuestBody>> + Send>>;

/// Answers requests that the door has let through. The request has its headers, `Authorization` among them.
pub type Guest = Arc<dyn Fn(Request<Bytes>) -> GuestAnswer + Send + Sync>;
