//! Request bodies as they arrive: bounded in bytes, values, nesting and time, before anything is made of them.
//!
//! What a route takes is in its row of the table ([`Takes`]). Every piece is scanned and counted when it arrives, so a body over
//! a limit is refused at once, and memory is bounded for each client and for all of them together (`bodies`).

use std::sync::Arc;
use std::time::Duration;

use accord_api::ErrorName;
use accord_domain::file::MOST_FILE_BYTES;
use accord_json::{Checked, Exceeded, Limits, Pieces};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use http_body_util::BodyExt as _;
use tokio::time::timeout;

use super::route::Route;
use crate::app::App;
use crate::bodies::{Counted, VALUE_BYTES};
use crate::connections::peer;
use crate::error::{Error, refuse};
use crate::outstanding::Holder;
use crate::work;

/// How deep a body may nest. Results nest 128 levels, in a document around them; what is made into values nests no deeper than 128.
const DEEPEST: usize = Limits::WHOLE.depth;

/// How long a body may stall. Stalled connections are dropped: the peer may be gone.
const SILENCE: Duration = Duration::from_secs(30);

/// How long a whole body may take. The largest one takes this long at 300 KB a second.
const LONGEST_BODY: Duration = Duration::from_secs(120);

/// Up to this size a body is parsed where it was received, which takes less than a millisecond.
pub(crate) const SMALL_BYTES: usize = 64 * 1024;

/// What a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Takes {
    size: Size,
    values: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// This many bytes, or `server.request_limit_bytes` if that is less.
    Bytes(usize),
    /// This many times `server.request_limit_bytes`.
    Requests(usize),
}

/// How many times as large as other requests the report on the end of a run may be. It has the result, the text that the result
/// was found in, and the conversation, which has the same answer again; in JSON each may take twice the size of an answer.
const FINISH_TIMES: usize = 4;

/// Values of a body with a caller's data: records in 8 MiB have fewer, at 17 bytes for a field with its value. Parsed they take
/// up to 200 MiB.
pub(crate) const MOST_VALUES: u64 = 500_000;

impl Takes {
    /// A few settings.
    pub(crate) const SETTINGS: Self = Self { size: Size::Bytes(64 * 1024), values: 10_000 };
    /// What one person writes, or a list of ids.
    pub(crate) const PAGE: Self = Self { size: Size::Bytes(4 * 1024 * 1024), values: 100_000 };
    /// An agent, a workflow, a schema, a message of MCP. The largest workflow has 5,000 nodes and 20,000 edges.
    pub(crate) const DEFINITION: Self = Self { size: Size::Requests(1), values: 200_000 };
    /// A caller's data: parameters, examples, conversations.
    pub(crate) const DATA: Self = Self { size: Size::Requests(1), values: MOST_VALUES };
    /// A file, as it is: no JSON, so there are no values.
    pub(crate) const FILE: Self = Self { size: Size::Bytes(MOST_FILE_BYTES), values: 0 };
    /// What a runner reports at the end of a run: a result, and the conversation with it.
    pub(crate) const RESULT: Self = Self { size: Size::Requests(FINISH_TIMES), values: 2 * MOST_VALUES };

    fn bytes(self, request_limit: usize) -> usize {
        match self.size {
            Size::Bytes(bytes) => bytes.min(request_limit),
            Size::Requests(times) => request_limit.saturating_mul(times),
        }
    }

    fn limits(self) -> Limits {
        Limits { depth: DEEPEST, values: self.values, ..Limits::WHOLE }
    }
}

/// A JSON body that was received as a whole. It is counted until it is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    text: Checked<Bytes>,
    _counted: Arc<Counted>,
}

impl Received {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// The text alone, for a guest.
    pub(crate) fn text(&self) -> Checked<Bytes> {
        self.text.clone()
    }

    /// Does something with the text: at once if it is small, or else away from the threads that serve requests.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Checked<Bytes>) -> T + Send + 'static,
    ) -> Result<T, Error> {
        if self.bytes().len() <= SMALL_BYTES {
            return Ok(work(&self.text));
        }
        let body = self.clone();
        work::heavy(move |_| work(&body.text)).await
    }

    #[cfg(test)]
    pub(crate) fn of(text: &str) -> Self {
        let holder = Holder::Address(None);
        let text = Checked::new(Bytes::copy_from_slice(text.as_bytes()), Takes::DATA.limits()).unwrap();
        Self { text, _counted: Arc::new(crate::bodies::Bodies::default().begin(holder)) }
    }
}

/// The body of a request, if its route takes one.
pub(super) async fn receive(request: Request, app: &App) -> Result<Received, Error> {
    let (takes, counted) = begun(&request, app)?;
    read(request, takes, app.settings.request_limit_bytes, counted).await
}

/// A file that was received as a whole. It is counted until it is dropped.
#[derive(Debug)]
pub(super) struct ReceivedFile {
    /// As its header says.
    pub(super) media_type: Option<String>,
    pub(super) content: Vec<u8>,
    pub(super) counted: Counted,
}

