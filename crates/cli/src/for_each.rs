//! Runs a command for several objects: if one of them fails, the others are still processed.

use std::fmt::Display;
use std::io;

use serde::Serialize;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::output;

/// Shows the id and the status of what was changed, or all of it as JSON.
pub(crate) fn show_status(
    id: impl Display,
    status: impl Display,
    whole: &impl Serialize,
    json: bool,
) -> io::Result<()> {
    if json { output::json(whole) } else { output::show(&format!("{id}  {status}\n")) }
}

/// Does the same with each and shows the result. A failure is reported, with `--json` under the name of the id too, and the
/// exit code is that of the first.
pub(crate) async fn each<I: Serialize, T>(
    ids: &[I],
    name: &str,
    json: bool,
    act: impl AsyncFn(&I) -> Result<T, Failure>,
    show: impl Fn(&T) -> io::Result<()>,
) -> Result<Exit, Failure> {
    let mut first_failure = None;
    for id in ids {
        match act(id).await {
            Ok(done) => show(&done)?,
            Err(failure) => {
                if json {
                    output::json(&json!({name: id, "error": failure.problem()}))?;
                }
                // On stdout it has its line already.
                first_failure.get_or_insert(failure::report(failure, false));
            }
        }
    }
    Ok(first_failure.unwrap_or(Exit::Success))
}
