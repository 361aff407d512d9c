//! `accord doctor` asks the providers of a project.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::Value;

use crate::support::Folder;

/// A server that lists two models for the key `good`, as many times as it is asked. It ends with the test.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || listener.incoming().flatten().for_each(answer));
    address
}

fn answer(mut connection: TcpStream) {
    let lines = BufReader::new(connection.try_clone().unwrap()).lines();
    let head: Vec<String> = lines
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
        .map(|line| line.to_lowercase())
        .collect();
    assert!(head.first().unwrap().starts_with("get /v1/models "), "{head:?}");
    let (status, body) = match head.contains(&"authorization: bearer good".to_owned()) {
        true => ("200 OK", r#"{"data": [{"id": "small"}, {"id": "large"}]}"#),
        false => ("401 Unauthorized", r#"{"error": {"message": "bad key: wrong-key"}}"#),
    };
    let answer =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    connection.write_all(answer.as_bytes()).unwrap();
}

fn project(address: SocketAddr, model: &str) -> Folder {
    let config = format!(
        "[providers.lab]\nkind = \"openai-compatible\"\nbase_url = \"http://{address}/v1\"\napi_key_env = \"LAB_KEY\"\n"
    );
    let agent = format!("name: a\nexecutor: {{ type: llm, provider: lab, model: {model} }}\n");
    Folder::with(&[("accord.toml", &config), (".accord/agents/a/agent.yaml", &agent)])
}

/// The checks of providers as `status message -> remedy`, and the exit code.
fn told(folder: &Folder, key: &str) -> (Option<i32>, Vec<String>) {
    let ran = folder.run_with(&["doctor", "--json"], "", &[("LAB_KEY", key), ("PATH", "")]);
    assert!(!format!("{ran:?}").contains("wrong-key"), "{ran:?}");
    let report = ran.json();
    let checks = report.get("checks").and_then(Value::as_array).unwrap().iter();
    let checks = checks.filter(|check| check.get("name").is_some_and(|name| name == "providers"));
    let text = |check: &Value, name: &str| check.get(name).and_then(Value::as_str).unwrap_or("-").to_owned();
    let told = |check: &Value| {
        format!("{} {} -> {}", text(check, "status"), text(check, "message"), text(check, "remedy"))
    };
    (ran.code, checks.map(told).collect())
}

#[test]
fn the_doctor_asks_the_providers_of_a_project() {
    let address = server();
    let name = format!("lab http://{address}/v1");
    let (code, checks) = told(&project(address, "small"), "good");
    assert_eq!(
        checks,
        ["ok lab: LAB_KEY is set -> -".to_owned(), format!("ok {name}: answers and has small -> -")]
    );
    assert_eq!(code, Some(0));

    let (code, checks) = told(&project(address, "smal"), "good");
    let missing = "has no model 'smal', which agent 'a' uses -> change the model; did you mean 'small'?";
    assert_eq!(checks[1], format!("warn {name}: {missing}"));
    assert_eq!(code, Some(0));

    let (code, checks) = told(&project(address, "small"), "wrong-key");
    let remedy = "put a valid key into the variable that providers.lab.api_key_env names";
    assert_eq!(checks[1], format!("fail {name}: rejected the credentials (401) -> {remedy}"));
    assert_eq!(code, Some(1));

    // Without a key nothing is asked, and the missing key is the only problem.
    let (code, checks) = told(&project(address, "small"), "");
    assert_eq!((code, checks.len()), (Some(1), 1), "{checks:?}");
    assert!(checks[0].starts_with("fail lab: LAB_KEY is not set"), "{checks:?}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (code, checks) = told(&project(address, "small"), "good");
    assert!(checks[1].starts_with(&format!("fail lab http://{address}/v1: ")), "{checks:?}");
    assert!(checks[1].contains("refused") && checks[1].contains("start the server"), "{checks:?}");
    assert_eq!(code, Some(1));
}
