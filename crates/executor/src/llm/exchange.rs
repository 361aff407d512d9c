//! One request to a provider, repeated while that may help.

use std::time::{Duration, Instant};

use accord_trace::names;
use futures_util::StreamExt;
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use super::failure::{FailureContext, RequestFailure};
use super::intake::Intake;
use super::partial::Partial;
use super::retry::retry_after;
use super::wire::{ProviderError, ReadError, Reply, ReplyEnd};
use crate::answer::Usage;
use crate::event::{Channel, Event, Events};
use crate::files::Files;
use crate::retry::{Attempts, GaveUp, whole_milliseconds};
use crate::session::TurnError;
use crate::transport::{ByteStream, Response, Transport, TransportError};
use crate::turn::Allowance;

/// How long a provider may be silent. Local models read a long prompt for minutes before the first word.
const LONGEST_SILENCE: Duration = Duration::from_secs(300);

/// How long one answer may take. Hard thinking takes some minutes; a stream that drips for ever must end.
const LONGEST_ANSWER: Duration = Duration::from_secs(1800);

/// How long to wait for the end of the body after the last event: a connection that was read to its end can be reused.
const END_OF_BODY: Duration = Duration::from_millis(100);

/// The most that is read of an error's body.
const MAX_ERROR_BYTES: usize = 64 * 1024;

pub(super) struct Exchange<'a> {
    pub(super) asked: FailureContext<'a>,
    pub(super) transport: &'a dyn Transport,
    pub(super) allowance: &'a Allowance,
    pub(super) events: &'a Events,
    pub(super) stop: &'a CancellationToken,
    pub(super) files: &'a Files,
}

struct Attempt {
    status: Option<u16>,
    pause: Option<Duration>,
    result: Result<Reply, RequestFailure>,
}

