//! Clients that request expensive work and hang up: the work is not completed for each of them.

use std::time::Duration;

use accord_test_support::hostile::schemas;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::meter::Meter;
use super::victim::{By, MOST_CPU, Victim};
use super::wire::Request;

/// How many clients hang up.
const CLIENTS: usize = 8;

/// A process that used less CPU time than this in [`BETWEEN`] is idle.
const REST: Duration = Duration::from_millis(30);
const BETWEEN: Duration = Duration::from_millis(300);

/// Waits until a process is idle or has used too much, and returns what it has used.
async fn rested(meter: Meter, from: Duration, most: Duration) -> Duration {
    let mut looks = tokio::time::interval(BETWEEN);
    looks.tick().await;
    let mut before = meter.cpu().unwrap();
    loop {
        looks.tick().await;
        let now = meter.cpu().unwrap();
        if now.saturating_sub(before) < REST || now.saturating_sub(from) > most {
            return now.saturating_sub(from);
        }
        before = now;
    }
}

#[tokio::test]
async fn work_for_disconnected_clients_is_bounded() {
    let victim = Victim::start().await;
    let meter = victim.meter();
    for name in ["enum times items", "anyOf times items", "patterns times properties"] {
        let shape = schemas(1).into_iter().find(|shape| shape.name == name).unwrap();
        let body = format!(r#"{{"schema": {}, "value": {}}}"#, shape.text(), shape.value);
        let request = victim.signed(By::Viewer, Request::post("/schemas/validate", body)).bytes();
        let from = rested(meter, Duration::ZERO, Duration::MAX).await;
        for _ in 0..CLIENTS {
            let mut stream = TcpStream::connect(victim.host()).await.unwrap();
            stream.write_all(&request).await.unwrap();
        }
        let most = *MOST_CPU * 2;
        let used = rested(meter, from, most).await;
        println!("{CLIENTS} clients that hung up, {name}: {used:?} of CPU");
        assert!(used <= most, "{name}: {used:?} of CPU for {CLIENTS} clients that have gone");
    }
    victim.conclude("hang up").await;
}
