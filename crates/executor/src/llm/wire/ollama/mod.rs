//! Ollama. Calls have no ids there, and arguments are objects.

use serde_json::{Value, json};

use super::chat::function;
use super::embeddings::{EmbeddingWire, OllamaEmbeddings};
use super::extras::MessageExtras;
use super::reply::{ByteBudget, JsonAccess, PartialText, arguments_text, parse, text_of, tokens_of};
use super::{
    Framing, ModelRequest, ReadError, Reader, Reply, ReplyCall, ReplyEnd, Wire, arguments_object, messages,
    push_user_text, set, written,
};
use crate::answer::Usage;
use crate::files::mark;
use crate::llm::conversation::{Call, CallResult};
use crate::llm::files::Part;
use crate::llm::settings::Reasoning;
use crate::turn::Delivery;

/// The port of Ollama, unless it is configured.
const PORT: u16 = 11434;

pub(super) struct Ollama;

impl Wire for Ollama {
    fn path(&self, _model: &str) -> String {
        "/api/chat".to_owned()
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn base_url(&self, written: &str) -> String {
        address(written)
    }

    fn embeddings(&self) -> Option<&'static dyn EmbeddingWire> {
        Some(&OllamaEmbeddings)
    }

    fn has_json_mode(&self) -> bool {
        true
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        body(request)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<Stream>::default()
    }

    fn read_whole(&self, body: Value, text: &str) -> Result<Reply, ReadError> {
        whole(body, text)
    }
}

fn body(request: &ModelRequest<'_>) -> Value {
    let mut body = json!({"model": request.model, "stream": true, "messages": messages(request, assistant, result, attach)});
    if let Delivery::Native { schema, .. } = request.delivery {
        set(&mut body, "format", schema.clone());
    }
    if *request.delivery == Delivery::Object {
        set(&mut body, "format", "json");
    }
    if let Some(reasoning) = request.reasoning {
        let think = match reasoning {
            Reasoning::Off => json!(false),
            Reasoning::Budget(_) => json!(true),
            effort => json!(effort.effort()),
        };
        set(&mut body, "think", think);
    }
    let mut options = json!({});
    if let Some(temperature) = request.temperature {
        set(&mut options, "temperature", temperature);
    }
    if let Some(tokens) = request.max_tokens {
        set(&mut options, "num_predict", tokens);
    }
    if options != json!({}) {
        set(&mut body, "options", options);
    }
    let listed =
        request.tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_str(), &tool.parameters));
    let submit = request.submit().map(|submit| (submit.name, submit.description, submit.schema));
    let tools: Vec<Value> = listed
        .chain(submit)
        .map(|(name, description, parameters)| function(name, description, parameters, false))
        .collect();
    if !tools.is_empty() {
        set(&mut body, "tools", tools);
    }
    body
}

fn result(result: &CallResult) -> Value {
    json!({"role": "tool", "tool_name": result.name, "content": result.text})
}

/// Adds the files of a user, as a message that the user's words are added to. Images have no names there.
fn attach(messages: &mut Vec<Value>, files: Vec<Part<'_>>) {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for file in files {
        match file {
            Part::Text(text) => texts.push(text),
            Part::Image(file) | Part::Pdf(file) => images.push(mark(&file.id)),
        }
    }
    push_user_text(messages, &texts.join("\n\n"));
    let Some(Value::Object(message)) = messages.last_mut().filter(|_| !images.is_empty()) else { return };
    match message.get_mut("images") {
        Some(Value::Array(before)) => before.extend(images.into_iter().map(Value::from)),
        _ => drop(message.insert("images".to_owned(), images.into())),
    }
}

fn assistant(text: &str, calls: &[Call]) -> Option<Value> {
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        let call = |call: &Call| json!({"function": {"name": call.name, "arguments": arguments_object(&call.arguments)}});
        set(&mut message, "tool_calls", calls.iter().map(call).collect::<Vec<Value>>());
    }
    Some(message)
}

