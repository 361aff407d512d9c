//! Files of a run: uploaded before it is created.

use std::path::{Path, PathBuf};

use accord_api::file::MOST_FILE_BYTES;
use accord_api::{FileId, UploadQuery};
use accord_client::Client;
use accord_executor::RecordedFile;
use serde_json::Value;

use crate::failure::{Failure, Problem};

/// The keyword of a parameter that is a file.
const KEYWORD: &str = "x-file";

pub(super) async fn upload(client: &Client, files: &[PathBuf]) -> Result<Vec<FileId>, Failure> {
    let mut ids = Vec::with_capacity(files.len());
    for path in files {
        ids.push(upload_one(client, path).await?);
    }
    Ok(ids)
}

/// Puts ids in the place of paths, for the parameters that are files.
pub(super) async fn upload_named(
    client: &Client,
    parameters: &mut Value,
    blueprint: &Value,
) -> Result<(), Failure> {
    let properties = blueprint.pointer("/parameters_schema/properties").and_then(Value::as_object);
    for (name, declared) in properties.into_iter().flatten() {
        let values = match parameters.get_mut(name) {
            Some(value @ Value::String(_)) if declared.get(KEYWORD).is_some() => std::slice::from_mut(value),
            Some(Value::Array(values)) if declared.pointer("/items/x-file").is_some() => {
                values.as_mut_slice()
            }
            _ => continue,
        };
        for value in values {
            let Some(text) = value.as_str() else { continue };
            if text.parse::<FileId>().is_err() {
                let id = upload_one(client, Path::new(text)).await?;
                *value = Value::from(id.to_string());
            }
        }
    }
    Ok(())
}

/// Uploads the files of a recording. The ids are those that they had.
pub(crate) async fn upload_recorded(client: &Client, files: &[RecordedFile]) -> Result<Vec<FileId>, Failure> {
    let mut ids = Vec::with_capacity(files.len());
    for file in files {
        let name = UploadQuery { name: Some(file.name.clone()) };
        let content = file.content().map_err(Problem::new)?;
        ids.push(client.upload_file(&name, content).await?.id);
    }
    Ok(ids)
}

async fn upload_one(client: &Client, path: &Path) -> Result<FileId, Failure> {
    let shown = path.display();
    let unreadable = |error| Problem::new(format!("cannot read the file {shown}: {error}"));
    let size = tokio::fs::metadata(path).await.map_err(unreadable)?.len();
    if size > MOST_FILE_BYTES as u64 {
        let message = format!("the file {shown} has {size} bytes; expected at most {MOST_FILE_BYTES}");
        return Err(Problem::new(message)
            .hint("send a smaller one: fewer pages, or a lower resolution")
            .into());
    }
    let content = tokio::fs::read(path).await.map_err(unreadable)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(client.upload_file(&UploadQuery { name }, content).await?.id)
}
