//! The order of the server's replies.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::chaos::ChaosModel;
use super::reply::Reply;
use super::request::RecordedRequest;

type Handler = Arc<dyn Fn(&RecordedRequest, usize) -> Reply + Send + Sync>;

/// Replies in order, then a handler if there is one. If both are missing, the server answers with
/// an HTTP 500 that says so.
#[derive(Clone, Default)]
pub struct Script {
    replies: VecDeque<Reply>,
    handler: Option<Handler>,
}

impl Script {
    /// One reply for each request.
    pub fn replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { replies: replies.into_iter().collect(), handler: None }
    }

    /// Computes each reply from the request. The number counts the requests of the server from
    /// zero.
    pub fn handler(handler: impl Fn(&RecordedRequest, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::default().then(handler)
    }

    /// Answers with this handler once the replies are used up.
    #[must_use]
    pub fn then(
        mut self,
        handler: impl Fn(&RecordedRequest, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.handler = Some(Arc::new(handler));
        self
    }

    pub(super) fn remaining(&self) -> usize {
        self.replies.len()
    }

    /// The next reply, or the handler that will produce it.
    pub(super) fn next(&mut self) -> Next {
        match (self.replies.pop_front(), &self.handler) {
            (Some(reply), _) => Next::Reply(reply),
            (None, Some(handler)) => Next::Ask(Arc::clone(handler)),
            (None, None) => Next::Exhausted,
        }
    }
}

/// The next step of a script. The server calls a handler outside its lock.
pub(super) enum Next {
    Reply(Reply),
    Ask(Handler),
    Exhausted,
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Script")
            .field("replies", &self.replies)
            .field("handler", &self.handler.is_some())
            .finish()
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Self::replies([reply])
    }
}

impl From<Vec<Reply>> for Script {
    fn from(replies: Vec<Reply>) -> Self {
        Self::replies(replies)
    }
}

impl<const COUNT: usize> From<[Reply; COUNT]> for Script {
    fn from(replies: [Reply; COUNT]) -> Self {
        Self::replies(replies)
    }
}

impl From<ChaosModel> for Script {
    fn from(chaos: ChaosModel) -> Self {
        Self::handler(move |request, _| chaos.reply(request))
    }
}
