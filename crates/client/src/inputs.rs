//! What people are asked.

use accord_api::{AnswerInput, InputId, InputLink, InputQuery, InputRequest, Page};

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Requests for input, the newest first.
    pub async fn inputs(&self, which: &InputQuery) -> Result<Page<InputRequest>, ClientError> {
        self.get(&["inputs"]).query(query(which)?).read().await
    }

    /// A request for input.
    pub async fn input(&self, id: &InputId) -> Result<InputRequest, ClientError> {
        self.get(&["inputs", id.as_str()]).read().await
    }

    /// Answers a request for input. The first answer that conforms counts.
    pub async fn answer_input(
        &self,
        id: &InputId,
        answer: &AnswerInput,
    ) -> Result<InputRequest, ClientError> {
        self.post(&["inputs", id.as_str()]).body(answer).read().await
    }

    /// Makes a one-time link to a request for input.
    pub async fn input_link(&self, id: &InputId) -> Result<InputLink, ClientError> {
        self.post(&["inputs", id.as_str(), "link"]).read().await
    }
}
