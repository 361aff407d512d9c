//! The events of a run, as an editor shows them.
//!
//! Text of a model is shown as a thought until it is validated. Only the result is shown as a
//! message.

use accord_api::EventBody;
use accord_api::attempt::Outcome;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, SessionUpdate, TextContent, ToolCall, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};

/// The updates that were sent for a run so far.
#[derive(Debug, Default)]
pub(super) struct Updates {
    /// Whether parts of the current message were already sent.
    is_partial: bool,
}

impl Updates {
    /// The update for an event, if the editor gets one.
    pub(super) fn of(&mut self, event: &EventBody) -> Option<SessionUpdate> {
        match event {
            EventBody::OutputDelta { text, .. } => {
                self.is_partial = true;
                Some(thinks(text.clone()))
            }
            // The message repeats parts that were already sent.
            EventBody::Message { role, text } if role == "assistant" => {
                let is_known = std::mem::take(&mut self.is_partial);
                Some(thinks(if is_known { "\n".to_owned() } else { format!("{text}\n") }))
            }
            EventBody::ToolStarted { call_id, name, arguments } => {
                let call = ToolCall::new(call_id.clone(), name.clone());
                Some(SessionUpdate::ToolCall(
                    call.status(ToolCallStatus::InProgress).raw_input(arguments.clone()),
                ))
            }
            EventBody::ToolFinished { call_id, ok, output, .. } => {
                let status = if *ok { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
                let content = vec![ContentBlock::Text(TextContent::new(output.clone())).into()];
                let fields = ToolCallUpdateFields::new().status(status).content(content);
                Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call_id.clone(), fields)))
            }
            EventBody::RequestRepeated { reason, .. } => Some(thinks(format!("Retrying: {reason}\n"))),
            EventBody::AttemptJudged { attempt }
                if !matches!(attempt.outcome, Outcome::Accepted | Outcome::Waiting) =>
            {
                let number = attempt.number;
                Some(thinks(format!("Attempt {number} was rejected: {}\n", attempt.outcome.as_str())))
            }
            _ => None,
        }
    }
}

/// A message of the agent.
pub(super) fn says(text: String) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::Text(TextContent::new(text))))
}

/// A message of the user.
pub(super) fn asks(text: String) -> SessionUpdate {
    SessionUpdate::UserMessageChunk(ContentChunk::new(ContentBlock::Text(TextContent::new(text))))
}

pub(super) fn thinks(text: String) -> SessionUpdate {
    SessionUpdate::AgentThoughtChunk(ContentChunk::new(ContentBlock::Text(TextContent::new(text))))
}
