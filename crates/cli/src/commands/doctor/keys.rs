//! Whether keys are about to expire. Only a coordinator that runs is asked, with an admin's key or where none is needed.

use accord_api::{KeyView, PageQuery};
use accord_client::Client;
use jiff::{SignedDuration, Timestamp};

use super::check::Check;
use crate::paging::PagingArguments;
use crate::view::text::line;

const NAME: &str = "keys";

/// Time enough to make another key and hand it on.
const SOON: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(super) async fn check(client: Option<&Client>) -> Option<Check> {
    let client = client?;
    let keys = PagingArguments::all().gather(|page: PageQuery| async move { client.keys(&page).await }).await;
    // Only admins may list keys.
    let keys = keys.ok()?.items;
    (!keys.is_empty()).then(|| judged(&keys, Timestamp::now()))
}

fn judged(keys: &[KeyView], now: Timestamp) -> Check {
    let ends: Vec<String> = keys.iter().filter_map(|key| end(key, now)).collect();
    match ends.as_slice() {
        [] => Check::ok(NAME, format!("{} found, none expires within 7 days", keys.len())),
        ends => {
            let remedy = "create new ones with `accord keys create --expires 90d`, then revoke these with `accord keys rm`";
            Check::warn(NAME, ends.join("; "), remedy)
        }
    }
}

fn end(key: &KeyView, now: Timestamp) -> Option<String> {
    let at = key.expires_at?;
    let name = format!("{} ({}, {})", key.key_id, key.role, line(&key.name));
    match at.duration_since(now) {
        left if left <= SignedDuration::ZERO => Some(format!("{name} expired at {at}")),
        left if left <= SOON => Some(format!("{name} expires at {at}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_expire_soon_are_named() {
        let key = |id: &str, expires_at: Option<&str>| -> KeyView {
            serde_json::from_value(serde_json::json!({
                "key_id": id, "name": "ci", "role": "caller", "created_at": "2026-01-01T00:00:00Z",
                "expires_at": expires_at,
            }))
            .unwrap()
        };
        let now = "2026-11-15T10:00:00Z".parse().unwrap();
        let fine = [key("key_1", None), key("key_2", Some("2026-11-23T10:00:00Z"))];
        assert_eq!(judged(&fine, now), Check::ok(NAME, "2 found, none expires within 7 days"));
        let soon = [key("key_3", Some("2026-11-22T10:00:00Z")), key("key_4", Some("2026-11-15T10:00:00Z"))];
        let check = judged(&[fine.as_slice(), soon.as_slice()].concat(), now);
        assert_eq!(
            check.message,
            "key_3 (caller, ci) expires at 2026-11-22T10:00:00Z; key_4 (caller, ci) expired at 2026-11-15T10:00:00Z"
        );
        assert_eq!(check.status, super::super::Status::Warn);
    }
}
