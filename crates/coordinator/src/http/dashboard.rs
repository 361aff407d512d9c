//! `/` and `/ui/…`: the dashboard that is built into the binary.
//!
//! The pages are all under `/ui`, because `/agents` and `/sessions` are the API's. Every path that
//! is not a file returns the application, which does its own routing. A build without the bundle
//! shows how to build one.
//!
//! Nothing is compressed here: the bundle contains `x.gz` next to `x`.

use std::borrow::Cow;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::on;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::route::{Access, Route};

#[derive(RustEmbed)]
#[folder = "../../dashboard/dist"]
#[allow_missing = true]
struct Bundle;

/// No inline scripts, nothing from elsewhere, and no text that becomes markup: what a model wrote cannot run even if a
/// page were to show it wrongly. Style attributes are let through, because the code editor sets one; style elements are
/// not.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'";

/// The names of these files carry a hash of what is in them.
const HASHED: &str = "assets/";

const NOT_BUILT: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Accord</title>
<h1>The dashboard is not in this build</h1>
<p>Accord is running. Its dashboard needs Node 20 or newer to be built. In the folder of the source:</p>
<pre>cd dashboard
npm ci
npm run build
cd ..
cargo build --package accord-cli</pre>
<p>Then start Accord again. Meanwhile there are the command line (<code>accord --help</code>) and
<a href=\"/docs\">the API</a>.</p>
";

pub(super) fn routes() -> Vec<Route> {
    // The files hold no data, so they are open: what the dashboard shows, it asks for with a key.
    let page = |path| Route::page(path, Access::Open, |filter| on(filter, page));
    vec![
        page("/"),
        page("/ui"),
        page("/ui/"),
        Route::page("/ui/{*path}", Access::Open, |filter| on(filter, file)),
    ]
}

/// Whether a path of the table of routes is the dashboard's, and so no part of the API.
#[cfg(test)]
pub(super) fn serves(path: &str) -> bool {
    path == "/" || path == "/ui" || path.starts_with("/ui/")
}

async fn page(headers: HeaderMap) -> Response {
    index(&headers)
}

async fn file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    if path.starts_with(HASHED) {
        let cached = "public, max-age=31536000, immutable";
        return found(&path, cached, &headers).unwrap_or_else(|| StatusCode::NOT_FOUND.into_response());
    }
    // File names contain a dot; paths of pages do so only in the names of users' objects.
    if path.contains('.')
        && !path.contains('/')
        && let Some(response) = found(&path, "public, max-age=3600", &headers)
    {
        return response;
    }
    index(&headers)
}

fn index(headers: &HeaderMap) -> Response {
    found("index.html", "no-cache", headers)
        .unwrap_or_else(|| sent(Cow::Borrowed(NOT_BUILT.as_bytes()), "text/html; charset=utf-8", "no-store"))
}

/// A file of the bundle, compressed if available and accepted by the client.
fn found(path: &str, cache: &'static str, headers: &HeaderMap) -> Option<Response> {
    let accepts_gzip = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.split(',').any(|coding| coding.trim() == "gzip"));
    let compressed: Option<EmbeddedFile> =
        if accepts_gzip { Bundle::get(&format!("{path}.gz")) } else { None };
    if let Some(file) = compressed {
        let mut response = sent(file.data, kind(path), cache);
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return Some(response);
    }
    Bundle::get(path).map(|file| sent(file.data, kind(path), cache))
}

fn sent(data: Cow<'static, [u8]>, kind: &'static str, cache: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "accept-encoding"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    (headers, data).into_response()
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
