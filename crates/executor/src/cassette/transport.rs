//! A recording in the place of the network.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::toolbox::ToolOutput;
use crate::transport::{Request, Response, Transport, TransportError};

use super::difference::first_difference;
use super::format::{Cassette, Cut, Ended, Exchange, RecordedResponse, Reply};
use super::recorder::path_of;

/// Which recorded exchange answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matching {
    /// The first one not used yet whose path and body are equal. Equal requests are answered in their order.
    #[default]
    Exact,
    /// The next one, whatever the request.
    Order,
}

/// How long to wait after the last recorded piece of a body that was not read to its end, before the run counts as ended
/// there. Longer than a reader that is done waits for the end of the body.
const READ_ON: Duration = Duration::from_millis(500);

/// What to do if a request is not in the recording.
const RECORD_AGAIN: &str = "record it again with `accord record` (the agent needs its llm executor for that)";

/// Answers requests from a recording. Each exchange is used once. The recording of a run that was ended gives no answer
/// where it ends, and reports the end.
pub struct ReplayTransport {
    exchanges: Vec<Exchange>,
    ended: Option<Ended>,
    over: CancellationToken,
    matching: Matching,
    state: Mutex<State>,
}

struct State {
    used: Vec<bool>,
    current: Option<usize>,
    /// How many of its results were had.
    results: usize,
    /// The message for a request that is not in the recording.
    missing: Option<String>,
}

impl ReplayTransport {
    /// Answers equal requests.
    pub fn new(cassette: Cassette) -> Self {
        Self::with_matching(cassette, Matching::Exact)
    }

