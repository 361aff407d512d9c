//! The agent loop: ask, run the tools that were called, ask again.
//!
//! A message may call the submit tool and others at once. A submitted result may rely on that work, so the
//! work comes first: the result counts if all of it succeeded, and has to be submitted again if not.

use std::collections::BTreeSet;

use accord_trace::names;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use super::conversation::{Call, CallResult, Conversation, ENDED, Kept, Message, NOT_TAKEN};
use super::endpoint::Endpoint;
use super::exchange::Exchange;
use super::failure::{FailureContext, shorten};
use super::files::SessionFiles;
use super::people::{Consent, spec};
use super::record::{self, Recorded};
use super::settings::Settings;
use super::wire::{ModelRequest, Reply, ReplyEnd};
use crate::answer::{Answer, Stop, Usage};
use crate::caller_tools::CallerTools;
use crate::event::{Event, Events};
use crate::journal::{Journal, RecordedCall};
use crate::json;
use crate::people::ToolPolicy;
use crate::retry::Attempts;
use crate::session::TurnError;
use crate::toolbox::{Effect, ToolCall, ToolOutput, ToolSpec, Toolbox};
use crate::transport::Transport;
use crate::turn::{Delivery, Turn};

/// The most that an event shows of a tool's output. The model gets all of it.
const SHOWN_OUTPUT: usize = 2000;

/// The longest name of an unknown tool that is shown.
const SHOWN_NAME: usize = 100;

/// What the submit tool answers in an example.
const ACCEPTED: &str = "accepted";

/// What is said of a call that was interrupted and may not be repeated.
const UNVERIFIED: &str = "unverified: the runner was lost while this tool was running, so it may or may not have happened; check before you call it again";

/// How often in a row a model may call only unknown tools. Each reply lists the known ones.
const MAX_ASTRAY: u32 = 3;

/// How often a model is told that it has to call one of the caller's tools.
const MAX_REMINDERS: u32 = 3;

pub(super) struct Steps<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) settings: &'a Settings,
    pub(super) transport: &'a dyn Transport,
    pub(super) toolbox: &'a dyn Toolbox,
    pub(super) events: &'a Events,
    pub(super) journal: &'a Journal,
    pub(super) policy: &'a ToolPolicy,
    pub(super) callers: &'a CallerTools,
    /// The run, for the keys of tool calls.
    pub(super) run_id: &'a str,
    pub(super) stop: &'a CancellationToken,
    pub(super) max_steps: u32,
    pub(super) turn: &'a Turn,
    pub(super) files: &'a SessionFiles,
}