/// The body of a request that is a file.
pub(super) async fn receive_file(request: Request, app: &App) -> Result<ReceivedFile, Error> {
    let (takes, mut counted) = begun(&request, app)?;
    let most = app.settings.request_limit_bytes;
    check_origin(request.headers())?;
    check_headers(&request, takes, most)?;
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.map(str::to_owned);
    let mut content = Vec::new();
    let gathering = pieces(request.into_body(), takes, most, |piece| {
        counted.add(piece.len())?;
        content.extend_from_slice(piece);
        Ok(content.len())
    });
    within_time(gathering).await?;
    Ok(ReceivedFile { media_type, content, counted })
}

/// Refuses what a page of another site sends with a browser. A JSON body needs no such check: a browser asks before it sends one.
fn check_origin(headers: &HeaderMap) -> Result<(), Error> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(origin) = text(ORIGIN) else { return Ok(()) };
    let host = origin.split_once("://").map(|(_, host)| host);
    match host.is_some() && host == text(HOST) {
        true => Ok(()),
        false => {
            let message = format!("uploads from the pages of another site ({origin}) are not accepted");
            Err(Error::new(ErrorName::Forbidden, message))
        }
    }
}

fn begun(request: &Request, app: &App) -> Result<(Takes, Counted), Error> {
    let takes = request.extensions().get::<&'static Route>().and_then(|route| route.takes);
    let takes = takes.ok_or_else(|| Error::internal("the route takes no body"))?;
    let from = peer(request).map(|address| address.ip());
    let holder = request.extensions().get::<Holder>().cloned().unwrap_or(Holder::Address(from));
    Ok((takes, app.bodies.begin(holder)))
}

async fn read(request: Request, takes: Takes, most: usize, mut counted: Counted) -> Result<Received, Error> {
    if !is_json(request.headers()) {
        let message = "expected a JSON body with the header Content-Type: application/json";
        return Err(Error::new(ErrorName::UnsupportedMediaType, message));
    }
    check_headers(&request, takes, most)?;
    let text = within_time(gather(request.into_body(), takes, most, &mut counted)).await?;
    Ok(Received { text: text.hold(), _counted: Arc::new(counted) })
}

/// Refuses a body before it is read: one that is compressed, or announced as too large.
fn check_headers(request: &Request, takes: Takes, most: usize) -> Result<(), Error> {
    if is_encoded(request.headers()) {
        let message = "compressed bodies are not supported: send it without Content-Encoding";
        return Err(Error::new(ErrorName::UnsupportedMediaType, message));
    }
    let announced: Option<usize> =
        request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    match announced {
        Some(length) if length > takes.bytes(most) => Err(too_large(takes, most)),
        _ => Ok(()),
    }
}

async fn within_time<T>(gathering: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(LONGEST_BODY, gathering).await.unwrap_or_else(|_| {
        Err(unreadable(&format!("it took longer than {} seconds, the limit", LONGEST_BODY.as_secs())))
    })
}

async fn gather(
    body: Body,
    takes: Takes,
    most: usize,
    counted: &mut Counted,
) -> Result<Checked<Vec<u8>>, Error> {
    let mut whole = Pieces::new(takes.limits());
    let taken = pieces(body, takes, most, |piece| {
        let values = whole.push(piece).map_err(exceeded)?;
        let values = usize::try_from(values).unwrap_or(usize::MAX).saturating_mul(VALUE_BYTES);
        counted.add(piece.len().saturating_add(values))?;
        Ok(whole.len())
    });
    taken.await?;
    Ok(whole.finish())
}

/// Gives the pieces of a body to `take`, which returns how long it is by then, as long as it is not too large.
async fn pieces(
    mut body: Body,
    takes: Takes,
    most: usize,
    mut take: impl FnMut(&[u8]) -> Result<usize, Error>,
) -> Result<(), Error> {
    let (limit, mut length) = (takes.bytes(most), 0);
    let silent = || {
        let message = "no data received for 30 seconds; send all of it, and the correct Content-Length";
        unreadable(message)
    };
    while let Some(frame) = timeout(SILENCE, body.frame()).await.map_err(|_| silent())? {
        let frame = frame.map_err(|error| unreadable(&error.to_string()))?;
        let piece = frame.into_data().unwrap_or_default();
        if piece.len() > limit.saturating_sub(length) {
            return Err(too_large(takes, most));
        }
        length = take(&piece)?;
    }
    Ok(())
}

fn unreadable(reason: &str) -> Error {
    refuse(format!("the request body could not be read: {reason}"))
}

fn too_large(takes: Takes, most: usize) -> Error {
    let limit = takes.bytes(most);
    let message = match takes.size {
        Size::Bytes(bytes) if bytes <= most => {
            format!("the body is larger than {limit} bytes, the limit of this route; send less")
        }
        _ => format!(
            "the body is larger than {limit} bytes, the limit of this coordinator; send less, or raise server.request_limit_bytes"
        ),
    };
    Error::new(ErrorName::RequestTooLarge, message)
}

