//! `/files`: files of callers, and those that runs were given.

use std::sync::Arc;

use accord_api::{ErrorBody, FileView, UploadQuery};
use accord_domain::file::FileRef;
use accord_domain::id::{FileId, RunId};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::{Extension, Json};

use super::extract::{FileBody, Id, Ids, Query};
use super::incoming::{ReceivedFile, Takes};
use super::route::{Route, Scope, route};
use crate::app::{App, Caller, Upload};
use crate::error::Error;
use crate::outstanding::Turn;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(upload, Call).takes(Takes::FILE).for_runs(Scope::Free).audited_as("file.uploaded", "/id"),
        route!(download, Read).for_runs(Scope::Free),
        route!(remove, Call).for_runs(Scope::Free).audited("file.deleted"),
        route!(of_run, Read).for_runs(Scope::Run),
        route!(for_runner, Run),
    ]
}

/// Uploads a file: a PNG, JPEG, GIF or WebP image, a PDF, or UTF-8 text, of at most 10 MiB.
///
/// The body is the file. Its id is the SHA-256 of its content; the same file again only extends its time. A file belongs to the API
/// key, and is kept for 30 days after its last use.
#[utoipa::path(
    post,
    path = "/files",
    operation_id = "uploadFile",
    tag = "files",
    params(
        UploadQuery,
        ("Content-Type" = Option<String>, Header, description = "Media type; it must agree with the content. Without it the content decides"),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The file"),
    responses(
        (status = 201, description = "The file", body = FileView),
        (status = 400, description = "InvalidRequest: empty, or of another type than Content-Type says", body = ErrorBody),
        (status = 413, description = "RequestTooLarge: the file, or all files of this key", body = ErrorBody),
        (status = 415, description = "UnsupportedMediaType: no image, PDF or text", body = ErrorBody),
    )
)]
pub(super) async fn upload(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<UploadQuery>,
    FileBody(file): FileBody,
) -> Result<(StatusCode, Json<FileView>), Error> {
    let ReceivedFile { media_type, content, counted } = file;
    let kept = app.files.keep(&caller, Upload { name: query.name, media_type, content }).await;
    drop(counted);
    Ok((StatusCode::CREATED, Json(kept?)))
}

/// Returns the content of a file of the caller's key.
#[utoipa::path(
    get,
    path = "/files/{id}",
    operation_id = "getFile",
    tag = "files",
    params(("id" = FileId, Path, description = "The file")),
    responses(
        (status = 200, description = "The content, with its media type", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, description = "FileNotFound", body = ErrorBody),
    )
)]
pub(super) async fn download(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<FileId>,
    _turn: Turn,
) -> Result<(HeaderMap, Vec<u8>), Error> {
    app.files.read(&caller, &id).await.map(content)
}

/// Deletes a file of the caller's key. Runs that were given it can no longer read it.
#[utoipa::path(
    delete,
    path = "/files/{id}",
    operation_id = "deleteFile",
    tag = "files",
    params(("id" = FileId, Path, description = "The file")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "FileNotFound", body = ErrorBody),
    )
)]
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<FileId>,
) -> Result<StatusCode, Error> {
    app.files.remove(&caller, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the content of a file that a run was given.
#[utoipa::path(
    get,
    path = "/runs/{id}/files/{file_id}",
    operation_id = "getRunFile",
    tag = "files",
    params(("id" = RunId, Path, description = "The run"), ("file_id" = FileId, Path, description = "The file")),
    responses(
        (status = 200, description = "The content, with its media type", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, description = "RunNotFound, FileNotFound", body = ErrorBody),
    )
)]
pub(super) async fn of_run(
    State(app): State<Arc<App>>,
    Ids(run, file): Ids<RunId, FileId>,
    _turn: Turn,
) -> Result<(HeaderMap, Vec<u8>), Error> {
    app.files.read_of_run(&run, &file).await.map(content)
}

/// Returns the content of a file that a run was given, for its runner.
#[utoipa::path(
    get,
    path = "/runner/runs/{id}/files/{file_id}",
    operation_id = "getRunFileForRunner",
    tag = "runners",
    params(("id" = RunId, Path, description = "The run"), ("file_id" = FileId, Path, description = "The file")),
    responses(
        (status = 200, description = "The content, with its media type", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, description = "RunNotFound, FileNotFound", body = ErrorBody),
    )
)]
pub(super) async fn for_runner(
    State(app): State<Arc<App>>,
    Ids(run, file): Ids<RunId, FileId>,
) -> Result<(HeaderMap, Vec<u8>), Error> {
    app.files.read_of_run(&run, &file).await.map(content)
}

/// A file as a response. What somebody uploaded must not run in the pages of the dashboard, wherever it is opened.
fn content((file, bytes): (FileRef, Vec<u8>)) -> (HeaderMap, Vec<u8>) {
    let quoted: String = file.name.chars().filter(|each| each.is_ascii_graphic() || *each == ' ').collect();
    let fields: [(HeaderName, String); 5] = [
        (CONTENT_TYPE, file.media_type),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", quoted.replace(['"', '\\'], ""))),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox".to_owned()),
        (CACHE_CONTROL, "private, max-age=86400, immutable".to_owned()),
        (ETAG, format!("\"{}\"", file.id)),
    ];
    let fields =
        fields.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(&value).ok()?)));
    (fields.collect(), bytes)
}
