//! Wrong keys are counted, and an address with too many of them has to wait.

use axum::http::Method;
use serde_json::json;

use super::made;
use crate::app::agents::fixture::{Fixture, Reply};
use accord_domain::id::KeyId;

async fn agents(fixture: &Fixture, key: Option<&str>) -> Reply {
    fixture.with_key(key);
    fixture.get("/agents").await
}

fn wrong(key: &str) -> String {
    let (prefix, secret) = key.rsplit_once('_').unwrap();
    format!("{prefix}_{}", secret.replace('0', "1"))
}

#[tokio::test]
async fn an_address_with_too_many_wrong_keys_has_to_wait() {
    let fixture = Fixture::new(&[]);
    fixture.from("192.0.2.1:5000");
    let (_, key) = made(&fixture, "admin").await;
    let wrong = wrong(&key);
    for _ in 0..20 {
        assert_eq!(agents(&fixture, Some(&wrong)).await.error(), (401, "Unauthorized".into()));
    }
    for tried in [wrong.as_str(), "x", "run.run_9.lse_9"] {
        let reply = agents(&fixture, Some(tried)).await;
        assert_eq!(reply.error(), (429, "TooManyAttempts".into()), "{tried}");
        assert_eq!(reply.headers["retry-after"], "6");
        assert!(reply.headers.get("www-authenticate").is_none());
    }
    assert_eq!(agents(&fixture, Some(&key)).await.status, 200, "a valid key is not locked out");
    assert_eq!(agents(&fixture, None).await.status, 401, "who sends no key guesses none");
    fixture.from("192.0.2.2:5000");
    assert_eq!(agents(&fixture, Some(&wrong)).await.status, 401, "others are not held up");
    fixture.from("192.0.2.1:5001");
    fixture.outside.pass(6);
    assert_eq!(agents(&fixture, Some(&wrong)).await.status, 401);
    assert_eq!(agents(&fixture, Some(&wrong)).await.status, 429);

    let metrics = {
        fixture.with_key(Some(&key));
        fixture.get("/metrics").await.text
    };
    for (reason, count) in [("missing", 1), ("unknown_key", 25), ("run_token", 1), ("expired_key", 0)] {
        let line = format!("accord_failed_authentications_total{{reason=\"{reason}\"}} {count}");
        assert!(metrics.lines().any(|known| known == line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn an_expired_key_opens_nothing_and_says_so() {
    let fixture = Fixture::new(&[]);
    fixture.from("192.0.2.1:5000");
    let (_, admin) = made(&fixture, "admin").await;
    fixture.with_key(Some(&admin));
    let past = json!({"role": "viewer", "expires_at": "2026-11-01T00:00:00Z"});
    assert_eq!(fixture.post("/keys", &past).await.error(), (400, "InvalidRequest".into()));
    let ahead = json!({"role": "viewer", "expires_at": "2026-11-01T00:01:00Z"});
    let created = fixture.post("/keys", &ahead).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.json()["expires_at"], "2026-11-01T00:01:00Z");
    let key = created.json()["key"].as_str().unwrap().to_owned();
    fixture.outside.pass(59);
    assert_eq!(agents(&fixture, Some(&key)).await.status, 200);
    fixture.outside.pass(1);
    for _ in 0..30 {
        let reply = agents(&fixture, Some(&key)).await;
        assert_eq!(reply.error(), (401, "Unauthorized".into()), "who knew the key is not put off");
        assert!(reply.text.contains("expired at 2026-11-01T00:01:00Z"), "{}", reply.text);
    }
    let guessed = agents(&fixture, Some(&wrong(&key))).await;
    assert!(!guessed.text.contains("expired"), "only who has the secret hears of it: {}", guessed.text);
    let keys = {
        fixture.with_key(Some(&admin));
        fixture.get("/keys").await.json()
    };
    assert_eq!(keys["items"][1]["expires_at"], "2026-11-01T00:01:00Z");
}

#[tokio::test]
async fn the_last_use_of_a_key_is_shown_at_once_and_written_later() {
    let fixture = Fixture::new(&[]);
    let (id, key) = made(&fixture, "admin").await;
    let id: KeyId = id.parse().unwrap();
    let stored = async || {
        let keys = fixture.store.keys().await.unwrap();
        keys.into_iter().find(|key| key.id == id).unwrap().last_used_at.map(|at| at.to_string())
    };
    fixture.with_key(Some(&key));
    for second in 1..=3 {
        fixture.outside.pass(1);
        let shown = fixture.get("/keys").await.json();
        assert_eq!(shown["items"][0]["last_used_at"], format!("2026-11-01T00:00:0{second}Z"));
        assert_eq!(stored().await, None, "a request writes nothing");
    }
    fixture.app.keys.note_uses().await.unwrap();
    assert_eq!(stored().await.as_deref(), Some("2026-11-01T00:00:03Z"));
    fixture.outside.pass(1);
    let denied = format!("{key}0");
    assert_eq!(agents(&fixture, Some(&denied)).await.status, 401);
    fixture.app.keys.note_uses().await.unwrap();
    assert_eq!(stored().await.as_deref(), Some("2026-11-01T00:00:03Z"), "a wrong secret is no use");
    let removed = {
        fixture.with_key(Some(&key));
        fixture.send(Method::DELETE, &format!("/keys/{id}"), &[], String::new()).await
    };
    assert_eq!(removed.status, 204);
    fixture.app.keys.note_uses().await.unwrap();
}