impl Steps<'_> {
    /// Works until there is an answer. `usage` grows with each request, so that it is known after a failure too.
    pub(super) async fn run(
        &self,
        conversation: &mut Conversation,
        attempts: &mut Attempts,
        usage: &mut Usage,
    ) -> Result<Answer, TurnError> {
        let tools: Vec<ToolSpec> =
            self.toolbox.specs().into_iter().chain(self.callers.tools().map(spec)).collect();
        let (mut astray, mut reminders) = (0, 0);
        conversation.attach(self.files.new_ones(&conversation.files()));
        conversation.say(self.turn.prompt.clone());
        for step in 0..self.max_steps {
            // The caller has checked before the first request.
            if step > 0 && self.turn.allowance.is_used_up(usage) {
                return Err(TurnError::AllowanceUsedUp);
            }
            let is_recorded = self.journal.is_replaying();
            let reply = self.ask(conversation, &tools, attempts, usage).await?;
            // Boxed, here and below: what comes after the reply takes no room while it is waited for.
            let calls = Box::pin(self.record_reply(&reply, &tools, conversation, is_recorded)).await?;
            let Reply { text, end, model, .. } = &reply;
            let model: &str = if model.is_empty() { self.model() } else { model };
            let answer = |stop, text: &str, submissions| Answer {
                submissions,
                stop,
                usage: *usage,
                ..Answer::of_text(text, model)
            };
            if let Some(stop) = stop_of(end, &calls) {
                if stop == Stop::Finished && self.callers.is_required() {
                    self.remind(&mut reminders, conversation)?;
                    continue;
                }
                // Calls that were cut off were not run, so neither the text nor the submission counts.
                let is_undone = stop == Stop::Truncated && calls.iter().any(|call| !call.submit);
                return Ok(match is_undone {
                    true => answer(stop, "", Vec::new()),
                    false => answer(stop, text, submissions(&calls)),
                });
            }
            if calls.is_empty() {
                continue;
            }
            if Box::pin(self.carry_out(&calls, &tools, conversation)).await? {
                if self.callers.is_required() && !calls.iter().any(|call| self.callers.has(&call.name)) {
                    self.remind(&mut reminders, conversation)?;
                    continue;
                }
                return Ok(answer(Stop::Submitted, text, submissions(&calls)));
            }
            astray = if calls.iter().any(|call| is_known(&call.name, &tools)) { 0 } else { astray + 1 };
            if astray == MAX_ASTRAY {
                // The contract loop prompts again and counts it. Text next to a call is not an answer.
                return Ok(answer(Stop::Astray(names(&calls)), "", Vec::new()));
            }
        }
        Err(TurnError::TooManySteps(self.max_steps))
    }

    /// Asks again for a call of one of the caller's tools, where there has to be one.
    fn remind(&self, reminders: &mut u32, conversation: &mut Conversation) -> Result<(), TurnError> {
        *reminders += 1;
        if *reminders > MAX_REMINDERS {
            let message = format!(
                "the model answered {reminders} times without a call of the caller's tools, which tool_choice requires; use tool_choice auto, or another model"
            );
            return Err(TurnError::Failed(message));
        }
        conversation.say(self.callers.reminder());
        Ok(())
    }

    /// The examples as messages, answered in the way in which the answer is to be given.
    fn examples(&self) -> Vec<Message> {
        let mut messages = Vec::with_capacity(3 * self.turn.examples.len());
        for (number, example) in self.turn.examples.iter().enumerate() {
            messages.push(Message::User { text: example.prompt.clone() });
            let Some(tool) = self.submit() else {
                let text = example.answer.clone();
                messages.push(Message::Assistant { text, calls: Vec::new(), kept: None });
                continue;
            };
            let call = Call {
                id: format!("example_{}", number + 1),
                name: tool.to_owned(),
                arguments: example.answer.clone(),
                submit: true,
            };
            let results = vec![CallResult::new(&call, true, ACCEPTED)];
            messages.push(Message::Assistant { text: String::new(), calls: vec![call], kept: None });
            messages.push(Message::Results { results });
        }
        messages
    }

    /// The name of the submit tool, where there is one.
    fn submit(&self) -> Option<&str> {
        match &self.turn.delivery {
            Delivery::Tool { name, .. } => Some(name),
            Delivery::Text | Delivery::Object | Delivery::Native { .. } => None,
        }
    }

    fn model(&self) -> &str {
        self.turn.model.as_deref().unwrap_or(&self.settings.model)
    }

    /// The next answer: from the record if it is there, else from the model.
    async fn ask(
        &self,
        conversation: &Conversation,
        tools: &[ToolSpec],
        attempts: &mut Attempts,
        usage: &mut Usage,
    ) -> Result<Reply, TurnError> {
        if let Some(Recorded { result, usage: used }) = record::take(self.journal) {
            usage.add(used);
            return result;
        }
        if let Some(reason) = self.journal.diverged() {
            return Err(TurnError::Diverged(reason));
        }
        self.journal.settle().await;
        let before = *usage;
        let result = self.request(conversation, tools, attempts, usage).await;
        if let Some(step) = record::step(&result, usage.since(before)) {
            self.journal.record(step).await;
        }
        result
    }

    async fn request(
        &self,
        conversation: &Conversation,
        tools: &[ToolSpec],
        attempts: &mut Attempts,
        usage: &mut Usage,
    ) -> Result<Reply, TurnError> {
        let examples = self.examples();
        let messages: Vec<Message>;
        let messages = match examples.is_empty() {
            true => conversation.messages(),
            false => {
                messages = [&examples, conversation.messages()].concat();
                &messages
            }
        };
        let body = || {
            self.endpoint.wire.body(&ModelRequest {
                endpoint: &self.endpoint.name,
                files: self.files,
                takes: self.endpoint.takes_files(),
                model: self.model(),
                system: &self.turn.system_prompt,
                messages,
                tools,
                delivery: &self.turn.delivery,
                max_tokens: self.turn.max_tokens.or(self.settings.max_tokens),
                temperature: self.settings.temperature,
                reasoning: self.settings.reasoning,
            })
        };
        let exchange = Exchange {
            asked: FailureContext {
                endpoint: self.endpoint,
                model: self.model(),
                delivery: &self.turn.delivery,
            },
            transport: self.transport,
            allowance: &self.turn.allowance,
            events: self.events,
            stop: self.stop,
            files: &self.files.files,
        };
        exchange.ask(body, attempts, usage).await
    }

    /// Adds a reply to the conversation, and reports it as events. Its calls are not run yet.
    async fn record_reply(
        &self,
        reply: &Reply,
        tools: &[ToolSpec],
        conversation: &mut Conversation,
        is_recorded: bool,
    ) -> Result<Vec<Call>, TurnError> {
        let Reply { text, on_the_way, kept, .. } = reply;
        let calls = self.calls(reply, tools, conversation.messages().len());
        let messages = on_the_way.iter().chain([text]).map(String::as_str);
        let messages: Vec<&str> = messages.filter(|text| !text.is_empty()).collect();
        conversation.push(Message::Assistant {
            text: messages.join("\n\n"),
            calls: calls.clone(),
            kept: (!kept.is_empty())
                .then(|| Kept { endpoint: self.endpoint.name.clone(), blocks: kept.clone() }),
        });
        for text in messages {
            let message = Event::Message { text: text.to_owned() };
            self.tell(if is_recorded { Event::Replayed(Box::new(message)) } else { message }).await?;
        }
        Ok(calls)
    }

    /// The calls of a reply. Where the dialect has no ids they get one, by their place in the conversation.
    fn calls(&self, reply: &Reply, tools: &[ToolSpec], place: usize) -> Vec<Call> {
        let submit = self.submit();
        let call = |(index, call): (usize, &super::wire::ReplyCall)| {
            let name = meant(&call.name, |name| submit == Some(name) || is_known(name, tools));
            Call {
                id: match call.id.is_empty() {
                    true => format!("call_{place}_{index}"),
                    false => call.id.clone(),
                },
                name: name.to_owned(),
                arguments: call.arguments.clone(),
                submit: submit == Some(name),
            }
        };
        reply.calls.iter().enumerate().map(call).collect()
    }

    /// Runs the called tools, and says whether a result that was submitted with them counts.
    async fn carry_out(
        &self,
        calls: &[Call],
        tools: &[ToolSpec],
        conversation: &mut Conversation,
    ) -> Result<bool, TurnError> {
        let work: Vec<&Call> = calls.iter().filter(|call| !call.submit).collect();
        let mut results = Vec::with_capacity(work.len());
        let place = conversation.messages().len();
        self.ask_people(&work, tools, place)?;
        let worked = self.run_tools(&work, tools, place, &mut results).await;
        let is_submitted = work.len() < calls.len();
        let is_taken = is_submitted && worked.is_ok() && results.iter().all(|result| result.ok);
        match is_taken {
            true if results.is_empty() => {}
            true => conversation.push(Message::Results { results }),
            false => conversation.answer(results, if worked.is_ok() { NOT_TAKEN } else { ENDED }),
        }
        worked.map(|()| is_taken)
    }

    /// Runs the called tools, one after the other. `place` is where they are in the conversation. `results` has their results, even
    /// if the turn is stopped.
    async fn run_tools(
        &self,
        calls: &[&Call],
        tools: &[ToolSpec],
        place: usize,
        results: &mut Vec<CallResult>,
    ) -> Result<(), TurnError> {
        for call in calls {
            let parsed = arguments(&call.arguments);
            let shown = parsed.as_ref().map_or_else(|_| Value::from(call.arguments.as_str()), Value::clone);
            let started =
                Event::ToolStarted { call_id: call.id.clone(), name: call.name.clone(), arguments: shown };
            let after = self.journal.last();
            let has_begun = match self.journal.take_call(&call.id) {
                RecordedCall::Done { ok, text } => {
                    self.tell(Event::Replayed(Box::new(started))).await?;
                    results.push(CallResult::new(call, ok, text));
                    continue;
                }
                RecordedCall::Begun => true,
                RecordedCall::New => false,
            };
            self.tell(started).await?;
            let output = match has_begun && !self.is_repeatable(&call.name, tools) {
                true => ToolOutput { ok: false, text: UNVERIFIED.to_owned() },
                false => self.run_tool(call, parsed, tools, place, after).await?,
            };
            results.push(CallResult::new(call, output.ok, output.text.clone()));
            if !self.stop.is_cancelled() {
                self.journal.record(record::tool_result(call, &output)).await;
            }
            if self.stop.is_cancelled() {
                return Err(TurnError::Stopped);
            }
            self.tell(Event::ToolFinished {
                call_id: call.id.clone(),
                name: call.name.clone(),
                ok: output.ok,
                output: shorten(&output.text, SHOWN_OUTPUT),
            })
            .await?;
        }
        Ok(())
    }

    /// Runs one tool. Mistakes of the model are reported to the model. `after` is the step that the call follows.
    async fn run_tool(
        &self,
        call: &Call,
        parsed: serde_json::Result<Value>,
        tools: &[ToolSpec],
        place: usize,
        after: u32,
    ) -> Result<ToolOutput, TurnError> {
        let wrong = |text: String| Ok(ToolOutput { ok: false, text });
        if !is_known(&call.name, tools) {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).chain(self.submit()).collect();
            return wrong(match names.as_slice() {
                [] => format!("unknown tool `{}`", call.name),
                [one] => format!("unknown tool `{}`; available: `{one}`", call.name),
                names => format!("unknown tool `{}`; available: {}", call.name, names.join(", ")),
            });
        }
        match parsed {
            Err(why) => wrong(format!("the arguments are not valid JSON: {why}")),
            Ok(parsed) => {
                match self.consent(call, &parsed, place) {
                    Consent::Given => {}
                    Consent::Answered(output) => return Ok(output),
                    Consent::Missing(ask) => {
                        self.journal.ask(vec![ask]);
                        return Err(TurnError::InputRequired);
                    }
                }
                if !self.is_repeatable(&call.name, tools) {
                    self.journal.record(record::tool_started(call)).await;
                }
                // What led to the call is saved before it is made.
                self.journal.settle().await;
                if self.stop.is_cancelled() {
                    return Err(TurnError::Stopped);
                }
                let key = format!("{}/{after}/{place}/{}", self.run_id, call.id);
                let span = tool_span(call);
                let call = ToolCall { name: &call.name, arguments: &parsed, key: &key };
                let output = self.toolbox.call(call, self.stop).instrument(span.clone()).await;
                if !output.ok {
                    accord_trace::failed(&span, "tool_failed", "the tool reported an error");
                }
                Ok(output)
            }
        }
    }

    /// Whether a call of this tool can be made again after it was interrupted. An unknown one is not made at all.
    fn is_repeatable(&self, name: &str, tools: &[ToolSpec]) -> bool {
        let effect = self.policy.effect(name).unwrap_or_else(|| self.toolbox.effect(name));
        !is_known(name, tools) || effect != Effect::Unknown
    }

    /// Sends an event, unless the turn is stopped.
    async fn tell(&self, event: Event) -> Result<(), TurnError> {
        let told = self.stop.run_until_cancelled(self.events.tell(event)).await;
        told.ok_or(TurnError::Stopped)
    }
}

