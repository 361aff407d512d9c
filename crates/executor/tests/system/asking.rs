//! A small executor over a transport, and a transport with a list of answers.

use std::sync::{Arc, Mutex};

use accord_executor::{
    Answer, Capabilities, Events, Executor, OpenError, Request, Response, Session, Start, Transport,
    TransportError, Turn, TurnError, TurnFailure, Usage,
};
use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "sk-very-secret";

pub(crate) type Item = Result<Vec<u8>, TransportError>;

/// A status and a body in chunks, or a failure.
pub(crate) type Scripted = Result<(u16, Vec<Item>), TransportError>;

/// A transport that answers from a list.
pub(crate) struct Script(Mutex<Vec<Scripted>>);

impl Script {
    pub(crate) fn of(answers: Vec<Scripted>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(answers)))
    }
}

#[async_trait]
impl Transport for Script {
    async fn send(&self, _request: Request) -> Result<Response, TransportError> {
        let (status, items) = self.0.lock().unwrap().remove(0)?;
        let headers = [
            ("content-type", "text/plain"),
            ("content-encoding", "identity"),
            ("set-cookie", KEY),
            ("request-id", "req_1"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Ok(Response { status, headers, body: Box::pin(stream::iter(items)) })
    }
}

/// Sends one request per turn, and repeats it once if the connection fails.
pub(crate) struct Asking(pub(crate) Arc<dyn Transport>);

struct AskingSession {
    transport: Arc<dyn Transport>,
    base_url: String,
    said: Vec<String>,
}

#[async_trait]
impl Executor for Asking {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        // It reports no costs.
        assert!(!start.costs_are_limited);
        let base_url = start.settings.get("base_url").and_then(Value::as_str).unwrap().to_owned();
        let said = start.conversation.map(|said| serde_json::from_value(said).unwrap()).unwrap_or_default();
        Ok(Box::new(AskingSession { transport: Arc::clone(&self.0), base_url, said }))
    }
}

#[async_trait]
impl Session for AskingSession {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            endpoint: self.base_url.clone(),
            model: "m".to_owned(),
            native: None,
            tool: None,
            json_mode: false,
            native_beside_tools: false,
            reprompt: true,
            max_tokens: None,
            takes_ceiling: false,
            repeats: true,
            records_steps: false,
            takes_pdfs: true,
        }
    }

    async fn turn(&mut self, turn: Turn, _: &Events, _: &CancellationToken) -> Result<Answer, TurnFailure> {
        self.said.push(turn.prompt);
        let request = request(&self.base_url, json!({"messages": self.said}));
        let result = match self.transport.send(request.clone()).await {
            Err(TransportError::Connection(_)) => self.transport.send(request).await,
            result => result,
        };
        let failed = |error: TransportError| TurnFailure {
            error: TurnError::Transport(error.to_string()),
            usage: Usage::default(),
        };
        let bytes = all(result.map_err(failed)?).await.map_err(failed)?;
        let text = String::from_utf8(bytes).unwrap();
        self.said.push(text.clone());
        Ok(Answer::of_text(text, "m"))
    }

    fn conversation(&self) -> Option<Value> {
        Some(json!(self.said))
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(self: Box<Self>) {}
}

pub(crate) fn request(base_url: &str, body: Value) -> Request {
    let headers = vec![("authorization".to_owned(), format!("Bearer {KEY}"))];
    Request {
        url: format!("{base_url}/v1/chat?key={KEY}"),
        headers,
        body,
        files: accord_executor::Files::default(),
    }
}

pub(crate) async fn all(response: Response) -> Result<Vec<u8>, TransportError> {
    let items: Vec<Item> = response.body.collect().await;
    items.into_iter().collect::<Result<Vec<_>, _>>().map(|parts| parts.concat())
}
