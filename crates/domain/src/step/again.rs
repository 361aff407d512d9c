//! What becomes of the steps of a run when it is done again.
//!
//! Two questions decide. Is it the same run? Then what was done stays done: a tool that had started is not started again, and a
//! person is not asked again. A new run has nobody's approval but its own. Is it done by the same definition? If not, a request
//! that failed, and the answer that the run ended with, are not evidence of what happens now: they are asked for again.

use crate::id::SessionId;
use crate::step::{Body, Step};

/// How a run is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The same run by another runner, after a loss or a wait.
    Redelivery,
    /// A new run that continues after a step, with another model, prompt or schema if the caller says so.
    Fork,
    /// A new run from the start.
    Retry,
    /// The same run by another version of its definition.
    Move,
}

/// What becomes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Counts.
    Keep,
    /// Counts if its call has a result that counts. Otherwise the call is made again, and a person is asked again.
    WithResult,
    /// Counts if an answer follows it. Otherwise the request is made again.
    IfAnswered,
    /// Counts if what it judges does.
    WithAnswer,
    /// Counts, unless the run ended with it: then it and what follows it are done again.
    UnlessEnd,
    /// Counts as text: the conversation itself stays with its run.
    AsText,
    /// Does not count, and neither does anything before it.
    StartOver,
    /// Does not count.
    Drop,
}

/// Where the steps end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// At a step that the run went on from, or still can.
    Step,
    /// At the last step of a run that is over.
    End,
}

/// What becomes of a step, for each way in which a run is done again.
pub fn rule(body: &Body, way: Way) -> Rule {
    use Rule::{AsText, Drop, IfAnswered, Keep, StartOver, UnlessEnd, WithAnswer, WithResult};
    let [redelivery, fork, retry, moved] = match body {
        Body::Opened { .. } => [Keep, Keep, Drop, Keep],
        Body::ModelAnswer { .. } => [Keep, UnlessEnd, Drop, Keep],
        Body::RequestFailed { .. } => [Keep, IfAnswered, Drop, IfAnswered],
        Body::ToolStarted { .. } => [Keep, WithResult, Drop, Keep],
        Body::ToolResult { .. } => [Keep, Keep, Drop, Keep],
        Body::Conversation { .. } => [Keep, AsText, Drop, Keep],
        Body::TurnAnswer { .. } => [Keep, UnlessEnd, Drop, Keep],
        Body::Verdict { .. } => [Keep, WithAnswer, Drop, WithAnswer],
        Body::Message { .. } => [Keep, Keep, Drop, Keep],
        Body::Input { .. } => [Keep, WithResult, Drop, Keep],
        Body::Restarted { .. } => [StartOver, StartOver, Drop, StartOver],
    };
    match way {
        Way::Redelivery => redelivery,
        Way::Fork => fork,
        Way::Retry => retry,
        Way::Move => moved,
    }
}

/// The steps that count when a run is done again.
pub fn carried(steps: &[Step], way: Way, until: Until) -> Vec<Step> {
    let is = |wanted: Rule| move |step: &Step| rule(&step.body, way) == wanted;
    let begin = steps.iter().rposition(is(Rule::StartOver)).map_or(0, |restart| restart + 1);
    let steps = steps.get(begin..).unwrap_or_default();
    let end = match until {
        Until::Step => None,
        Until::End => ending(steps).filter(|end| steps.get(*end).is_some_and(is(Rule::UnlessEnd))),
    };
    let steps = steps.get(..end.unwrap_or(steps.len())).unwrap_or_default();
    let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
    let mut is_judged_kept = true;
    for (place, step) in steps.iter().enumerate() {
        let after = steps.get(place + 1..).unwrap_or_default();
        let is_kept = match rule(&step.body, way) {
            Rule::Keep | Rule::UnlessEnd | Rule::AsText => true,
            Rule::WithResult => has_result(&step.body, after),
            Rule::IfAnswered => after.iter().any(|step| is_answer(&step.body)),
            Rule::WithAnswer => is_judged_kept,
            Rule::StartOver | Rule::Drop => false,
        };
        if is_answer(&step.body) || matches!(step.body, Body::RequestFailed { .. }) {
            is_judged_kept = is_kept;
        }
        if is_kept {
            kept.push(step.clone());
        }
    }
    if way == Way::Fork {
        kept = kept.into_iter().flat_map(without_host).collect();
    }
    kept
}

/// What a request for input is called: by the tool call that it is about, and the place of that call in the conversation. Some
/// providers count calls anew in each answer.
pub fn input_id(place: usize, call_id: &str) -> String {
    format!("{place}/{call_id}")
}

/// Whether a request for input of this name is about a tool call of the last answer.
pub fn is_about(input_id: &str, call_id: &str) -> bool {
    input_id.split_once('/').is_some_and(|(_, call)| call == call_id)
}

/// The children that were started before the last of these steps and that no step has reported, with the step that was the first
/// after their start. `children` are those that call back, with the time of their start.
pub fn unreported<'a>(
    steps: &[Step],
    children: &'a [(SessionId, jiff::Timestamp)],
) -> Vec<(&'a SessionId, u32)> {
    let is_reported = |id: &SessionId| {
        steps.iter().any(|step| matches!(&step.body, Body::Message { text } if text.contains(id.as_str())))
    };
    let started = children.iter().filter_map(|(id, at)| {
        let first = steps.iter().find(|step| step.at >= *at)?;
        Some((id, first.number))
    });
    started.filter(|(id, _)| !is_reported(id)).collect()
}

/// The answer that a run ended with, if it ended with one: a new run with it would end the same way, without asking anybody.
fn ending(steps: &[Step]) -> Option<usize> {
    let last = steps.iter().rposition(|step| {
        is_answer(&step.body) || matches!(step.body, Body::RequestFailed { .. } | Body::Message { .. })
    })?;
    let is_judged = steps.iter().skip(last).any(|step| matches!(step.body, Body::Verdict { .. }));
    let is_ending = match &steps.get(last)?.body {
        Body::ModelAnswer { calls, .. } => is_judged || calls.is_empty(),
        Body::TurnAnswer { .. } => true,
        _ => false,
    };
    is_ending.then_some(last)
}

fn is_answer(body: &Body) -> bool {
    matches!(body, Body::ModelAnswer { .. } | Body::TurnAnswer { .. })
}

/// Whether the call that a step is about has a result. Calls are numbered anew in each answer.
fn has_result(body: &Body, after: &[Step]) -> bool {
    let is_its_call = |id: &str| match body {
        Body::ToolStarted { call_id } => call_id == id,
        Body::Input { call_id, .. } => is_about(call_id, id),
        _ => false,
    };
    let is_result =
        |step: &Step| matches!(&step.body, Body::ToolResult { call_id, .. } if is_its_call(call_id));
    after.iter().take_while(|step| !is_answer(&step.body)).any(is_result)
}

/// A conversation that no host has: the runner passes its messages on as text.
fn without_host(mut step: Step) -> Vec<Step> {
    let noted = match &mut step.body {
        Body::Conversation { host, .. } => {
            host.clear();
            None
        }
        Body::TurnAnswer { conversation, .. } => conversation.take(),
        _ => None,
    };
    let Step { number, delivery, at, .. } = step;
    let note = |conversation| Body::Conversation { conversation, host: String::new() };
    let noted = noted.map(|conversation| Step { number, delivery, at, body: note(conversation) });
    noted.into_iter().chain([step]).collect()
}

#[cfg(test)]
mod tests;