/// A call, for traces: which tool, and no arguments.
fn tool_span(call: &Call) -> Span {
    debug_span!(
        "execute_tool",
        otel.name = format!("{} {}", names::EXECUTE_TOOL, call.name),
        { names::STATUS_CODE } = Empty,
        { names::STATUS_MESSAGE } = Empty,
        { names::ERROR_TYPE } = Empty,
        { names::OPERATION } = names::EXECUTE_TOOL,
        { names::TOOL } = call.name,
        { names::TOOL_CALL } = call.id,
        { names::TOOL_TYPE } = names::FUNCTION,
    )
}

pub(super) fn is_known(name: &str, tools: &[ToolSpec]) -> bool {
    tools.iter().any(|tool| tool.name == name)
}

/// The name of the called tool: some models put blanks around it, or `functions.` before it.
fn meant(name: &str, is_tool: impl Fn(&str) -> bool) -> &str {
    let bare = name.trim();
    let bare = bare.strip_prefix("functions.").unwrap_or(bare);
    if is_tool(bare) && !is_tool(name) { bare } else { name }
}

fn submissions(calls: &[Call]) -> Vec<String> {
    calls.iter().filter(|call| call.submit).map(|call| call.arguments.clone()).collect()
}

/// The names of the other tools that were called, each once.
fn names(calls: &[Call]) -> String {
    let shown = |call: &Call| format!("`{}`", shorten(&call.name, SHOWN_NAME).escape_debug());
    let names: BTreeSet<String> = calls.iter().filter(|call| !call.submit).map(shown).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Why the turn ends before any tool is run, if it does. The provider's stop reason has priority over the content.
fn stop_of(end: &ReplyEnd, calls: &[Call]) -> Option<Stop> {
    match end {
        ReplyEnd::Refused(words) => Some(Stop::Refused(words.clone())),
        ReplyEnd::Truncated => Some(Stop::Truncated),
        ReplyEnd::Finished if calls.is_empty() => Some(Stop::Finished),
        ReplyEnd::Finished | ReplyEnd::Paused => None,
    }
}

/// The arguments of a tool call. Some models send no arguments for a tool without parameters.
pub(super) fn arguments(text: &str) -> serde_json::Result<Value> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    json::read(text)
}
