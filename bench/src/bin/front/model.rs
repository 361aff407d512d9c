//! A chat-completions model that answers everything with the same text, after the same time.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::Result;
use bench::http;
use serde_json::{Value, json};

/// From the request to the answer. Small, so that what is measured is not lost in it.
pub(crate) const LATENCY: Duration = Duration::from_millis(5);

pub(crate) const CONTENT: &str = r#"{"severity":"high","summary":"Nobody can log in since nine"}"#;

/// Serves until the process ends, one thread for each connection. Returns the address.
pub(crate) fn start() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let answers = Answers { whole: whole(), streamed: streamed() };
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answers = answers.clone();
            std::thread::spawn(move || serve(stream, &answers));
        }
    });
    Ok(address)
}

#[derive(Clone)]
struct Answers {
    whole: String,
    streamed: String,
}

fn serve(mut stream: TcpStream, answers: &Answers) -> Result<()> {
    stream.set_nodelay(true)?;
    let (mut buffer, mut part) = (Vec::new(), [0; 16 * 1024]);
    loop {
        buffer.clear();
        while http::whole(&buffer)?.is_none() {
            match stream.read(&mut part)? {
                0 => return Ok(()),
                read => buffer.extend(part.iter().take(read)),
            }
        }
        let due = Instant::now() + LATENCY;
        let text = String::from_utf8_lossy(&buffer);
        let is_streamed = text.contains(r#""stream":true"#) || text.contains(r#""stream": true"#);
        let answer = if is_streamed { &answers.streamed } else { &answers.whole };
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        stream.write_all(answer.as_bytes())?;
    }
}

fn whole() -> String {
    let message = json!({"role": "assistant", "content": CONTENT});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    response("application/json", &completion("chat.completion", choice).to_string())
}

fn streamed() -> String {
    let delta = json!({"role": "assistant", "content": CONTENT});
    let choice = json!({"index": 0, "delta": delta, "finish_reason": "stop"});
    let chunk = completion("chat.completion.chunk", choice);
    response("text/event-stream", &format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

fn completion(object: &str, choice: Value) -> Value {
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120});
    json!({"id": "c-1", "object": object, "created": 0, "model": "front", "choices": [choice], "usage": usage})
}

fn response(kind: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}
