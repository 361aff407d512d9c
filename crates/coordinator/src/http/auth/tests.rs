mod attempts;
mod bodies;
mod confined;
mod roles;
mod withdrawn;

use axum::http::Method;
use serde_json::{Value, json};

use super::super::route::Access;
use super::{allows, is_here};
use crate::app::agents::fixture::Fixture;
use accord_domain::key::Role;

#[test]
fn roles_allow_their_permissions() {
    use Access::{Administer, Call, Known, Open, Read, Run};
    let all = [Open, Known, Read, Call, Run, Administer];
    let allowed = |role| all.map(|access| allows(role, access));
    assert_eq!(allowed(Role::Admin), [true, true, true, true, true, true]);
    assert_eq!(allowed(Role::Caller), [true, true, true, true, false, false]);
    assert_eq!(allowed(Role::Viewer), [true, true, true, false, false, false]);
    assert_eq!(allowed(Role::Runner), [true, true, false, false, true, false]);
}

#[test]
fn only_known_names_are_this_machine() {
    let here = [
        "localhost",
        "LOCALHOST:8765",
        "127.0.0.1:1",
        "127.3.2.1",
        "[::1]:8765",
        "[::1]",
        "[::ffff:127.0.0.1]:80",
    ];
    for here in here {
        assert!(is_here(here, None), "{here}");
    }
    let others =
        ["evil.example", "localhost.evil.example", "10.0.0.1", "", "[", "0.0.0.0", "127.0.0.1.nip.io:80"];
    for other in others {
        assert!(!is_here(other, None), "{other}");
    }
    assert!(is_here("10.0.0.1:8765", Some([10, 0, 0, 1].into())));
}

async fn made(fixture: &Fixture, role: &str) -> (String, String) {
    let reply = fixture.post("/keys", &json!({"role": role, "name": role})).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let text = |field: &str| reply.json()[field].as_str().unwrap().to_owned();
    (text("key_id"), text("key"))
}

#[tokio::test]
async fn wrong_keys_open_nothing() {
    let fixture = Fixture::new(&[]);
    let (id, key) = made(&fixture, "admin").await;
    let (prefix, secret) = key.rsplit_once('_').unwrap();
    let wrong = [
        String::new(),
        "x".to_owned(),
        prefix.to_owned(),
        format!("{prefix}_"),
        format!("{prefix}_{}", secret.replace('0', "1")),
        format!("accord_9999_{secret}"),
        format!("{key}0"),
        key.to_uppercase(),
    ];
    for key in &wrong {
        fixture.with_key(Some(key));
        assert_eq!(fixture.get("/agents").await.error(), (401, "Unauthorized".into()), "{key}");
    }
    fixture.with_key(None);
    for header in [format!("Basic {key}"), key.clone(), "Bearer".to_owned()] {
        let reply = fixture.send(Method::GET, "/agents", &[("authorization", &header)], String::new()).await;
        assert_eq!(reply.error(), (401, "Unauthorized".into()), "{header}");
        assert_eq!(reply.headers["www-authenticate"], "Bearer");
    }
    let lower = format!("bearer {key}");
    let reply = fixture.send(Method::GET, "/agents", &[("authorization", &lower)], String::new()).await;
    assert_eq!(reply.status, 200);
    assert_eq!(fixture.get("/health").await.status, 200);

    fixture.with_key(Some(&key));
    let list = fixture.get("/keys").await;
    assert!(!list.text.contains(secret), "{}", list.text);
    let now = "2026-11-01T00:00:00Z";
    let expected = json!({
        "key_id": id, "name": "admin", "role": "admin", "created_at": now, "expires_at": null, "last_used_at": now,
    });
    assert_eq!(list.json(), json!({"items": [expected], "next_cursor": null}));
    for (id, status) in [("key_none", 404), ("none", 404), (id.as_str(), 204)] {
        let reply = fixture.send(Method::DELETE, &format!("/keys/{id}"), &[], String::new()).await;
        assert_eq!(reply.status, status);
    }
}

#[tokio::test]
async fn keys_created_by_other_processes_are_noticed() {
    let fixture = Fixture::new(&[]);
    assert_eq!(fixture.get("/agents").await.status, 200);
    let outside = fixture.outside.as_ref();
    let (key, shown) = crate::new_key(outside, Role::Viewer, "elsewhere", None).unwrap();
    fixture.store.add_key(key.clone()).await.unwrap();
    fixture.outside.pass(3);
    assert_eq!(fixture.get("/agents").await.status, 401);
    fixture.with_key(Some(&shown));
    assert_eq!(fixture.get("/agents").await.status, 200);
    fixture.store.remove_key(&key.id).await.unwrap();
    let (other, _) = crate::new_key(outside, Role::Viewer, "another", None).unwrap();
    fixture.store.add_key(other).await.unwrap();
    fixture.outside.pass(3);
    assert_eq!(fixture.get("/agents").await.status, 401);
}

