//! Every limit on what an MCP server may do, each with its reason.

use std::time::Duration;

/// From its start to the list of its tools. One that is fetched from a registry first takes its time.
pub(super) const START: Duration = Duration::from_secs(45);

/// How long a call may be without a sign of life. A server that tells progress may take longer; the run's own time
/// bounds that.
pub(super) const CALL: Duration = Duration::from_secs(120);

/// The first pause before the coordinator of the run is asked again, doubled with each further one.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The longest of them: a coordinator that is back is found within this time.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long a server may take to end by itself, once asked by its stdin, and once by a signal.
pub(super) const END: Duration = Duration::from_secs(1);

/// How long it may take to notice how a program ended, once its stdout is closed.
pub(super) const EXIT: Duration = Duration::from_millis(500);

/// The longest message. A list of tools with their schemas stays below, and so does any result that a model could read.
pub(super) const MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// The largest response over HTTP, with its notifications.
pub(super) const STREAM_BYTES: usize = 16 * 1024 * 1024;

/// Lines on stdout that are not messages. A banner is tolerated, a log is not.
pub(super) const NOISE_LINES: usize = 100;

/// Pages of tools: a server that always has another one would never be done.
pub(super) const PAGES: usize = 50;

/// Tools of one server. No provider takes more in all.
pub(super) const TOOLS: usize = 128;

/// The longest description of a tool. Some are whole manuals.
pub(super) const DESCRIPTION_CHARACTERS: usize = 4_000;

/// The schema of one tool's arguments, as text: the model reads all of them with every request.
pub(super) const SCHEMA_BYTES: usize = 64 * 1024;

/// What the model gets of a result.
pub(super) const RESULT_CHARACTERS: usize = 100_000;

/// The longest name of a tool that every provider takes.
pub(super) const NAME_CHARACTERS: usize = 64;
