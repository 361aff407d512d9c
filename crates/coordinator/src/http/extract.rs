//! What handlers take from a request, with errors in the one shape.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use accord_api::ErrorName;
use accord_domain::id::{InputId, RunId, RunnerId, SessionId, WorkflowRunId};
use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use utoipa::IntoParams;

use crate::app::{App, HIGHEST_LIMIT, LONGEST_WAIT_SECONDS};
use crate::error::Error;

/// A JSON body, as bytes.
///
/// The content type has to be there and has to be JSON: a page in a browser can send anything else to a coordinator on
/// the same machine without being asked.
pub(crate) struct JsonBody(pub(crate) Bytes);

impl FromRequest<Arc<App>> for JsonBody {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        json(request, app.settings.request_limit_bytes).await.map(Self)
    }
}

/// A JSON body, as bytes, or none at all: then no content type has to be there either. Only for what changes nothing, or a
/// page in a browser could do it.
pub(crate) struct MaybeJson(pub(crate) Option<Bytes>);

impl FromRequest<Arc<App>> for MaybeJson {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        if request.body().is_end_stream() {
            return Ok(Self(None));
        }
        let bytes = json(request, app.settings.request_limit_bytes).await?;
        Ok(Self((!bytes.is_empty()).then_some(bytes)))
    }
}

/// How many times as large as other requests the report on the end of a run may be. It has the result, the text that the result
/// was found in, and the conversation, which has the same answer again; in JSON each may take twice the size of an answer.
const FINISH_TIMES: usize = 4;

/// The body of a runner's report on the end of a run: JSON, as bytes.
pub(crate) struct FinishBody(pub(crate) Bytes);

impl FromRequest<Arc<App>> for FinishBody {
    type Rejection = Error;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Error> {
        let limit = app.settings.request_limit_bytes.saturating_mul(FINISH_TIMES);
        json(request, limit).await.map(Self)
    }
}

async fn json(request: Request, limit: usize) -> Result<Bytes, Error> {
    let refused = |message: &str| Error::new(ErrorName::UnsupportedMediaType, message);
    if !is_json(request.headers()) {
        return Err(refused("expected a JSON body with the header Content-Type: application/json"));
    }
    if is_encoded(request.headers()) {
        return Err(refused("compressed bodies are not supported: send it without Content-Encoding"));
    }
    let too_large = || {
        let message = format!(
            "the body is larger than {limit} bytes, the limit of this coordinator; send less, or raise server.request_limit_bytes"
        );
        Error::new(ErrorName::RequestTooLarge, message)
    };
    // A body that is announced as too large is not read.
    let announced =
        request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: usize| length > limit) {
        return Err(too_large());
    }
    let unreadable = |reason: String| {
        Error::new(ErrorName::InvalidRequest, format!("the request body could not be read: {reason}"))
    };
    match timely(Limited::new(request.into_body(), limit)).await {
        Ok(Ok(bytes)) => Ok(without_mark(bytes)),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(error)) => Err(unreadable(error.to_string())),
        Err(_) => Err(unreadable(format!(
            "no data received for {} seconds; send all of it, and the correct Content-Length",
            SILENCE.as_secs()
        ))),
    }
}

/// How long a body may stall. Stalled connections are dropped: the peer may be gone. A slow body may take as long as it needs.
const SILENCE: Duration = Duration::from_secs(30);

/// All of a body, unless it stops coming.
async fn timely(mut body: Limited<Body>) -> Result<Result<Bytes, BoxError>, Elapsed> {
    let (mut first, mut all) = (Bytes::new(), Vec::new());
    while let Some(frame) = timeout(SILENCE, body.frame()).await? {
        let piece = match frame {
            Ok(frame) => frame.into_data().unwrap_or_default(),
            Err(error) => return Ok(Err(error)),
        };
        // Most bodies come in one piece, and are not copied.
        if first.is_empty() {
            first = piece;
            continue;
        }
        if all.is_empty() {
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&piece);
    }
    Ok(Ok(if all.is_empty() { first } else { all.into() }))
}