fn exceeded(exceeded: Exceeded) -> Error {
    match exceeded {
        Exceeded::Values(limit) => {
            let message = format!(
                "the body has more than {limit} values, the limit of this route; send fewer, or send large data as text"
            );
            Error::new(ErrorName::RequestTooLarge, message)
        }
        other => refuse(format!("invalid request body: {other}")),
    }
}

fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream::{self, Stream, StreamExt as _};
    use tokio::time::{Instant, sleep_until};

    use super::*;
    use crate::bodies::Bodies;
    use crate::outstanding::Bounds;

    const TAKES: Takes = Takes { size: Size::Requests(1), values: 4 };

    async fn receive_within(
        bodies: &Bodies,
        pieces: impl Stream<Item = &'static str> + Send + 'static,
    ) -> Result<Received, Error> {
        let pieces = pieces.map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece.as_bytes())));
        let request = Request::builder().header(CONTENT_TYPE, "application/json");
        let request = request.body(Body::from_stream(pieces)).unwrap();
        read(request, TAKES, 100, bodies.begin(Holder::Address(None))).await
    }

    async fn received(pieces: impl Stream<Item = &'static str> + Send + 'static) -> Result<String, Error> {
        let body = receive_within(&Bodies::default(), pieces).await?;
        Ok(String::from_utf8(body.bytes().to_vec()).unwrap())
    }

    /// A piece every so many seconds.
    fn slowly(seconds: u64, pieces: impl Stream<Item = &'static str>) -> impl Stream<Item = &'static str> {
        let since = Instant::now();
        pieces.enumerate().then(move |(number, piece)| async move {
            sleep_until(since + Duration::from_secs(seconds) * u32::try_from(number).unwrap()).await;
            piece
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_body_times_out() {
        let since = Instant::now();
        let refused = received(stream::iter(["{"]).chain(stream::pending())).await.unwrap_err();
        assert_eq!(refused.name(), ErrorName::InvalidRequest);
        assert!(refused.message().contains("no data received for 30 seconds"), "{refused}");
        assert!((SILENCE..SILENCE * 2).contains(&since.elapsed()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_come_slowly() {
        let since = Instant::now();
        let pieces = slowly(20, stream::iter(["{", "\"a\"", ":", " 1", "}"]));
        assert_eq!(received(pieces).await.unwrap(), "{\"a\": 1}");
        assert!(since.elapsed() >= SILENCE * 2);
        assert_eq!(received(stream::iter(["{}"])).await.unwrap(), "{}");
        assert_eq!(received(stream::iter(["\u{feff}", "{}"])).await.unwrap(), "{}");
        assert_eq!(received(stream::empty()).await.unwrap(), "");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_cut() {
        let since = Instant::now();
        let refused = received(slowly(22, stream::repeat(" "))).await.unwrap_err();
        assert_eq!(
            refused.message(),
            "the request body could not be read: it took longer than 120 seconds, the limit"
        );
        assert!((LONGEST_BODY..LONGEST_BODY * 2).contains(&since.elapsed()));
    }

    #[tokio::test]
    async fn too_many_values_are_refused_before_the_rest_comes() {
        let refused = received(stream::iter(["[1, 2", ", 3, 4"]).chain(stream::pending())).await.unwrap_err();
        assert_eq!(refused.name(), ErrorName::RequestTooLarge);
        assert!(refused.message().contains("more than 4 values, the limit of this route"), "{refused}");
        let deep: &'static str = "[".repeat(600).leak();
        let takes = Takes { values: 1_000, ..TAKES };
        let request = Request::builder().header(CONTENT_TYPE, "application/json").body(Body::from(deep));
        let counted = Bodies::default().begin(Holder::Address(None));
        let refused = read(request.unwrap(), takes, 1_000, counted).await.unwrap_err();
        assert_eq!(
            (refused.name(), refused.message()),
            (ErrorName::InvalidRequest, "invalid request body: it nests deeper than 512 levels, the limit")
        );
    }

    #[tokio::test]
    async fn a_body_is_counted_until_it_is_dropped() {
        let bodies = Bodies::new(Bounds { of_one: 300, of_all: 300 });
        let body = receive_within(&bodies, stream::iter(["[1", "]"])).await.unwrap();
        assert_eq!(bodies.held(), 3 + 2 * VALUE_BYTES);
        let refused = receive_within(&bodies, stream::iter(["[", "1, 2]"])).await.unwrap_err();
        assert_eq!(refused.name(), ErrorName::Overloaded);
        let clone = body.clone();
        drop(body);
        assert_eq!(bodies.held(), 3 + 2 * VALUE_BYTES);
        drop(clone);
        assert_eq!(bodies.held(), 0);
    }
}
