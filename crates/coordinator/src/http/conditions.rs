//! Headers that make requests safe to repeat and changes safe to make: `ETag`, `If-Match`, `Idempotency-Key`.

use accord_api::{ErrorName, KeyId};
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use sha2::{Digest, Sha256};

use crate::app::{Caller, Expected, Promise};
use crate::error::Error;

/// Keys are random texts of their makers; ids of 36 characters are usual.
const LONGEST_KEY: usize = 255;

/// A hash as the `ETag` header.
pub(super) fn etag(hash: &str) -> [(HeaderName, HeaderValue); 1] {
    let value = HeaderValue::try_from(format!("\"{hash}\"")).unwrap_or(HeaderValue::from_static("\"\""));
    [(header::ETAG, value)]
}

/// What `If-Match` asks.
pub(super) fn if_match(headers: &HeaderMap) -> Result<Expected, Error> {
    let mut hashes = Vec::new();
    for value in headers.get_all(header::IF_MATCH) {
        let text = value.to_str().map_err(|_| unreadable("If-Match"))?;
        for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
            if tag == "*" {
                return Ok(Expected::Present);
            }
            // A weak tag means the same here: there is one representation.
            let tag = tag.strip_prefix("W/").unwrap_or(tag);
            hashes.push(tag.trim_matches('"').to_owned());
        }
    }
    Ok(if headers.contains_key(header::IF_MATCH) { Expected::OneOf(hashes) } else { Expected::Anything })
}

/// What `Idempotency-Key` promises. Keys of others, and for other routes, are other keys.
pub(super) fn promise(
    headers: &HeaderMap,
    caller: &Caller,
    route: &str,
    body: &Bytes,
) -> Result<Option<Promise>, Error> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().map_err(|_| unreadable("Idempotency-Key"))?.trim();
    if key.is_empty() || key.len() > LONGEST_KEY {
        let message = format!("Idempotency-Key must have 1 to {LONGEST_KEY} characters");
        return Err(Error::new(ErrorName::InvalidRequest, message));
    }
    let run = caller.acting.as_ref().map(|acting| acting.run_id.as_str());
    let who = run.or(caller.key_id.as_ref().map(KeyId::as_str)).unwrap_or("open");
    let digest = Sha256::digest(body);
    let fingerprint = crate::app::hex(&digest);
    Ok(Some(Promise { scope: format!("{who} {route}"), key: key.to_owned(), fingerprint }))
}

/// Refuses `Idempotency-Key` where the first answer cannot be given again, rather than letting a caller rely on it.
pub(super) fn no_promise(headers: &HeaderMap, why: &str) -> Result<(), Error> {
    match headers.contains_key("idempotency-key") {
        true => {
            Err(Error::new(ErrorName::InvalidRequest, format!("Idempotency-Key cannot be used here: {why}")))
        }
        false => Ok(()),
    }
}

fn unreadable(name: &str) -> Error {
    Error::new(ErrorName::InvalidRequest, format!("the header {name} has characters that are not plain text"))
}
