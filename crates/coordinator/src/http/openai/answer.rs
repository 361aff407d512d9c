//! What a run answered.

use accord_api::{RunStatus, RunView};
use jiff::Timestamp;
use serde_json::value::RawValue;

/// The text of a completed run: its value as JSON, digit by digit as it was judged, or the text of an agent without a contract.
pub(super) fn text(run: &RunView) -> Option<String> {
    let result = run.result.as_ref().filter(|_| run.status == RunStatus::Completed)?;
    let data = result.result_data.as_deref().map(RawValue::get).map(str::to_owned);
    data.or_else(|| result.result_text.clone())
}

/// Seconds since 1970.
pub(super) fn seconds(at: Timestamp) -> i64 {
    at.as_second()
}
