//! Changes by people: requests for input that are answered, or that nobody answers in time.

use jiff::Timestamp;

use super::super::{Run, Status};
use super::{Change, End, Refused, event, over, unchanged, wake, wrong_status};
use crate::event::Body;
use crate::input_request::InputRequest;
use crate::session::Session;

/// What closing a request for input changes. `is_last` if no other request of the run is open; `end` if this ends the run.
pub fn close_input(
    run: Run,
    session: Session,
    closed: &InputRequest,
    is_last: bool,
    end: Option<End>,
    now: Timestamp,
) -> Result<Change, Refused> {
    match end {
        Some(end) => end_by_input(run, session, closed, end, now),
        None if is_last => continue_with_input(run, session, closed, now),
        None => Ok(note_closed(run, session, closed, now)),
    }
}

/// One of several requests for input was closed, and the others are open.
fn note_closed(run: Run, session: Session, closed: &InputRequest, now: Timestamp) -> Change {
    let events = vec![event(&run, now, closed_event(closed))];
    Change { events, ..unchanged(run, session) }
}

/// All requests for input are closed: the run continues with the answers.
pub(crate) fn continue_with_input(
    run: Run,
    session: Session,
    closed: &InputRequest,
    now: Timestamp,
) -> Result<Change, Refused> {
    let told = event(&run, now, closed_event(closed));
    // The time that it may wait for its children is not the time that it waited for a person.
    let run = Run { waits_until: None, ..run };
    let mut change = wake(run, session, closed.delivery, "its request for input was closed", now)?;
    change.events.insert(0, told);
    Ok(change)
}

/// A closed request for input ends the run: a person provided the result, or nobody answered in
/// time.
pub(crate) fn end_by_input(
    run: Run,
    session: Session,
    closed: &InputRequest,
    end: End,
    now: Timestamp,
) -> Result<Change, Refused> {
    if run.status != Status::InputRequired || run.attempt != closed.delivery {
        return Err(wrong_status(&run));
    }
    let told = event(&run, now, closed_event(closed));
    let mut change = over(run, session, end, now);
    change.events.insert(0, told);
    Ok(change)
}

fn closed_event(closed: &InputRequest) -> Body {
    Body::InputClosed { input_id: closed.id.clone(), status: closed.status }
}
