//! Clients that send a body slowly, to every route at once: what they have sent is bounded for all of them together.

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::openapi::operations;
use super::report::Cost;
use super::victim::{By, MOST_MEMORY, Victim};
use super::wire::Request;

/// How many clients send to each route.
const CLIENTS: usize = 8;

/// What each announces, and what it sends before it stops.
const ANNOUNCED: usize = 8 * 1024 * 1024;
const SENT: usize = 3 * 1024 * 1024;

#[tokio::test]
async fn slow_bodies_leave_memory_and_room_for_others() {
    let mut victim = Victim::start().await;
    let document = victim.json(Request::new("GET", "/openapi.json")).await;
    let idle = victim.meter().resident().unwrap();
    let sent = " ".repeat(SENT);
    let mut held = Vec::new();
    for operation in operations(&document).iter().filter(|operation| operation.body.is_some()) {
        let (address, _) = victim.address(operation).await;
        for _ in 0..CLIENTS {
            let head =
                victim.signed(By::Admin, Request::new(&operation.method, &address)).head_for(ANNOUNCED);
            let Ok(mut stream) = TcpStream::connect(victim.host()).await else { continue };
            let text = [head.as_bytes(), sent.as_bytes()].concat();
            // A server that does not read on does not take everything: then the rest is not sent.
            let write = stream.write_all(&text);
            let _ = tokio::time::timeout(std::time::Duration::from_millis(100), write).await;
            held.push(stream);
        }
        let memory = victim.meter().peak().unwrap_or_default().saturating_sub(idle);
        let place = operation.name();
        if memory > MOST_MEMORY {
            victim.report.fail(
                &place,
                "slow bodies",
                &format!("{} MiB for {} clients", memory >> 20, held.len()),
            );
            break;
        }
        victim.report.note(
            &place,
            "slow bodies",
            Cost { cpu: std::time::Duration::ZERO, memory, other: None },
        );
    }
    let validate = Request::post("/schemas/validate", r#"{"schema": {"type": "object"}, "value": {}}"#);
    let answer = victim.attack("POST /schemas/validate", "beside slow bodies", By::Viewer, validate).await;
    assert!(answer.is_some(), "another client was not answered");
    drop(held);
    victim.conclude("slow").await;
}
