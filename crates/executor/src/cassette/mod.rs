//! Recordings of the traffic of a run, so that the run can be replayed offline and at no cost.
//!
//! A recording holds no header of a request, no address beyond its path, and none of the secrets that the recorder was
//! told of. A replayed run goes through the same code as a live one; only the network and the tools are exchanged.

mod body;
mod difference;
mod escapes;
mod file;
mod format;
mod provider;
mod recorder;
mod redactor;
mod replay;
mod tools;
mod transport;

pub use body::Body;
pub use file::CassetteError;
pub use format::{
    Cassette, Cut, Ended, Exchange, RecordedFile, RecordedRequest, RecordedResponse, RecordedResult, Reply,
};
pub use provider::RecordedProvider;
pub use recorder::{Recorder, RecordingTransport};
pub use redactor::Redactor;
pub use replay::{MakeExecutor, ReplayExecutor, Stage};
pub use transport::{Matching, ReplayTransport};