impl Exchange<'_> {
    /// Sends a request until it is answered, refused, stopped, or given up. Its body is made for each try and not kept: an
    /// answer may take minutes. `usage` grows with each attempt, successful or not.
    pub(super) async fn ask(
        &self,
        body: impl Fn() -> Value,
        attempts: &mut Attempts,
        usage: &mut Usage,
    ) -> Result<Reply, TurnError> {
        attempts.begin();
        while !self.stop.is_cancelled() {
            let attempt = self.attempt_with_event(body(), usage).await;
            let reason = match attempt.result {
                Ok(reply) => return Ok(self.without_secrets(reply)),
                Err(RequestFailure::Permanent(error)) => return Err(error),
                Err(RequestFailure::Transient(reason)) => reason,
            };
            if self.allowance.is_used_up(usage) {
                return Err(TurnError::AllowanceUsedUp);
            }
            let wait = match self.transport.is_repeated() {
                Some(is_repeated) => attempts.failed_as_recorded(reason, is_repeated),
                None => attempts.failed(reason, attempt.pause),
            };
            let wait = wait.map_err(|GaveUp(reason)| TurnError::Transport(reason))?;
            let pause = wait.pause;
            self.events.tell(wait.event()).await;
            self.stop.run_until_cancelled(tokio::time::sleep(pause)).await;
        }
        Err(TurnError::Stopped)
    }

    async fn attempt_with_event(&self, body: Value, usage: &mut Usage) -> Attempt {
        let began = Instant::now();
        let span = self.span();
        let mut used = Usage::default();
        let attempting = timeout(LONGEST_ANSWER, self.attempt(body, &mut used)).instrument(span.clone());
        let over =
            |error| Attempt { status: None, pause: None, result: Err(RequestFailure::Permanent(error)) };
        let attempt = match self.stop.run_until_cancelled(attempting).await {
            Some(Ok(attempt)) => attempt,
            Some(Err(_)) => over(TurnError::TimedOut(LONGEST_ANSWER.as_secs())),
            None => over(TurnError::Stopped),
        };
        usage.add(used);
        let milliseconds = whole_milliseconds(began.elapsed());
        self.close(&span, &attempt, used);
        let (endpoint, status) = (self.asked.endpoint.name.clone(), attempt.status);
        self.events.tell(Event::Requested { endpoint, milliseconds, status }).await;
        attempt
    }

    /// These texts of a provider appear in errors and events, so they must not repeat our secrets.
    fn without_secrets(&self, mut reply: Reply) -> Reply {
        let endpoint = self.asked.endpoint;
        reply.model = endpoint.scrub(&reply.model);
        if let ReplyEnd::Refused(words) = &mut reply.end {
            *words = endpoint.scrub(words);
        }
        for call in &mut reply.calls {
            call.name = endpoint.scrub(&call.name);
        }
        reply
    }

    /// One request, for traces: the provider and the model, and no content.
    fn span(&self) -> Span {
        debug_span!(
            "chat",
            otel.name = format!("{} {}", names::CHAT, self.asked.model),
            otel.kind = "client",
            { names::STATUS_CODE } = Empty,
            { names::STATUS_MESSAGE } = Empty,
            { names::ERROR_TYPE } = Empty,
            { names::SERVER_ADDRESS } = self.asked.endpoint.host(),
            { names::SERVER_PORT } = self.asked.endpoint.port().map(accord_trace::count),
            { names::OPERATION } = names::CHAT,
            { names::PROVIDER } = self.asked.endpoint.trace_name(),
            { names::REQUEST_MODEL } = self.asked.model,
            { names::RESPONSE_MODEL } = Empty,
            { names::INPUT_TOKENS } = Empty,
            { names::OUTPUT_TOKENS } = Empty,
            { names::HTTP_STATUS } = Empty,
        )
    }

    fn close(&self, span: &Span, attempt: &Attempt, used: Usage) {
        span.record(names::HTTP_STATUS, attempt.status.map(accord_trace::count));
        span.record(names::INPUT_TOKENS, accord_trace::count(used.input_tokens));
        span.record(names::OUTPUT_TOKENS, accord_trace::count(used.output_tokens));
        match &attempt.result {
            Ok(reply) => {
                span.record(names::RESPONSE_MODEL, self.asked.endpoint.scrub(&reply.model));
                accord_trace::finish_reason(span, finish_reason(reply));
            }
            Err(failure) => {
                let (kind, message) = in_words(failure);
                match attempt.status {
                    Some(status) => accord_trace::failed(span, &status.to_string(), message),
                    None => accord_trace::failed(span, kind, message),
                }
            }
        }
    }

    /// Sends one request. `used` is the usage that was reported so far, which counts even if the request is abandoned.
    async fn attempt(&self, body: Value, used: &mut Usage) -> Attempt {
        let endpoint = self.asked.endpoint;
        let mut request = endpoint.request(self.asked.model, body, self.files.clone());
        let trace =
            accord_trace::current().map(|parent| (accord_trace::HEADER.to_owned(), parent.to_string()));
        request.headers.extend(trace);
        let sent =
            timeout(LONGEST_SILENCE, self.transport.send(request)).await.unwrap_or_else(|_| Err(silent()));
        match sent {
            Err(error) => Attempt { status: None, pause: None, result: Err(self.transport_failure(error)) },
            Ok(response) => Attempt {
                status: Some(response.status),
                pause: retry_after(&response.headers, Timestamp::now()),
                // Boxed: what comes after the response takes no room while it is waited for.
                result: Box::pin(self.read(response, used)).await,
            },
        }
    }

    async fn read(&self, response: Response, used: &mut Usage) -> Result<Reply, RequestFailure> {
        let Response { status, headers, body } = response;
        if !(200..300).contains(&status) {
            let text = error_body(body).await;
            return self.failed(ReadError::Provider(ProviderError::from_body(status, &text)));
        }
        let content_type = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
            .map(|(_, value)| value.to_lowercase());
        let encoding = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        if let Some((_, encoding)) = encoding.filter(|(_, value)| !value.eq_ignore_ascii_case("identity")) {
            return Err(RequestFailure::Permanent(TurnError::Failed(format!(
                "{} responded with `content-encoding: {}`, which was not requested; disable compression there",
                self.asked.endpoint.name,
                self.asked.one_line(encoding)
            ))));
        }
        let intake = Intake::new(self.asked.endpoint.wire, &content_type.unwrap_or_default());
        self.stream(intake, body, used).await
    }

    async fn stream(
        &self,
        mut intake: Intake,
        mut body: ByteStream,
        used: &mut Usage,
    ) -> Result<Reply, RequestFailure> {
        let endpoint = self.asked.endpoint;
        let mut partial = Partial::default();
        while let Some(bytes) = next(&mut body).await {
            let bytes = bytes.map_err(|error| self.transport_failure(error))?;
            let taken = intake.take(&bytes);
            *used = endpoint.priced(self.asked.model, intake.usage());
            partial.tell(intake.partial_text(), |text| {
                self.events.offer(Event::Partial { channel: Channel::Text, text })
            });
            match taken {
                Ok(false) => {}
                Ok(true) => {
                    timeout(END_OF_BODY, body.next()).await.ok();
                    break;
                }
                Err(error) => return self.failed(error),
            }
        }
        match intake.finish() {
            Ok(reply) => {
                *used = endpoint.priced(self.asked.model, reply.usage);
                Ok(reply)
            }
            Err(error) => self.failed(error),
        }
    }

    fn failed(&self, error: ReadError) -> Result<Reply, RequestFailure> {
        let answer = match &error {
            ReadError::Provider(problem) => problem.rejected_answer(),
            _ => None,
        };
        answer.ok_or_else(|| self.asked.read_error(error))
    }

    fn transport_failure(&self, error: TransportError) -> RequestFailure {
        let name = &self.asked.endpoint.name;
        match error {
            TransportError::Connection(why) => {
                RequestFailure::Transient(format!("no response from {name}: {}", self.asked.one_line(&why)))
            }
            TransportError::Impossible(why) => RequestFailure::Permanent(TurnError::Failed(format!(
                "cannot send the request to {name}: {}",
                self.asked.one_line(&why)
            ))),
            TransportError::NotRecorded(why) => {
                RequestFailure::Permanent(TurnError::Failed(self.asked.one_line(&why)))
            }
        }
    }
}

