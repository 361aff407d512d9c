//! Records the traffic of a transport.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use serde_json::Value;

use crate::llm::Provider;
use crate::toolbox::{ToolOutput, ToolSpec, Toolbox};
use crate::transport::{ByteStream, Request, Response, Transport, TransportError};

use super::body::Body;
use super::format::{Cassette, Cut, Exchange, RecordedRequest, RecordedResponse, RecordedResult, Reply};
use super::provider::RecordedProvider;
use super::redactor::Redactor;
use super::tools::RecordingToolbox;

/// The longest body that is recorded. Twice what is judged of an answer, since a stream wraps every word of it.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Headers of answers that are kept: what the body is, when to try again, how the provider names the request.
const KEPT_HEADERS: &[&str] =
    &["content-type", "content-encoding", "retry-after", "retry-after-ms", "request-id", "x-request-id"];

/// Replaces a key in a text of a provider.
const SCRUBBED: &str = "[secret]";

/// Collects the exchanges of a run. Clones collect into the same recording.
#[derive(Clone, Default)]
pub struct Recorder {
    tape: Arc<Mutex<Tape>>,
    redactor: Redactor,
}

#[derive(Default)]
struct Tape {
    exchanges: Vec<Recording>,
    mcp_tools: Vec<ToolSpec>,
}

struct Recording {
    request: RecordedRequest,
    progress: Progress,
    results: Vec<RecordedResult>,
}

enum Progress {
    Waiting,
    Failed(String),
    /// It could not be sent at all.
    Impossible,
    /// An answer; its cut is `Dropped` until the end of the body has been seen.
    Answered(RecordedResponse),
}

impl Recorder {
    /// A recorder that keeps these secrets out.
    pub fn new(redactor: Redactor) -> Self {
        Self { tape: Arc::default(), redactor }
    }

    /// The recording so far. A request that could not be sent is not in it. A body that was not read to its end is in it as
    /// far as it came.
    pub fn cassette(&self, agent: Value, parameters: Value, attempts: Value) -> Cassette {
        let tape = self.lock();
        let exchanges = tape.exchanges.iter().filter_map(|recording| self.exchange(recording)).collect();
        let redactor = &self.redactor;
        // The error message had its key replaced earlier, by another placeholder than the body has here.
        let attempts = Redactor::new([SCRUBBED.to_owned()]).value(redactor.value(attempts));
        let agent = redactor.agent(agent);
        let mut cassette = Cassette::new(agent, redactor.value(parameters), exchanges, attempts);
        cassette.mcp_tools = tape.mcp_tools.clone();
        cassette
    }

    /// The provider that a blueprint names, as it is kept, with the prices of these models.
    pub fn provider(&self, name: &str, provider: &Provider, models: &[&str]) -> RecordedProvider {
        let mut recorded = RecordedProvider::new(name, provider, models);
        recorded.base_url = recorded.base_url.map(|address| self.redactor.text(&address));
        recorded
    }

    /// The same tools, with what they give recorded.
    pub(crate) fn listen_to(&self, tools: Box<dyn Toolbox>) -> Box<dyn Toolbox> {
        Box::new(RecordingToolbox::new(tools, self.clone()))
    }

    /// Whether the recording contains a secret once the pieces of a stream are joined or escapes are removed, though not
    /// literally.
    pub fn spells_a_secret(&self) -> bool {
        let redactor = &self.redactor;
        self.lock().exchanges.iter().any(|recording| {
            let is_answered = match &recording.progress {
                Progress::Answered(response) => redactor.is_spelled(&redactor.bytes(&response.body.0)),
                Progress::Waiting | Progress::Failed(_) | Progress::Impossible => false,
            };
            let is_given = recording.results.iter().any(|result| {
                redactor.is_held(&result.text) || redactor.is_held(&result.arguments.to_string())
            });
            is_answered || is_given || redactor.is_held(&recording.request.body.to_string())
        })
    }

    fn exchange(&self, recording: &Recording) -> Option<Exchange> {
        let reply = match &recording.progress {
            Progress::Impossible => return None,
            Progress::Waiting => Reply::Unanswered,
            Progress::Failed(error) => Reply::Error(self.redactor.text(error)),
            Progress::Answered(response) => {
                let mut response = response.clone();
                response.body = Body(self.redactor.bytes(&response.body.0));
                if let Some(Cut::Lost(text)) = &mut response.cut {
                    *text = self.redactor.text(text);
                }
                Reply::Response(response)
            }
        };
        Some(Exchange { request: recording.request.clone(), reply, results: recording.results.clone() })
    }

    fn begin(&self, request: &Request) -> usize {
        let request = RecordedRequest {
            path: self.redactor.text(path_of(&request.url)),
            body: self.redactor.value(request.body.clone()),
        };
        let exchanges = &mut self.lock().exchanges;
        exchanges.push(Recording { request, progress: Progress::Waiting, results: Vec::new() });
        exchanges.len() - 1
    }

