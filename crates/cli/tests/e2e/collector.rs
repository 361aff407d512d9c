//! A trace collector, and the spans that it received.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1 as otlp;
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// One complete request.
pub(crate) struct Posted {
    pub(crate) head: String,
    body: Vec<u8>,
}

impl Posted {
    pub(crate) fn contains(&self, text: &str) -> bool {
        contains(&self.body, text)
    }
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Starts a collector that accepts everything; returns its address and the received requests.
pub(crate) async fn collector() -> (String, mpsc::UnboundedReceiver<Posted>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, posted) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(collect(stream, sender.clone()));
        }
    });
    (url, posted)
}

/// Reads requests until the connection ends.
async fn collect(mut stream: TcpStream, posted: mpsc::UnboundedSender<Posted>) {
    let mut heard = Vec::new();
    while stream.read_buf(&mut heard).await.is_ok_and(|read| read > 0) {
        let Some(end) = heard.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(heard.iter().take(end).copied().collect()).unwrap().to_ascii_lowercase();
        let length = head.split_once("content-length: ").unwrap().1;
        let length: usize = length.lines().next().unwrap().parse().unwrap();
        if heard.len() < end + 4 + length {
            continue;
        }
        let body = heard.drain(..end + 4 + length).skip(end + 4).collect();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        posted.send(Posted { head, body }).unwrap();
    }
}

pub(crate) fn everything(posted: &mut mpsc::UnboundedReceiver<Posted>) -> Vec<Posted> {
    std::iter::from_fn(|| posted.try_recv().ok()).collect()
}

/// A span, with ids in the format of `traceparent`.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: String,
    pub(crate) attributes: BTreeMap<String, String>,
    /// The types of its attributes.
    pub(crate) types: BTreeMap<String, &'static str>,
    pub(crate) status: String,
    events: Vec<(String, BTreeMap<String, String>)>,
}

impl Span {
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// The verdicts among its events.
    pub(crate) fn verdicts(&self) -> Vec<&str> {
        let verdicts = self.events.iter().filter(|(name, _)| name == "gen_ai.evaluation.result");
        verdicts.map(|(_, attributes)| attributes["gen_ai.evaluation.score.label"].as_str()).collect()
    }
}

/// All spans received so far.
pub(crate) fn spans(posted: &mut mpsc::UnboundedReceiver<Posted>) -> Vec<Span> {
    let requests = everything(posted).into_iter();
    let requests = requests.map(|posted| ExportTraceServiceRequest::decode(posted.body.as_slice()).unwrap());
    let resources = requests.flat_map(|request| request.resource_spans);
    resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).map(span).collect()
}

fn span(span: otlp::Span) -> Span {
    let event = |event: otlp::span::Event| (event.name, attributes(event.attributes));
    Span {
        name: span.name,
        trace: hex(&span.trace_id),
        id: hex(&span.span_id),
        parent: hex(&span.parent_span_id),
        types: span.attributes.iter().map(|pair| (pair.key.clone(), type_of(pair))).collect(),
        status: span.status.map(|status| status.message).unwrap_or_default(),
        attributes: attributes(span.attributes),
        events: span.events.into_iter().map(event).collect(),
    }
}

fn attributes(pairs: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |value: Option<Value>| match value {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    };
    pairs.into_iter().map(|pair| (pair.key, text(pair.value.and_then(|value| value.value)))).collect()
}

fn type_of(pair: &KeyValue) -> &'static str {
    match pair.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(_)) => "string",
        Some(Value::IntValue(_)) => "int",
        Some(Value::DoubleValue(_)) => "double",
        Some(Value::BoolValue(_)) => "boolean",
        Some(Value::ArrayValue(_)) => "list",
        _ => "other",
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
