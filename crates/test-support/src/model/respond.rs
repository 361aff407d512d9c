//! Writes a reply as an HTTP response in the protocol of its request.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::connection::Connection;
use super::exchange::{Ending, Exchange, interrupted_answer};
use super::pieces;
use super::reply::{Answer, DropPoint, Kind, Reply};
use super::server::UnderWay;

/// The text of one delta of an endless stream: large, so that it reaches a client's limit soon.
const ENDLESS_DELTA: &str = "and then the story went on, ";
const ENDLESS_REPEATS: usize = 36;

/// Number of deltas that are sent as fast as the client reads them; about 16 MiB. A client that has
/// not hit a size limit by then gets only an occasional delta.
const FAST_DELTAS: u64 = 16 * 1024;
const SLOW_DELTA_PAUSE: Duration = Duration::from_millis(20);

const JSON: &str = "application/json";

/// Answers a request. The guard lives until the answer is complete.
pub(super) async fn respond(
    exchange: Exchange,
    reply: Reply,
    connection: Connection,
    guard: UnderWay,
) -> Response {
    if let Some(delay) = reply.delay {
        tokio::time::sleep(delay).await;
    }
    let wire = exchange.request.wire;
    let streams = exchange.request.streams();
    let headers = headers(&exchange, reply.retry_after);
    let response = match reply.kind {
        Kind::Hang => std::future::pending().await,
        Kind::Drop(DropPoint::BeforeHeaders, _) => connection.cut().await,
        Kind::Drop(DropPoint::MidBody, answer) => dropped(&exchange, &answer, guard),
        Kind::Answer(answer) if streams => {
            let mut body = wire.stream(&exchange, &answer, Ending::Whole);
            let end = match reply.ends_late {
                Some(pause) => End::Late(pause, Bytes::from(last_events(&mut body))),
                None => End::Closed,
            };
            streamed(wire.stream_type(), paced(cut(body, &exchange), end, guard))
        }
        Kind::Answer(answer) => json(200, wire.body(&exchange, &answer)),
        Kind::Error { status, message } => json(status, wire.error(&exchange, status, &message).to_string()),
        Kind::SchemaRejected { message } => {
            let (status, body) = wire.schema_error(&exchange, &message);
            json(status, body.to_string())
        }
        Kind::Body { status, body } => json(status, body.to_string()),
        Kind::FailsMidway { message } if streams => {
            let body = wire.stream(&exchange, &interrupted_answer(), Ending::Failed(&message));
            streamed(wire.stream_type(), paced(cut(body, &exchange), End::Closed, guard))
        }
        Kind::FailsMidway { message } => {
            let (status, body) = wire.failed(&exchange, &message);
            json(status, body.to_string())
        }
        Kind::Endless => endless(exchange, streams, guard),
        Kind::Garbage(body) => {
            let kind = if streams { wire.stream_type() } else { JSON };
            streamed(kind, Body::from(body))
        }
    };
    (headers, response).into_response()
}

fn headers(exchange: &Exchange, retry_after: Option<u64>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(seconds) = retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    let name = exchange.request.wire.request_id_header().map(HeaderName::from_static);
    if let (Some(name), Ok(id)) = (name, HeaderValue::from_str(&exchange.id("req_01", 0))) {
        headers.insert(name, id);
    }
    headers
}

fn json(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, JSON)], body).into_response()
}

fn streamed(kind: &'static str, body: Body) -> Response {
    ([(CONTENT_TYPE, kind)], body).into_response()
}

fn cut(body: String, exchange: &Exchange) -> Vec<Bytes> {
    pieces::cut(body.into_bytes(), exchange.seed())
}

/// Removes and returns the last two events of a stream.
fn last_events(stream: &mut String) -> String {
    let place = stream.rmatch_indices("\n\n").map(|(place, gap)| place + gap.len()).nth(2);
    stream.split_off(place.unwrap_or_default())
}

/// Sends the first half of an answer, then closes the connection.
fn dropped(exchange: &Exchange, answer: &Answer, guard: UnderWay) -> Response {
    let wire = exchange.request.wire;
    let streams = exchange.request.streams();
    let whole =
        if streams { wire.stream(exchange, answer, Ending::Open) } else { wire.body(exchange, answer) };
    let length = whole.len();
    let mut half = whole.into_bytes();
    half.truncate(length / 2);
    let body = paced(pieces::cut(half, exchange.seed()), End::Cut, guard);
    if streams {
        return streamed(wire.stream_type(), body);
    }
    let headers =
        [(CONTENT_TYPE, HeaderValue::from_static(JSON)), (CONTENT_LENGTH, HeaderValue::from(length))];
    (headers, body).into_response()
}

fn endless(exchange: Exchange, streams: bool, guard: UnderWay) -> Response {
    let wire = exchange.request.wire;
    let text = ENDLESS_DELTA.repeat(ENDLESS_REPEATS);
    if !streams {
        let opening = vec![Bytes::from_static(b"{\"id\": \"endless\", \"content\": \"")];
        let more = Box::new(move |_| Bytes::from(text.clone()));
        return streamed(JSON, paced(opening, End::Endless(more, 0), guard));
    }
    let opening = wire.stream(&exchange, &Answer::of_text("Once upon a time, "), Ending::Open);
    let opening = cut(opening, &exchange);
    let more = Box::new(move |number| Bytes::from(wire.delta(&exchange, &text, number)));
    streamed(wire.stream_type(), paced(opening, End::Endless(more, 0), guard))
}

/// What follows the pieces of a body.
enum End {
    Closed,
    Cut,
    Late(Duration, Bytes),
    Endless(Box<dyn Fn(u64) -> Bytes + Send>, u64),
}

/// A body that is sent in chunks. Each waits for the connection's next poll, which sends the
/// previous one.
fn paced(pieces: Vec<Bytes>, end: End, guard: UnderWay) -> Body {
    let step = |(mut pieces, end, guard): (std::vec::IntoIter<Bytes>, End, UnderWay)| async move {
        tokio::task::yield_now().await;
        if let Some(piece) = pieces.next() {
            return Some((Ok(piece), (pieces, end, guard)));
        }
        match end {
            End::Closed => None,
            End::Cut => {
                Some((Err(io::Error::other("cut as the script wanted")), (pieces, End::Closed, guard)))
            }
            End::Late(pause, rest) => {
                tokio::time::sleep(pause).await;
                Some((Ok(rest), (pieces, End::Closed, guard)))
            }
            End::Endless(more, number) => {
                if number >= FAST_DELTAS {
                    tokio::time::sleep(SLOW_DELTA_PAUSE).await;
                }
                let piece = more(number);
                Some((Ok(piece), (pieces, End::Endless(more, number + 1), guard)))
            }
        }
    };
    Body::from_stream(stream::unfold((pieces.into_iter(), end, guard), step))
}
