//! `/openapi.json`, and `/docs`: a page made from it.
//!
//! The page is whole as it is served: no scripts, and nothing is fetched from elsewhere.

mod bounds;
mod refusals;

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;
use utoipa::OpenApi;

use super::route::{Route, route};
use super::routes::describe_all;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(document, Open), route!(docs, Open)]
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Accord",
        description = "Runs AI agents under contract: a run returns a result that conforms to its schema, or an error that explains why not.",
    ),
    components(schemas(
        accord_api::EventView,
        accord_api::RunView,
        accord_api::Contract,
        accord_api::WorkflowRunView
    ))
)]
struct Document;

#[expect(clippy::expect_used, reason = "the document is made from this build alone, and tests make it")]
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut api = Document::openapi();
    describe_all(&mut api);
    let mut document = serde_json::to_value(api).expect("the OpenAPI document is JSON");
    refusals::describe(&mut document);
    bounds::state(&mut document);
    accord_blueprint::rewrite_for_generators(&mut document);
    document
});

static JSON: LazyLock<String> = LazyLock::new(|| DOCUMENT.to_string());

static PAGE: LazyLock<String> = LazyLock::new(|| page(&DOCUMENT));

/// Returns this API description as OpenAPI 3.1.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "getOpenApi",
    tag = "server",
    responses((status = 200, description = "The document", body = Object))
)]
async fn document() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], JSON.as_str()).into_response()
}

/// Returns this API description as an HTML page.
#[utoipa::path(
    get,
    path = "/docs",
    operation_id = "getApiDocs",
    tag = "server",
    responses((status = 200, description = "The page", content_type = "text/html", body = String))
)]
async fn docs() -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(PAGE.as_str())).into_response()
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>Accord API</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.5rem; border: 1px solid; }
summary { cursor: pointer; padding: 0.25rem 0; }
td, th { text-align: left; vertical-align: top; padding: 0 1rem 0 0; }
</style>
<h1>Accord API</h1>
<p>Also available as <a href=\"openapi.json\">OpenAPI</a>.</p>
";

fn page(document: &Value) -> String {
    let mut html = String::from(HEAD);
    for (path, item) in members(document.get("paths")) {
        for (method, operation) in members(Some(item)) {
            push_operation(&mut html, method, path, operation);
        }
    }
    html.push_str("<h2>Shapes</h2>\n");
    for (name, schema) in members(document.pointer("/components/schemas")) {
        let text = serde_json::to_string_pretty(schema).unwrap_or_default();
        let _ = writeln!(
            html,
            "<details id=\"{0}\"><summary><code>{0}</code></summary><pre>{1}</pre></details>",
            escaped(name),
            escaped(&text)
        );
    }
    html
}

fn push_operation(html: &mut String, method: &str, path: &str, operation: &Value) {
    let text = |name: &str| escaped(operation.get(name).and_then(Value::as_str).unwrap_or_default());
    let _ = write!(
        html,
        "<details><summary><code>{} {}</code> {}</summary>\n<p>{}</p>\n<table>\n",
        method.to_uppercase(),
        escaped(path),
        text("summary"),
        text("description")
    );
    for parameter in operation.get("parameters").and_then(Value::as_array).into_iter().flatten() {
        let of = |name: &str| escaped(parameter.get(name).and_then(Value::as_str).unwrap_or_default());
        push_row(html, &format!("{} ({})", of("name"), of("in")), &of("description"));
    }
    if let Some(body) = operation.get("requestBody") {
        push_row(html, "body", &shape(body));
    }
    for (status, response) in members(operation.get("responses")) {
        let said = escaped(response.get("description").and_then(Value::as_str).unwrap_or_default());
        push_row(html, &escaped(status), &format!("{said} {}", shape(response)));
    }
    html.push_str("</table></details>\n");
}

fn push_row(html: &mut String, name: &str, said: &str) {
    let _ = writeln!(html, "<tr><th><code>{name}</code></th><td>{said}</td></tr>");
}

/// A link to the shape of a body, where it has a name.
fn shape(body: &Value) -> String {
    let content = members(body.get("content")).next();
    let reference = content.and_then(|(_, content)| content.pointer("/schema/$ref")).and_then(Value::as_str);
    let Some(name) = reference.and_then(|reference| reference.rsplit('/').next()) else {
        return String::new();
    };
    format!("<a href=\"#{0}\"><code>{0}</code></a>", escaped(name))
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::dashboard;
    use crate::http::routes::ROUTES;

    #[test]
    fn the_document_has_exactly_the_routes() {
        let document: Value = serde_json::from_str(&JSON).unwrap();
        let described: BTreeSet<String> = members(document.get("paths"))
            .flat_map(|(path, item)| {
                members(Some(item)).map(move |(method, _)| format!("{} {path}", method.to_uppercase()))
            })
            .collect();
        let routes: BTreeSet<String> = ROUTES
            .iter()
            .filter(|route| !dashboard::serves(route.path))
            .map(|route| format!("{} {}", route.method, route.path))
            .collect();
        assert_eq!(described, routes);
    }

    #[test]
    fn every_operation_has_a_unique_name() {
        let document: Value = serde_json::from_str(&JSON).unwrap();
        let mut names = BTreeSet::new();
        for (path, item) in members(document.get("paths")) {
            for (method, operation) in members(Some(item)) {
                let name = operation.get("operationId").and_then(Value::as_str).unwrap();
                assert!(names.insert(name), "{method} {path}: {name} is taken");
            }
        }
    }

    /// The dashboard's types are made from this file. `cargo xtask gen` writes it, by this test.
    #[test]
    fn the_file_of_the_dashboard_is_current() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dashboard/openapi.json");
        let document: Value = serde_json::from_str(&JSON).unwrap();
        let text = format!("{}\n", serde_json::to_string_pretty(&document).unwrap());
        if std::env::var_os("ACCORD_WRITE_OPENAPI").is_some() {
            std::fs::write(file, &text).unwrap();
        }
        let found = std::fs::read_to_string(file).unwrap();
        assert!(found == text, "dashboard/openapi.json is not the interface any more: run 'cargo xtask gen'");
    }

    #[test]
    fn the_page_fetches_nothing() {
        assert!(PAGE.contains("POST /runs"));
        for word in ["<script", "src=", "http://", "https://", "<link", "@import", "url("] {
            assert!(!PAGE.contains(word), "{word}");
        }
    }
}
