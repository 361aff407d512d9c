//! Request bodies, with errors that say where.

use accord_api::ErrorName;
use axum::body::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;

/// Reads a body that may hold raw JSON: straight from the text. Only what cannot be read is read once more, for the place.
pub(crate) fn read<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(value),
        Err(_) => read_slowly(bytes),
    }
}

fn read_slowly<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(invalid)?;
    deserializer
        .end()
        .map_err(|error| Error::new(ErrorName::InvalidRequest, format!("the body: {error}")))?;
    Ok(value)
}

/// Reads a body that holds tagged shapes: by way of a value, because numbers are kept as written.
pub(crate) fn read_tagged<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    let value: Value = read(bytes)?;
    // By reference, so that the value is still there to be read once more.
    T::deserialize(&value).or_else(|_| serde_path_to_error::deserialize(&value).map_err(invalid))
}

/// A place that is longer than this helps nobody to find it.
const LONGEST_PATH: usize = 200;

fn shortened(path: String) -> String {
    match path.char_indices().nth(LONGEST_PATH) {
        Some((end, _)) => format!("{}…", path.get(..end).unwrap_or_default()),
        None => path,
    }
}

fn invalid(error: serde_path_to_error::Error<serde_json::Error>) -> Error {
    let path = shortened(error.path().to_string());
    let message = error.into_inner().to_string();
    let place = if path == "." { String::new() } else { format!(" at {path}") };
    Error::new(ErrorName::InvalidRequest, format!("the body cannot be read{place}: {message}"))
}
