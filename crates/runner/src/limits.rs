//! Every limit of the runner, each with its reason.

use std::time::Duration;

/// The length of an answer that is stored with its attempt. Normal answers are shorter; a reviewer
/// reads no more.
pub(crate) const ATTEMPT_TEXT_BYTES: usize = 64 * 1024;

/// The length of the closest answer that a failure includes. It is copied into events and
/// callbacks.
pub(crate) const LAST_OUTPUT_BYTES: usize = 4 * 1024;

/// How much of the text around a result is kept: the result itself is complete, and a request has 8 MiB.
pub(crate) const RAW_BYTES: usize = 1024 * 1024;

/// What one event carries of a text.
pub(crate) const EVENT_TEXT_BYTES: usize = 64 * 1024;

/// What one event carries of a tool's arguments, as JSON.
pub(crate) const EVENT_ARGUMENTS_BYTES: usize = 64 * 1024;

/// How much of an output that is not JSON is shown.
pub(crate) const SHOWN_OUTPUT_BYTES: usize = 400;

/// How long partial output is first gathered before it is reported: people see it grow, and the coordinator writes four events a
/// second at most for a run.
pub(crate) const LIVE_PAUSE: Duration = Duration::from_millis(250);

/// After this many events the pause is one [`LIVE_PAUSE`] longer.
pub(crate) const LIVE_PAUSE_GROWTH: u32 = 20;

/// What one event carries of partial output. More in one pause cannot be read.
pub(crate) const LIVE_TEXT_BYTES: usize = 4 * 1024;

/// Events of partial output in one delivery of a run: about five minutes of a model that speaks without pause.
pub(crate) const LIVE_EVENTS: u32 = 200;

/// Partial output in one delivery of a run. As much as an attempt keeps of an answer.
pub(crate) const LIVE_BYTES: usize = 64 * 1024;

/// Events in one request: with texts of the largest size they stay within a request's limit.
pub(crate) const EVENTS_PER_BATCH: usize = 50;

/// How long a report waits for what comes next, so that they are one request, and the last one is part of the end. Nothing that has
/// to be saved before the work goes on waits.
pub(crate) const REPORT_PAUSE: Duration = Duration::from_millis(50);

/// Reports that wait for the coordinator. Then the work waits too, rather than the memory fill.
pub(crate) const REPORTS_HELD: usize = 200;

/// Events of one turn that wait to become reports.
pub(crate) const EVENTS_HELD: usize = 32;

/// The highest ceiling that an answer is raised to. Models with more are rare, and an answer of this length that is still
/// cut off is not one that a program reads.
pub(crate) const MOST_ANSWER_TOKENS: u32 = 64_000;

/// The minimum token limit for a retry after a cut if the current limit is unknown: servers with a
/// low default are asked for twice as much as they returned, and that may still be little.
pub(crate) const LEAST_ANSWER_TOKENS: u32 = 4096;

/// How often a text without a contract is continued when it is cut off.
pub(crate) const MOST_CONTINUATIONS: u32 = 3;

/// Model requests in one turn where the blueprint does not say.
pub(crate) const DEFAULT_MAX_STEPS: u32 = 50;

/// How long a turn may take to end once it is stopped. Executors promise to be quicker; after this they are dropped.
pub(crate) const TIME_TO_STOP: Duration = Duration::from_secs(15);

/// How long a session may take to open: a CLI on a busy machine takes some seconds.
pub(crate) const TIME_TO_OPEN: Duration = Duration::from_secs(120);

/// How long a session may take to close.
pub(crate) const TIME_TO_CLOSE: Duration = Duration::from_secs(15);

/// The default time limit of a run, so that nothing runs forever unnoticed.
pub(crate) const DEFAULT_RUN_TIME: Duration = Duration::from_secs(4 * 60 * 60);

/// How long running work may continue once the runner shuts down.
pub(crate) const DEFAULT_DRAIN: Duration = Duration::from_secs(30);

/// How long giving work back may take at shutdown before it is dropped. Its leases then run out by themselves.
pub(crate) const TIME_TO_RELEASE: Duration = Duration::from_secs(20);

/// Concurrent reports to the coordinator, of all runs together: enough to keep it busy with few
/// connections.
pub(crate) const REQUESTS_AT_ONCE: usize = 64;

/// Runs that are claimed at once: as many as the coordinator hands out at most.
pub(crate) const CLAIMED_AT_ONCE: u32 = 32;

/// Runs that were claimed and whose work has not begun. More than one claim, so that the next one is asked for meanwhile;
/// few, because each lies in memory and no other runner can have it.
pub(crate) const BEGINNING_AT_ONCE: usize = 64;

/// How long the coordinator holds a claim when there is no work. It answers sooner when there is.
pub(crate) const CLAIM_WAIT_SECONDS: u32 = 30;

/// The longest that a heartbeat waits for a stop, by the protocol.
pub(crate) const LONGEST_HEARTBEAT_SECONDS: u32 = 30;

/// How long a run that was just taken waits for the next heartbeat to begin, so that short runs do not cost one each.
pub(crate) const NEWLY_HELD: Duration = Duration::from_millis(250);

/// Pauses between calls that the coordinator did not answer.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// The longest of them: a coordinator that is back is found within this time.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Blueprints that are kept, and contracts. Agents of one project are fewer.
pub(crate) const DOCUMENTS_KEPT: usize = 64;

/// Requests of one turn whose time is reported. An agent that works for hours makes more; the first ones are enough.
pub(crate) const REQUESTS_TIMED: usize = 256;

/// How long one piece of work on a schema or an answer may take: the largest that its limits allow takes about two seconds, five
/// times that on a busy machine.
pub(crate) const TIME_TO_WORK: Duration = Duration::from_secs(10);