    /// These tools of MCP servers were offered.
    pub(super) fn offered(&self, specs: Vec<ToolSpec>) {
        let hidden = |spec: ToolSpec| ToolSpec {
            description: self.redactor.text(&spec.description),
            parameters: self.redactor.value(spec.parameters),
            ..spec
        };
        self.lock().mcp_tools = specs.into_iter().map(hidden).collect();
    }

    /// A tool gave this. It was asked for by the last answer.
    pub(super) fn gave(&self, name: &str, arguments: &Value, output: &ToolOutput) {
        let result = RecordedResult {
            name: name.to_owned(),
            arguments: self.redactor.value(arguments.clone()),
            ok: output.ok,
            text: self.redactor.text(&output.text),
        };
        if let Some(recording) = self.lock().exchanges.last_mut() {
            recording.results.push(result);
        }
    }

    fn set(&self, index: usize, progress: Progress) {
        if let Some(recording) = self.lock().exchanges.get_mut(index) {
            recording.progress = progress;
        }
    }

    fn update(&self, index: usize, change: impl FnOnce(&mut RecordedResponse)) {
        if let Some(Recording { progress: Progress::Answered(response), .. }) =
            self.lock().exchanges.get_mut(index)
        {
            change(response);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        // Every change is complete, so the state that a panicking thread leaves is valid.
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A transport that is listened to.
pub struct RecordingTransport {
    inner: Arc<dyn Transport>,
    recorder: Recorder,
}

impl RecordingTransport {
    /// Records what goes over `inner`.
    pub fn new(inner: Arc<dyn Transport>, recorder: Recorder) -> Self {
        Self { inner, recorder }
    }
}

#[async_trait]
impl Transport for RecordingTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let index = self.recorder.begin(&request);
        match self.inner.send(request).await {
            Ok(response) => {
                self.recorder.set(index, Progress::Answered(self.answered(&response)));
                let body = listen(response.body, self.recorder.clone(), index);
                Ok(Response { body, ..response })
            }
            Err(error) => {
                let progress = match &error {
                    TransportError::Connection(text) => Progress::Failed(text.clone()),
                    TransportError::Impossible(_) | TransportError::NotRecorded(_) => Progress::Impossible,
                };
                self.recorder.set(index, progress);
                Err(error)
            }
        }
    }
}

impl RecordingTransport {
    fn answered(&self, response: &Response) -> RecordedResponse {
        let kept = response.headers.iter().filter(|(name, _)| KEPT_HEADERS.contains(&name.as_str()));
        let headers: BTreeMap<String, String> =
            kept.map(|(name, value)| (name.clone(), self.recorder.redactor.text(value))).collect();
        RecordedResponse { status: response.status, headers, body: Body::default(), cut: Some(Cut::Dropped) }
    }
}

fn listen(body: ByteStream, recorder: Recorder, index: usize) -> ByteStream {
    Box::pin(stream::unfold((body, recorder), move |(mut body, recorder)| async move {
        let item = body.next().await;
        recorder.update(index, |response| note(response, item.as_ref()));
        item.map(|item| (item, (body, recorder)))
    }))
}

fn note(response: &mut RecordedResponse, item: Option<&Result<Vec<u8>, TransportError>>) {
    if response.cut != Some(Cut::Dropped) {
        return;
    }
    match item {
        None => response.cut = None,
        Some(Err(error)) => response.cut = Some(Cut::Lost(error.to_string())),
        Some(Ok(bytes)) if response.body.0.len() + bytes.len() > MAX_BODY_BYTES => {
            response.cut = Some(Cut::TooLarge);
        }
        Some(Ok(bytes)) => response.body.0.extend_from_slice(bytes),
    }
}

/// The path of a URL: the host may be private, and queries may contain keys.
pub(super) fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use serde_json::json;

    #[test]
    fn a_secret_that_a_tool_gives_with_escapes_is_noticed() {
        let recorder = Recorder::new(Redactor::new(["abc/def-secret".to_owned()]));
        let body = json!({"messages": ["abc/def-secret"]});
        recorder.begin(&Request {
            url: "http://localhost".to_owned(),
            headers: Vec::new(),
            body,
            files: Files::default(),
        });
        assert!(!recorder.spells_a_secret());
        let text = r#"{"key": "abc\/def-secret"}"#.to_owned();
        recorder.gave("look", &json!({}), &ToolOutput { ok: true, text });
        assert!(recorder.spells_a_secret());
    }

    #[test]
    fn only_the_path_of_an_address_is_kept() {
        for (url, path) in [
            ("https://user:pass@api.example.com:8443/v1/messages?key=abc#x", "/v1/messages"),
            ("http://localhost", "/"),
            ("http://localhost?key=/a", "/"),
            ("/v1/chat", "/v1/chat"),
        ] {
            assert_eq!(path_of(url), path);
        }
    }
}