#[tokio::test]
async fn without_keys_only_this_machine_is_served() {
    let fixture = Fixture::new(&[]);
    let cases: [(&[(&str, &str)], u16); 7] = [
        (&[("host", "localhost:8765")], 200),
        (&[("host", "127.0.0.1:8765"), ("origin", "http://localhost:8765")], 200),
        (&[("host", "evil.example")], 403),
        (&[("host", "localhost"), ("origin", "https://evil.example")], 403),
        (&[("host", "localhost"), ("origin", "null")], 403),
        (&[("host", "localhost"), ("origin", "http://localhost.evil.example")], 403),
        (&[("host", "localhost"), ("origin", "file://localhost")], 403),
    ];
    for (headers, status) in cases {
        let reply = fixture.send(Method::GET, "/agents", headers, String::new()).await;
        assert_eq!(reply.status, status, "{headers:?}");
    }
    let (_, key) = made(&fixture, "viewer").await;
    fixture.with_key(Some(&key));
    let reply = fixture.send(Method::GET, "/agents", &[("host", "accord.example")], String::new()).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn without_keys_other_pages_change_nothing() {
    let fixture = Fixture::new(&[]);
    let (host, json) = (("host", "localhost:8765"), ("content-type", "application/json"));
    let (ours, other) = (("origin", "http://localhost:8765"), ("origin", "http://localhost:3000"));
    let site = |site: &'static str| ("sec-fetch-site", site);
    let cases: [(&[(&str, &str)], bool); 10] = [
        (&[host], true),
        (&[host, ours], true),
        (&[host, ours, site("same-origin")], true),
        (&[host, site("none")], true),
        // A development server that forwards requests and keeps the browser's headers.
        (&[host, other, site("same-origin")], true),
        (&[host, other], false),
        (&[host, other, site("same-site")], false),
        (&[host, site("cross-site")], false),
        (&[host, ("origin", "http://127.0.0.1:8765")], false),
        (&[other], false),
    ];
    for (headers, is_taken) in cases {
        for (method, path) in [(Method::POST, "/runs/run_1/stop"), (Method::DELETE, "/sessions/ses_1")] {
            let status = fixture.send(method, path, headers, String::new()).await.status.as_u16();
            assert_eq!(status, if is_taken { 404 } else { 403 }, "{path} {headers:?}");
        }
        let with_body = [headers, &[json]].concat();
        let status = fixture.send(Method::POST, "/runs", &with_body, "{}".to_owned()).await.status.as_u16();
        assert_eq!(status, if is_taken { 400 } else { 403 }, "{headers:?}");
        let read = fixture.send(Method::GET, "/agents", headers, String::new()).await.status.as_u16();
        assert_eq!(read, 200, "{headers:?}");
    }
    // A key identifies the caller, whatever page it is used in.
    let (_, key) = made(&fixture, "admin").await;
    fixture.with_key(Some(&key));
    let reply = fixture.send(Method::POST, "/runs/run_1/stop", &[host, other], String::new()).await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn every_answer_has_the_nosniff_header() {
    let fixture = Fixture::new(&[]);
    for path in
        ["/health", "/agents", "/agents/none", "/nothing", "/metrics", "/openapi.json", "/docs", "/ui/"]
    {
        assert_eq!(fixture.get(path).await.headers["x-content-type-options"], "nosniff", "{path}");
    }
}

#[tokio::test]
async fn a_key_is_required_if_others_can_connect() {
    let fixture = Fixture::new(&[]);
    fixture.app.keys.listens_on("0.0.0.0:8765".parse().unwrap());
    assert_eq!(fixture.get("/agents").await.error(), (401, "Unauthorized".into()));
    assert_eq!(fixture.get("/health").await.status, 200);
}

#[tokio::test]
async fn unlisted_route_is_404() {
    let fixture = Fixture::new(&[]);
    assert_eq!(fixture.get("/nothing").await.error(), (404, "RouteNotFound".into()));
    let reply = fixture.send(Method::DELETE, "/agents", &[], String::new()).await;
    assert_eq!(reply.error(), (405, "MethodNotAllowed".into()));
    assert_eq!(fixture.send(Method::HEAD, "/agents", &[], String::new()).await.status, 200);
    let metrics = fixture.get("/metrics").await;
    assert!(
        metrics.text.contains("accord_http_requests_total{route=\"/agents\",status=\"2xx\"} 1"),
        "{}",
        metrics.text
    );
    let stats: Value = fixture.get("/stats").await.json();
    assert_eq!((&stats["all"]["key"], &stats["all"]["runs"]), (&json!("all"), &json!(0)));
    assert_eq!(fixture.get("/stats?since=yesterday").await.error(), (400, "InvalidRequest".into()));
}

#[tokio::test]
async fn without_keys_a_proxy_serves_only_this_machine() {
    let fixture = Fixture::new(&[]);
    let strangers = [
        ("x-forwarded-for", "203.0.113.9"),
        ("x-forwarded-for", "127.0.0.1, 203.0.113.9"),
        ("x-forwarded-for", "2001:db8::1"),
        ("x-forwarded-for", ""),
        ("x-real-ip", "203.0.113.9"),
        ("x-forwarded-host", "accord.example"),
        ("forwarded", "for=127.0.0.1"),
    ];
    let asked =
        async |headers: &[(&str, &str)]| fixture.send(Method::GET, "/agents", headers, String::new()).await;
    for (name, value) in strangers {
        let reply = asked(&[("host", "127.0.0.1:8765"), (name, value)]).await;
        assert_eq!(reply.error(), (403, "Forbidden".into()), "{name}: {value}");
        let said = format!("through a proxy ({name}: ");
        assert!(reply.text.contains(&said) && reply.text.contains("accord keys create"), "{}", reply.text);
    }
    let here = [
        ("x-forwarded-for", "127.0.0.1, ::1"),
        ("x-forwarded-host", "localhost:8765"),
        ("x-forwarded-proto", "https"),
    ];
    for (name, value) in here {
        assert_eq!(asked(&[(name, value)]).await.status, 200, "{name}: {value}");
    }
    let (_, key) = made(&fixture, "admin").await;
    fixture.with_key(Some(&key));
    assert_eq!(asked(&[("x-forwarded-for", "203.0.113.9")]).await.status, 200);
}
