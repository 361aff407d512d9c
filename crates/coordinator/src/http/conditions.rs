//! Headers that make requests safe to repeat and changes safe to make: `ETag`, `If-Match`, `If-None-Match`,
//! `Idempotency-Key`, `Accord-Contract`.

use accord_api::{ErrorName, KeyId};
use accord_json::{Checked, read_leniently};
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::audit::Repeated;
use super::incoming::Received;
use crate::app::{Caller, Expected, Made, Promise};
use crate::error::{Error, refuse};

/// Keys are random texts of their makers; ids of 36 characters are usual.
const LONGEST_KEY: usize = 255;

/// A hash as the `ETag` header.
pub(super) fn etag(hash: &str) -> [(HeaderName, HeaderValue); 1] {
    let value = HeaderValue::try_from(format!("\"{hash}\"")).unwrap_or(HeaderValue::from_static("\"\""));
    [(header::ETAG, value)]
}

/// A view, with its hash as the `ETag`; only the status if `If-None-Match` has that hash.
///
/// The hash is that of the definition, and the view may depend on others, for example on the users of a schema. So browsers
/// must not cache it.
pub(super) fn shown(headers: &HeaderMap, hash: &str, view: impl Serialize) -> Result<Response, Error> {
    let uncached = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    let is_known = match tags(headers, header::IF_NONE_MATCH)? {
        None => false,
        Some(Tags::Any) => true,
        Some(Tags::These(known)) => known.iter().any(|known| known == hash),
    };
    Ok(match is_known {
        true => (StatusCode::NOT_MODIFIED, etag(hash), uncached).into_response(),
        false => (etag(hash), uncached, Json(view)).into_response(),
    })
}

/// What `If-Match` and `If-None-Match` ask of a change.
pub(super) fn expected(headers: &HeaderMap) -> Result<Expected, Error> {
    match (tags(headers, header::IF_MATCH)?, tags(headers, header::IF_NONE_MATCH)?) {
        (None, None) => Ok(Expected::Anything),
        (Some(Tags::Any), None) => Ok(Expected::Present),
        (Some(Tags::These(hashes)), None) => Ok(Expected::OneOf(hashes)),
        (None, Some(Tags::Any)) => Ok(Expected::Absent),
        (None, Some(Tags::These(_))) => Err(refuse(
            "for changes, If-None-Match supports only '*' (create, but do not replace); use If-Match to replace a known version",
        )),
        (Some(_), Some(_)) => Err(refuse("If-Match and If-None-Match exclude each other; send one of them")),
    }
}

/// The tags in a header.
enum Tags {
    /// `*`: any existing version.
    Any,
    These(Vec<String>),
}

fn tags(headers: &HeaderMap, name: HeaderName) -> Result<Option<Tags>, Error> {
    let mut hashes = Vec::new();
    for value in headers.get_all(&name) {
        let text = value.to_str().map_err(|_| unreadable(&name))?;
        for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
            if tag == "*" {
                return Ok(Some(Tags::Any));
            }
            // A weak tag means the same here: there is one representation.
            let tag = tag.strip_prefix("W/").unwrap_or(tag);
            hashes.push(tag.trim_matches('"').to_owned());
        }
    }
    Ok(headers.contains_key(&name).then_some(Tags::These(hashes)))
}

/// The contract that `Accord-Contract` names.
pub(super) fn contract(headers: &HeaderMap) -> Result<Option<String>, Error> {
    let Some(value) = headers.get("accord-contract") else { return Ok(None) };
    let hash = value.to_str().map_err(|_| unreadable("Accord-Contract"))?;
    Ok(Some(hash.trim().to_owned()))
}

/// What `Idempotency-Key` promises. Keys of others, and for other routes, are other keys.
pub(super) async fn promise<'b>(
    headers: &HeaderMap,
    caller: &Caller,
    route: &str,
    body: impl Into<Option<&'b Received>>,
) -> Result<Option<Promise>, Error> {
    let is_named = headers.contains_key("idempotency-key");
    Ok(if is_named { Some(identity(headers, caller, route, body).await?) } else { None })
}

/// Who asks what: the same for a request that is repeated. The key is empty if the caller has named none.
pub(super) async fn identity<'b>(
    headers: &HeaderMap,
    caller: &Caller,
    route: &str,
    body: impl Into<Option<&'b Received>>,
) -> Result<Promise, Error> {
    let key = named_key(headers)?;
    let run = caller.run.as_ref().map(|acting| acting.run_id.as_str());
    // A command with an embedded coordinator gets a new key each time, but is the same caller: only
    // stored keys count.
    let key_id = caller.requested_by.as_ref().and_then(|by| by.key_id.as_ref());
    let who = run.or(key_id.map(KeyId::as_str)).unwrap_or("open");
    let scope = format!("{who} {route}");
    let fingerprint = match body.into() {
        Some(body) => body.with(fingerprint).await?,
        None => String::new(),
    };
    Ok(Promise { scope, key, fingerprint })
}

fn named_key(headers: &HeaderMap) -> Result<String, Error> {
    let mut values = headers.get_all("idempotency-key").iter();
    let Some(value) = values.next() else { return Ok(String::new()) };
    if values.next().is_some() {
        return Err(refuse("duplicate Idempotency-Key header; send it once"));
    }
    let key = value.to_str().map_err(|_| unreadable("Idempotency-Key"))?.trim();
    match key.is_empty() || key.len() > LONGEST_KEY {
        true => Err(refuse(format!("expected an Idempotency-Key of 1 to {LONGEST_KEY} characters"))),
        false => Ok(key.to_owned()),
    }
}

/// The identity of a body: its JSON document, regardless of the order of properties and of white
/// space, with numbers as written. A body that is not JSON is compared byte for byte.
fn fingerprint(body: &Checked<Bytes>) -> String {
    let document = read_leniently::<Value>(body).map(|mut document| {
        document.sort_all_objects();
        document.to_string()
    });
    let digest = match &document {
        Ok(text) => Sha256::digest(text),
        Err(_) => Sha256::digest(body.bytes()),
    };
    accord_blueprint::hex(&digest)
}

/// The created or changed object, with its hash as the `ETag`.
pub(super) fn made<T: Serialize>(made: Made<T>, hash: impl Fn(&T) -> &str) -> Result<Response, Error> {
    Ok(match made {
        Made::Created(view) => (StatusCode::CREATED, etag(hash(&view)), Json(view)).into_response(),
        Made::Changed(view) => (etag(hash(&view)), Json(view)).into_response(),
        Made::Replayed(answer) => made_before(answer)?,
    })
}

/// The first answer to a request that made something, given again: its hash as the `ETag`, as it was then.
fn made_before(answer: String) -> Result<Response, Error> {
    let first: Value = serde_json::from_str(&answer).map_err(Error::internal)?;
    let hash = first.get("hash").and_then(Value::as_str);
    let hash = hash.ok_or_else(|| Error::internal("a stored response has no hash"))?;
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((StatusCode::CREATED, etag(hash), json, Extension(Repeated), answer).into_response())
}

/// Refuses `Idempotency-Key` where the first answer cannot be given again, rather than letting a caller rely on it.
pub(super) fn no_promise(headers: &HeaderMap, why: &str) -> Result<(), Error> {
    match headers.contains_key("idempotency-key") {
        true => Err(refuse(format!("Idempotency-Key cannot be used here: {why}"))),
        false => Ok(()),
    }
}

fn unreadable(name: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorName::InvalidRequest,
        format!("the header {name} contains characters that are not printable ASCII"),
    )
}