/// Editors on some systems write a byte-order mark; it says nothing that we do not know.
fn without_mark(bytes: Bytes) -> Bytes {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if bytes.starts_with(MARK) { bytes.slice(MARK.len()..) } else { bytes }
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

/// The query string.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + IntoParams> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Error> {
        match axum::extract::Query::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(rejection) => {
                Err(Error::new(ErrorName::InvalidRequest, wrong_query::<T>(&parts.uri, &rejection)))
            }
        }
    }
}

/// How much of a value is shown: enough to recognise it by.
const SHOWN: usize = 80;

/// The error of a query, with the value and the allowed ones.
fn wrong_query<T: IntoParams>(uri: &Uri, rejection: &QueryRejection) -> String {
    type Located = serde_path_to_error::Error<serde::de::value::Error>;
    let located = rejection.source().and_then(|error| error.source()?.downcast_ref::<Located>());
    let Some(error) = located else { return format!("invalid query: {}", rejection.body_text()) };
    let (name, why) = (error.path().to_string(), error.inner());
    let is_known = T::into_params(|| None).iter().any(|parameter| parameter.name == name);
    let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri).map(|query| query.0);
    let value = pairs.unwrap_or_default().into_iter().find(|pair| pair.0 == name && is_known);
    let Some((_, value)) = value else { return format!("invalid query: {why}") };
    let value: String = value.chars().take(SHOWN).collect();
    match name.as_str() {
        "limit" => format!("expected limit from 1 to {HIGHEST_LIMIT}, got '{value}'"),
        "wait" => {
            format!("expected wait from 0 to {LONGEST_WAIT_SECONDS} whole seconds, got '{value}'")
        }
        "since" => {
            format!(
                "expected since as a time such as 2026-11-15T10:00:00Z (in a URL + is %2B), got '{value}'"
            )
        }
        name => format!("{name} is '{value}': {why}"),
    }
}

/// An id in the path. What cannot be an id is not found.
pub(crate) struct Id<T>(pub(crate) T);

pub(crate) trait PathId: std::str::FromStr<Err = accord_domain::id::IdError> {
    /// The error if nothing has this id.
    const ABSENT: ErrorName;
}

impl PathId for RunId {
    const ABSENT: ErrorName = ErrorName::RunNotFound;
}

impl PathId for SessionId {
    const ABSENT: ErrorName = ErrorName::SessionNotFound;
}

impl PathId for InputId {
    const ABSENT: ErrorName = ErrorName::InputNotFound;
}

impl PathId for RunnerId {
    const ABSENT: ErrorName = ErrorName::RunnerNotFound;
}

impl PathId for WorkflowRunId {
    const ABSENT: ErrorName = ErrorName::WorkflowRunNotFound;
}

impl<S: Send + Sync, T: PathId> FromRequestParts<S> for Id<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let absent = |error: String| Error::new(T::ABSENT, error);
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| absent(rejection.body_text()))?;
        text.parse().map(Self).map_err(|error: accord_domain::id::IdError| absent(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream::{self, Stream, StreamExt as _};
    use tokio::time::{Instant, sleep_until};

    use super::*;

    async fn read(pieces: impl Stream<Item = &'static str> + Send + 'static) -> Result<Bytes, Error> {
        let pieces = pieces.map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece.as_bytes())));
        let request = Request::builder().header(CONTENT_TYPE, "application/json");
        json(request.body(Body::from_stream(pieces)).unwrap(), 100).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_body_times_out() {
        let since = Instant::now();
        let refused = read(stream::iter(["{"]).chain(stream::pending())).await.unwrap_err();
        assert_eq!(refused.name(), ErrorName::InvalidRequest);
        assert!(refused.message().contains("no data received for 30 seconds"), "{refused}");
        assert!((SILENCE..SILENCE * 2).contains(&since.elapsed()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_come_slowly() {
        let since = Instant::now();
        let slowly = stream::iter(["{", "\"a\"", ":", " 1", "}"]).enumerate().then(
            move |(number, piece)| async move {
                sleep_until(since + Duration::from_secs(20) * u32::try_from(number).unwrap()).await;
                piece
            },
        );
        assert_eq!(read(slowly).await.unwrap(), "{\"a\": 1}");
        assert!(since.elapsed() >= SILENCE * 2);
        assert_eq!(read(stream::iter(["{}"])).await.unwrap(), "{}");
        assert_eq!(read(stream::empty()).await.unwrap(), "");
    }
}
