//! A recording in the place of the network.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures_util::stream;

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
    used: Mutex<Vec<bool>>,
}

impl ReplayTransport {
    /// Answers equal requests.
    pub fn new(cassette: Cassette) -> Self {
        Self::with_matching(cassette, Matching::Exact)
    }

    /// Answers requests as told.
    pub fn with_matching(cassette: Cassette, matching: Matching) -> Self {
        let used = Mutex::new(vec![false; cassette.exchanges.len()]);
        Self { exchanges: cassette.exchanges, matching, used }
    }

    fn take(&self, request: &Request) -> Result<&Exchange, TransportError> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path_of(&request.url);
        let fits = |exchange: &Exchange| match self.matching {
            Matching::Order => true,
            Matching::Exact => exchange.request.path == path && exchange.request.body == request.body,
        };
        let mut unused = self.exchanges.iter().zip(used.iter_mut()).filter(|(_, used)| !**used);
        match unused.find(|(exchange, _)| fits(exchange)) {
            Some((exchange, used)) => {
                *used = true;
                Ok(exchange)
            }
            None => Err(TransportError::Impossible(self.explain(&used, path, request))),
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