/// A streamed answer. One in one piece is a stream of one line.
#[derive(Default)]
struct Stream {
    budget: ByteBudget,
    text: String,
    calls: Vec<ReplyCall>,
    extras: MessageExtras,
    model: String,
    last: Option<Value>,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        self.line(parse(data)?, data)
    }

    fn partial_text(&self) -> Option<PartialText<'_>> {
        Some(PartialText { part: 0, text: &self.text })
    }

    fn usage(&self) -> Usage {
        let count = |name: &str| self.last.as_ref().map_or(0, |last| tokens_of(last.at(name)));
        Usage { input_tokens: count("prompt_eval_count"), output_tokens: count("eval_count"), cost_usd: None }
    }

    fn finish(self: Box<Self>) -> Result<Reply, ReadError> {
        match self.last {
            Some(_) => Ok(self.reply()),
            None => Err(ReadError::BrokenOff),
        }
    }
}

impl Stream {
    fn line(&mut self, mut line: Value, text: &str) -> Result<bool, ReadError> {
        written::spell(&mut line, text, &["message", "tool_calls", "function", "arguments"]);
        if let Some(model) = line.at("model").as_str() {
            model.clone_into(&mut self.model);
        }
        let message = line.at("message");
        self.budget.append(&mut self.text, text_of(message.at("content")))?;
        self.extras.add(message, &mut self.budget)?;
        for call in message.at("tool_calls").as_array().into_iter().flatten() {
            let call = ReplyCall {
                id: text_of(call.at("id")).to_owned(),
                name: text_of(call.at("function").at("name")).to_owned(),
                arguments: arguments_text(call.at("function").at("arguments")),
            };
            self.budget.take(call.id.len() + call.name.len() + call.arguments.len() + 1)?;
            self.calls.push(call);
        }
        let done = line.at("done") == true;
        if done {
            self.last = Some(line);
        }
        Ok(done)
    }

    fn reply(self) -> Reply {
        let end = match &self.last {
            Some(last) if last.at("done_reason") != "length" => ReplyEnd::Finished,
            _ => ReplyEnd::Truncated,
        };
        let usage = self.usage();
        let (on_the_way, kept) = (Vec::new(), self.extras.kept(self.calls.len()));
        Reply { text: self.text, on_the_way, calls: self.calls, kept, end, usage, model: self.model }
    }
}

/// Reads an answer that came in one piece.
fn whole(body: Value, text: &str) -> Result<Reply, ReadError> {
    let mut stream = Stream::default();
    if !body.at("message").is_object() {
        return Err(ReadError::Unreadable("it has no `message`".into()));
    }
    stream.line(body, text)?;
    Ok(stream.reply())
}

/// The address in `OLLAMA_HOST`, which is written for the server too: a host, a host and a port, or a whole address.
/// `0.0.0.0` is where a server listens, not where a client goes.
fn address(host: &str) -> String {
    let host = host.trim_end_matches('/');
    if host.contains("://") {
        return host.replacen("://0.0.0.0", "://127.0.0.1", 1);
    }
    let host = host.replacen("0.0.0.0", "127.0.0.1", 1);
    let port_follows =
        |rest: &str| rest.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let has_port = match host.rsplit_once(']') {
        Some((_, rest)) => port_follows(rest),
        None => port_follows(&host),
    };
    match (host.starts_with(':'), has_port) {
        (true, _) => format!("http://127.0.0.1{host}"),
        (false, true) => format!("http://{host}"),
        (false, false) => format!("http://{host}:{PORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ollama_host_is_read_as_ollama_reads_it() {
        let cases = [
            ("localhost", "http://localhost:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            (":8080", "http://127.0.0.1:8080"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:9", "http://[::1]:9"),
            ("https://models.example/", "https://models.example"),
            ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ];
        for (host, expected) in cases {
            assert_eq!(address(host), expected, "{host}");
        }
    }
}