    /// Answers requests from recordings.
    pub fn with_matching(cassette: Cassette, matching: Matching) -> Self {
        let used = vec![false; cassette.exchanges.len()];
        let state = State { used, current: None, results: 0, missing: None };
        Self {
            exchanges: cassette.exchanges,
            ended: cassette.ended,
            over: CancellationToken::new(),
            matching,
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is complete, so the state that a panicking thread leaves is valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the recording is over, and says how its run was ended.
    pub(super) async fn over(&self) -> Ended {
        match self.ended {
            Some(ended) => {
                self.over.cancelled().await;
                ended
            }
            None => std::future::pending().await,
        }
    }

    /// Whether the run ended after this exchange.
    fn ends_behind(&self, index: Option<usize>) -> bool {
        self.ended.is_some() && index.map_or(0, |index| index + 1) == self.exchanges.len()
    }

    /// The recorded result of the tool that is called, unless the run was ended while it worked.
    pub(super) async fn call(&self, name: &str, cancel: &CancellationToken) -> ToolOutput {
        let (output, is_missing) = self.result(name);
        if is_missing {
            self.over.cancel();
            cancel.cancelled().await;
        }
        output
    }

    /// The recorded result of the tool that is called: the next one of the last exchange. If there is none, the next request
    /// fails, unless only the order of requests counts. Also returns whether the run was ended before there was a result.
    fn result(&self, name: &str) -> (ToolOutput, bool) {
        let mut state = self.lock();
        let exchange = state.current.and_then(|index| self.exchanges.get(index));
        let result = exchange.and_then(|exchange| exchange.results.get(state.results));
        match result.filter(|result| result.name == name) {
            Some(result) => {
                state.results += 1;
                (ToolOutput { ok: result.ok, text: result.text.clone() }, false)
            }
            None => {
                let (number, count) = (state.current.map_or(0, |index| index + 1), self.exchanges.len());
                let text = format!(
                    "the recording has no result for the call of `{name}` in exchange {number} of {count}, and a replay does not run tools; {RECORD_AGAIN}"
                );
                state.missing.get_or_insert_with(|| text.clone());
                (ToolOutput { ok: false, text }, self.ends_behind(state.current))
            }
        }
    }

    /// The exchange that answers, with its place. None where the run was ended instead.
    fn take(&self, request: &Request) -> Result<Option<(usize, &Exchange)>, TransportError> {
        let mut state = self.lock();
        if let (Matching::Exact, Some(missing)) = (self.matching, &state.missing) {
            return Err(TransportError::NotRecorded(missing.clone()));
        }
        let path = path_of(&request.url);
        let fits = |exchange: &Exchange| match self.matching {
            Matching::Order => true,
            Matching::Exact => exchange.request.path == path && exchange.request.body == request.body,
        };
        let is_used = |index: usize| state.used.get(index).copied().unwrap_or(true);
        let mut all = self.exchanges.iter().enumerate();
        match all.find(|(index, exchange)| !is_used(*index) && fits(exchange)) {
            Some((index, exchange)) => {
                state.used.get_mut(index).into_iter().for_each(|used| *used = true);
                (state.current, state.results) = (Some(index), 0);
                Ok(Some((index, exchange)))
            }
            None if self.ended.is_some() && state.used.iter().all(|used| *used) => Ok(None),
            None => Err(TransportError::NotRecorded(self.explain(&state.used, path, request))),
        }
    }

    /// Why there is no answer, in comparison with the exchange that would have been next.
    fn explain(&self, used: &[bool], path: &str, request: &Request) -> String {
        let count = self.exchanges.len();
        let next = self.exchanges.iter().zip(used).enumerate().find(|(_, (_, used))| !**used);
        let why = match next {
            None => format!("all of its {count} exchanges have been used"),
            Some((index, (exchange, _))) => {
                let number = index + 1;
                let recorded = &exchange.request;
                match first_difference(&recorded.body, &request.body) {
                    _ if recorded.path != path => {
                        format!("exchange {number} of {count} was sent to {}", recorded.path)
                    }
                    Some(found) => format!(
                        "it differs from exchange {number} of {count} at '{}': recorded {}, requested {}",
                        found.pointer, found.recorded, found.asked
                    ),
                    None => format!("exchange {number} of {count} is for another request"),
                }
            }
        };
        // The remedy comes first: a long message is cut at its end.
        format!(
            "this agent plays a recording, which has no answer for this input: use the recorded input \
             (`accord run AGENT --recorded`), give it a model (`accord init --model MODEL`), or {RECORD_AGAIN}; {why}"
        )
    }
}

#[async_trait]
impl Transport for ReplayTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let Some((index, exchange)) = self.take(&request)? else { return self.never().await };
        let is_end = self.ends_behind(Some(index));
        match &exchange.reply {
            Reply::Unanswered if is_end => self.never().await,
            Reply::Unanswered => Err(TransportError::Connection("no answer was recorded".to_owned())),
            Reply::Error(text) => Err(TransportError::Connection(text.clone())),
            Reply::Response(response @ RecordedResponse { cut: Some(Cut::Dropped), .. }) if is_end => {
                let Response { status, headers, body } = replay(response);
                let over = self.over.clone();
                let end = stream::once(async move {
                    tokio::time::sleep(READ_ON).await;
                    over.cancel();
                    std::future::pending().await
                });
                Ok(Response { status, headers, body: Box::pin(body.chain(end)) })
            }
            Reply::Response(response) => Ok(replay(response)),
        }
    }

    /// A request was repeated where the next exchange is the same one. One that was ended meanwhile has no next exchange.
    fn is_repeated(&self) -> Option<bool> {
        let index = self.lock().current?;
        let (current, next) = (self.exchanges.get(index)?, self.exchanges.get(index + 1));
        Some(next.map_or(self.ended.is_some(), |next| next.request == current.request))
    }
}

impl ReplayTransport {
    /// The run was ended while it waited for this.
    async fn never(&self) -> Result<Response, TransportError> {
        self.over.cancel();
        std::future::pending().await
    }
}

fn replay(response: &RecordedResponse) -> Response {
    let mut items: Vec<Result<Vec<u8>, TransportError>> =
        response.body.lines().map(|line| Ok(line.to_owned())).collect();
    match &response.cut {
        // The recorded run did not read further, so no end is missing.
        None | Some(Cut::Dropped) => {}
        Some(Cut::Lost(text)) => items.push(Err(TransportError::Connection(text.clone()))),
        Some(Cut::TooLarge) => {
            let text =
                "the recording ends here, because the response was too large to be recorded".to_owned();
            items.push(Err(TransportError::NotRecorded(text)));
        }
    }
    // Waiting as long as the provider once asked for would make a replay slow for nothing.
    let headers = response.headers.iter().map(|(name, value)| match name.as_str() {
        "retry-after" | "retry-after-ms" => (name.clone(), "0".to_owned()),
        _ => (name.clone(), value.clone()),
    });
    Response { status: response.status, headers: headers.collect(), body: Box::pin(stream::iter(items)) }
}