/// By the words that most providers use.
fn finish_reason(reply: &Reply) -> &'static str {
    match &reply.end {
        ReplyEnd::Truncated => "length",
        ReplyEnd::Refused(_) => "content_filter",
        ReplyEnd::Finished | ReplyEnd::Paused if !reply.calls.is_empty() => "tool_calls",
        ReplyEnd::Finished => "stop",
        ReplyEnd::Paused => "pause",
    }
}

/// The type of a failure, and a sentence for traces. What a provider says may repeat what it was sent, so it is left out.
fn in_words(failure: &RequestFailure) -> (&'static str, &'static str) {
    let RequestFailure::Permanent(error) = failure else {
        return ("unavailable", "the provider was unreachable or overloaded");
    };
    match error {
        TurnError::Stopped => ("cancelled", "the run was stopped"),
        TurnError::TimedOut(_) => ("timeout", "the answer took too long"),
        TurnError::SchemaRejected(_) | TurnError::FormatRejected(_) => {
            ("schema_rejected", "the provider rejected the schema")
        }
        TurnError::ToolRejected(_) => ("tool_rejected", "the provider rejected a tool"),
        TurnError::Transport(_) => ("unavailable", "the provider was unreachable or overloaded"),
        TurnError::Failed(_)
        | TurnError::TooManySteps(_)
        | TurnError::AllowanceUsedUp
        | TurnError::Diverged(_)
        | TurnError::InputRequired => ("failed", "the request failed; see the run"),
    }
}

async fn next(body: &mut ByteStream) -> Option<Result<Vec<u8>, TransportError>> {
    timeout(LONGEST_SILENCE, body.next()).await.unwrap_or_else(|_| Some(Err(silent())))
}

fn silent() -> TransportError {
    TransportError::Connection(format!("no data received for {} seconds", LONGEST_SILENCE.as_secs()))
}

/// The beginning of an error's body. A body that breaks off is used as it is, because the status matters.
async fn error_body(mut body: ByteStream) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < MAX_ERROR_BYTES {
        match next(&mut body).await {
            Some(Ok(more)) => bytes.extend_from_slice(&more),
            Some(Err(_)) | None => break,
        }
    }
    bytes.truncate(MAX_ERROR_BYTES);
    String::from_utf8_lossy(&bytes).into_owned()
}
