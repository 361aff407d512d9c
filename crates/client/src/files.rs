//! Files of callers.

use accord_api::{FileId, FileView, RunId, UploadQuery};

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Uploads a file. Its type is what its content says.
    pub async fn upload_file(&self, name: &UploadQuery, content: Vec<u8>) -> Result<FileView, ClientError> {
        self.post(&["files"]).query(query(name)?).file(content).read().await
    }

    /// The content of a file that a run was given.
    pub async fn file_of_run(&self, run: &RunId, file: &FileId) -> Result<Vec<u8>, ClientError> {
        self.get(&["runs", run.as_str(), "files", file.as_str()]).bytes().await
    }

    /// The content of a file that a run was given, for its runner.
    pub async fn run_file(&self, run: &RunId, file: &FileId) -> Result<Vec<u8>, ClientError> {
        self.get(&["runner", "runs", run.as_str(), "files", file.as_str()]).bytes().await
    }
}
