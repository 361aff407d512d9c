//! A recording in the place of the network.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures_util::stream;

use crate::toolbox::ToolOutput;
use crate::transport::{Request, Response, Transport, TransportError};

use super::difference::first_difference;
use super::format::{Cassette, Cut, Exchange, RecordedResponse, Reply};
use super::recorder::path_of;

/// Which recorded exchange answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matching {
    /// The first one not used yet whose path and body are equal. Equal requests are answered in their order.
    #[default]
    Exact,
    /// The next one, whatever is asked.
    Order,
}

/// Answers requests from a recording. Each exchange is used once.
pub struct ReplayTransport {
    exchanges: Vec<Exchange>,
    matching: Matching,
    state: Mutex<State>,
}

/// How far a recording is used.
struct State {
    /// Which exchanges were had.
    used: Vec<bool>,
    /// The last one that was had.
    current: Option<usize>,
    /// How many of its results were had.
    results: usize,
    /// What was asked for and is not there, in words.
    missing: Option<String>,
}

impl ReplayTransport {
    /// Answers equal requests.
    pub fn new(cassette: Cassette) -> Self {
        Self::with_matching(cassette, Matching::Exact)
    }

    /// Answers requests as told.
    pub fn with_matching(cassette: Cassette, matching: Matching) -> Self {
        let used = vec![false; cassette.exchanges.len()];
        let state = State { used, current: None, results: 0, missing: None };
        Self { exchanges: cassette.exchanges, matching, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is whole, so what a panicking thread left is sound.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the tool gave that is called now: the next result of the last exchange. Where there is none the turn cannot go
    /// on, which the next request says, unless only the order of requests counts.
    pub(super) fn result(&self, name: &str) -> ToolOutput {
        let mut state = self.lock();
        let exchange = state.current.and_then(|index| self.exchanges.get(index));
        let result = exchange.and_then(|exchange| exchange.results.get(state.results));
        match result.filter(|result| result.name == name) {
            Some(result) => {
                state.results += 1;
                ToolOutput { ok: result.ok, text: result.text.clone() }
            }
            None => {
                let (number, count) = (state.current.map_or(0, |index| index + 1), self.exchanges.len());
                let text = format!(
                    "the recording has no result for the call of `{name}` in exchange {number} of {count}, and a replay \
                     runs no tools; record again with `accord record`"
                );
                state.missing.get_or_insert_with(|| text.clone());
                ToolOutput { ok: false, text }
            }
        }
    }

    fn take(&self, request: &Request) -> Result<&Exchange, TransportError> {
        let mut state = self.lock();
        if let (Matching::Exact, Some(missing)) = (self.matching, &state.missing) {
            return Err(TransportError::Impossible(missing.clone()));
        }
        let path = path_of(&request.url);
        let fits = |exchange: &Exchange| match self.matching {
            Matching::Order => true,
            Matching::Exact => exchange.request.path == path && exchange.request.body == request.body,
        };
        let mut unused = self.exchanges.iter().enumerate().zip(&mut state.used).filter(|(_, used)| !**used);
        match unused.find(|((_, exchange), _)| fits(exchange)) {
            Some(((index, exchange), used)) => {
                *used = true;
                (state.current, state.results) = (Some(index), 0);
                Ok(exchange)
            }
            None => Err(TransportError::Impossible(self.explain(&state.used, path, request))),
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
                        "it differs from exchange {number} of {count} at '{}': recorded {}, asked {}",
                        found.pointer, found.recorded, found.asked
                    ),
                    None => format!("exchange {number} of {count} is for another request"),
                }
            }
        };
        format!(
            "the recording has no answer for this request to {path}: {why}; record again with `accord record`"
        )
    }
}

#[async_trait]
impl Transport for ReplayTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        match &self.take(&request)?.reply {
            Reply::Error(text) => Err(TransportError::Connection(text.clone())),
            Reply::Response(response) => Ok(replay(response)),
        }
    }
}

fn replay(response: &RecordedResponse) -> Response {
    let mut items: Vec<Result<Vec<u8>, TransportError>> =
        response.body.lines().map(|line| Ok(line.to_owned())).collect();
    match &response.cut {
        // Nobody had read further, so that nobody misses an end.
        None | Some(Cut::Dropped) => {}
        Some(Cut::Lost(text)) => items.push(Err(TransportError::Connection(text.clone()))),
        Some(Cut::TooLarge) => {
            let text = "the recording ends here, because the answer was too large to be recorded".to_owned();
            items.push(Err(TransportError::Impossible(text)));
        }
    }
    // Waiting as long as the provider once asked for would make a replay slow for nothing.
    let headers = response.headers.iter().map(|(name, value)| match name.as_str() {
        "retry-after" | "retry-after-ms" => (name.clone(), "0".to_owned()),
        _ => (name.clone(), value.clone()),
    });
    Response { status: response.status, headers: headers.collect(), body: Box::pin(stream::iter(items)) }
}
