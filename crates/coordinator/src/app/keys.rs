//! API keys: who is calling, and what that allows.
//!
//! A key is `accord_<id>_<secret>`: the id finds its row, the secret proves it. Only a hash is stored; with 256 random bits in
//! the secret a plain SHA-256 is enough. If there is no key and only this machine can reach the server, every caller is an
//! admin.
//!
//! Long requests, which follow events or wait, end when their key is revoked or expires.

mod attempts;
mod known;
mod uses;

use std::cmp::Ordering;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use accord_api::{CreateKey, CreatedKey, ErrorName, KeyView, Page};
use accord_blueprint::hex;
use accord_domain::audit::RequestedBy;
use accord_domain::id::KeyId;
use accord_domain::key::{Key, Role};
use accord_store::KeyStore;
use accord_trace::TraceParent;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use tokio::time::{sleep, timeout};

use super::{CallingRun, page};
use crate::error::{Error, refuse};
use crate::metrics;
use crate::outside::Outside;
pub(crate) use attempts::Denial;
use attempts::FailedAttempts;
pub(crate) use known::FRESH;
use known::KnownKeys;
use uses::Uses;

/// An unknown key may be new. For unknown keys the store is read at most this often.
const FRESH_FOR_STRANGERS: SignedDuration = SignedDuration::from_millis(250);

/// How long the store is asked for keys on behalf of those who are answered also without it.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// How long an expiry is slept for at most: the clock that decides may be set meanwhile.
const LONGEST_NAP: Duration = Duration::from_secs(30);

/// A name is a label in a list.
const LONGEST_NAME: usize = 200;

const PREFIX: &str = "accord_";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The key; `None` if no key is required.
    pub(crate) key_id: Option<KeyId>,
    pub(crate) role: Role,
    /// The run, if the caller uses a run token.
    pub(crate) run: Option<CallingRun>,
    /// The key or run that is recorded for what the caller starts: none if no key is needed, and for a command of this process.
    pub(crate) requested_by: Option<RequestedBy>,
    pub(crate) expires_at: Option<Timestamp>,
    /// The trace that the request belongs to.
    pub(crate) traceparent: Option<TraceParent>,
}

impl Caller {
    /// The trace that the request belongs to, for what it starts.
    pub(crate) fn trace(&self) -> Option<String> {
        self.traceparent.as_ref().map(ToString::to_string)
    }
}

#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    /// Why the credentials are invalid; `None` if they could not be checked.
    denial: Option<Denial>,
    error: Error,
}

impl Refusal {
    pub(crate) fn new(denial: Denial, error: Error) -> Self {
        Self { denial: Some(denial), error }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { denial: None, error }
    }
}

pub(crate) struct Keys {
    store: Arc<dyn KeyStore>,
    known: Arc<KnownKeys>,
    /// Keys of this process alone: they are never stored and do not count as keys that exist.
    local: RwLock<Vec<Key>>,
    listen: OnceLock<SocketAddr>,
    failed: FailedAttempts,
    uses: Uses,
    outside: Arc<dyn Outside>,
}

impl Keys {
    pub(crate) fn new(store: Arc<dyn KeyStore>, outside: Arc<dyn Outside>) -> Self {
        let known = Arc::new(KnownKeys::new(Arc::clone(&store), Arc::clone(&outside)));
        Self {
            store,
            known,
            local: RwLock::default(),
            listen: OnceLock::new(),
            failed: FailedAttempts::default(),
            uses: Uses::default(),
            outside,
        }
    }

    /// Says where the server listens. Until then it counts as reachable from this machine only.
    pub(crate) fn listens_on(&self, address: SocketAddr) {
        let _ = self.listen.set(address);
    }

    pub(crate) fn listen(&self) -> Option<SocketAddr> {
        self.listen.get().copied()
    }

    /// How old keys may be for a request that is answered also where the store is away: of any age, where it does not answer.
    pub(crate) async fn age_without_store(&self) -> SignedDuration {
        match timeout(LONGEST_LOOK, self.known.within(FRESH)).await {
            Ok(Ok(_)) => FRESH,
            Ok(Err(_)) | Err(_) => SignedDuration::MAX,
        }
    }

    /// Whether no key is needed, by keys that are at most this old.
    pub(crate) async fn open(&self, age: SignedDuration) -> Result<bool, Error> {
        let only_here = self.listen().is_none_or(|address| is_loopback(address.ip()));
        Ok(only_here && self.known.within(age).await?.is_empty())
    }

    /// The caller with this key at this address, according to keys that are at most this old.
    pub(crate) async fn caller(
        &self,
        presented: Option<&str>,
        address: Option<IpAddr>,
        age: SignedDuration,
    ) -> Result<Caller, Refusal> {
        // Where everything is open, too: it stays who it is when that ends.
        if let Some(caller) = presented.and_then(|presented| self.local_caller(presented)) {
            return Ok(caller);
        }
        if self.open(age).await? {
            return Ok(Caller {
                key_id: None,
                role: Role::Admin,
                run: None,
                requested_by: None,
                expires_at: None,
                traceparent: None,
            });
        }
        let Some(presented) = presented else { return Err(Refusal::new(Denial::Missing, needed())) };
        let wrong = || Refusal::new(Denial::UnknownKey, unknown());
        let id = id_of(presented).ok_or_else(wrong)?;
        let hash = hash_of(presented);
        let now = self.outside.now();
        let is_over = address.is_some_and(|address| self.failed.is_over(address, now));
        let looks = if is_over { [age, age] } else { [age, FRESH_FOR_STRANGERS] };
        for fresh in looks {
            let keys = self.known.within(fresh).await?;
            if let Some(key) = keys.iter().find(|key| key.id == id) {
                let caller = key_holder(key, &hash).ok_or_else(wrong)?;
                if let Some(at) = key.expires_at.filter(|at| *at <= now) {
                    return Err(Refusal::new(Denial::ExpiredKey, expired(&key.id, at)));
                }
                self.uses.note(&key.id, now);
                return Ok(caller);
            }
        }
        Err(wrong())
    }

    /// The error for a rejected caller: counted, logged, and replaced by 429 after too many failures.
    pub(crate) fn refused(&self, address: Option<IpAddr>, refusal: Refusal) -> Error {
        let Refusal { denial, error } = refusal;
        let Some(denial) = denial else { return error };
        metrics::failed_authentication(denial);
        let Some(address) = address.filter(|_| denial.may_be_a_guess()) else { return error };
        match self.failed.add(address, denial, self.outside.now()) {
            Some(wait) => too_many(wait),
            None => error,
        }
    }

    fn local_caller(&self, presented: &str) -> Option<Caller> {
        let id = id_of(presented)?;
        let local = self.local.read().unwrap_or_else(PoisonError::into_inner);
        let key = local.iter().find(|key| key.id == id)?;
        // A key that was never stored is not recorded.
        key_holder(key, &hash_of(presented)).map(|caller| Caller { requested_by: None, ..caller })
    }

    /// Whether a caller that was authorized still is.
    pub(crate) async fn check(&self, caller: &Caller) -> Result<(), Error> {
        // The token of a run ends with its lease, not with a key.
        if caller.run.is_some() {
            return Ok(());
        }
        let keys = self.known.within(FRESH).await?;
        let Some(id) = &caller.key_id else {
            return if keys.is_empty() { Ok(()) } else { Err(needed()) };
        };
        let local = self.local.read().unwrap_or_else(PoisonError::into_inner);
        if !keys.iter().chain(local.iter()).any(|key| key.id == *id) {
            return Err(unknown());
        }
        match caller.expires_at {
            Some(at) if at <= self.outside.now() => Err(expired(id, at)),
            _ => Ok(()),
        }
    }

    /// Returns when a caller that was authorized no longer is: its key was revoked or has expired, or none was needed and now
    /// one is.
    pub(crate) async fn withdrawn(&self, caller: &Caller) -> Error {
        let mut changes = KnownKeys::changes(&self.known);
        loop {
            if let Err(error) = self.check(caller).await {
                return error;
            }
            tokio::select! {
                () = changes.next() => {}
                () = self.expiry(caller) => {}
            }
        }
    }

    /// Makes a key that lives in this process alone, for a runner or a command that shares it with the coordinator.
    pub(super) fn local_key(&self, role: Role) -> Result<String, Error> {
        let (key, key_text) = new_key(self.outside.as_ref(), role, "this process", None)?;
        self.local.write().unwrap_or_else(PoisonError::into_inner).push(key);
        Ok(key_text)
    }

    /// Makes a key. The secret is shown this once.
    pub(crate) async fn create(&self, create: CreateKey) -> Result<CreatedKey, Error> {
        let (key, key_text) = new_key(self.outside.as_ref(), create.role, &create.name, create.expires_at)?;
        self.store.add_key(key.clone()).await?;
        self.known.renew().await;
        Ok(CreatedKey {
            key_id: key.id,
            name: key.name,
            role: key.role,
            key: key_text,
            created_at: key.created_at,
            expires_at: key.expires_at,
        })
    }

    /// Keys, without their secrets, oldest first.
    pub(crate) async fn list(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<KeyView>, Error> {
        let view = |key: Key| KeyView {
            last_used_at: key.last_used_at.max(self.uses.of(&key.id)),
            key_id: key.id,
            name: key.name,
            role: key.role,
            created_at: key.created_at,
            expires_at: key.expires_at,
        };
        let mut keys: Vec<KeyView> = self.store.keys().await?.into_iter().map(view).collect();
        keys.sort_by(|one, other| one.key_id.cmp(&other.key_id));
        page::List("keys").by_name(keys, Ordering::Greater, limit, cursor, |key| key.key_id.as_str())
    }

    /// Removes a key. It opens nothing from now on.
    pub(crate) async fn delete(&self, key_id: &KeyId) -> Result<(), Error> {
        self.store.remove_key(key_id).await?;
        self.known.renew().await;
        Ok(())
    }

    /// Writes when keys were last used, and logs what is left to say of failed authentications.
    pub(crate) async fn note_uses(&self) -> Result<(), Error> {
        self.failed.summarise(self.outside.now());
        let uses = self.uses.take();
        if uses.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.store.mark_keys_used(&uses).await {
            uses.iter().for_each(|(key_id, at)| self.uses.note(key_id, *at));
            return Err(error.into());
        }
        Ok(())
    }

    /// Waits until the caller's key may have expired; forever if it does not expire.
    async fn expiry(&self, caller: &Caller) {
        let Some(at) = caller.expires_at else { return std::future::pending().await };
        let left = Duration::try_from(at.duration_since(self.outside.now())).unwrap_or_default();
        sleep(left.min(LONGEST_NAP)).await;
    }
}

/// The caller, if the secret is right. The comparison takes the same time wherever they differ.
fn key_holder(key: &Key, hash: &str) -> Option<Caller> {
    if !bool::from(key.hash.as_bytes().ct_eq(hash.as_bytes())) {
        return None;
    }
    let (key_id, key_name) = (Some(key.id.clone()), Some(key.name.clone()));
    let requested_by = RequestedBy { key_id, key_name, ..RequestedBy::default() };
    Some(Caller {
        key_id: Some(key.id.clone()),
        role: key.role,
        run: None,
        requested_by: Some(requested_by),
        expires_at: key.expires_at,
        traceparent: None,
    })
}

fn needed() -> Error {
    let message = "an API key is required: send 'Authorization: Bearer KEY'. Create keys with 'accord keys create --key-file FILE' and an admin key; if no admin key is left, stop the coordinator and create one then";
    Error::new(ErrorName::Unauthorized, message)
}

fn unknown() -> Error {
    Error::new(ErrorName::Unauthorized, "invalid API key; it may have been revoked")
}

fn expired(key_id: &KeyId, at: Timestamp) -> Error {
    let message =
        format!("API key {key_id} expired at {at}; ask an admin for a new one ('accord keys create')");
    Error::new(ErrorName::Unauthorized, message)
}

fn too_many(wait: SignedDuration) -> Error {
    let seconds = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).max(1);
    let message = format!(
        "too many requests with an invalid API key from this address; retry in {seconds} s (a valid key is accepted immediately)"
    );
    Error::new(ErrorName::TooManyAttempts, message).with_retry_after(seconds)
}

fn id_of(presented: &str) -> Option<KeyId> {
    let (unique, _) = presented.strip_prefix(PREFIX)?.rsplit_once('_')?;
    KeyId::new(unique).as_str().parse().ok()
}

fn hash_of(presented: &str) -> String {
    hex(&Sha256::digest(presented.as_bytes()))
}

/// Creates a key: the stored part, and the secret that is shown once.
pub fn new_key(
    outside: &dyn Outside,
    role: Role,
    name: &str,
    expires_at: Option<Timestamp>,
) -> Result<(Key, String), Error> {
    if name.chars().count() > LONGEST_NAME {
        return Err(refuse(format!("the key's name has more than {LONGEST_NAME} characters")));
    }
    let now = outside.now();
    if let Some(at) = expires_at.filter(|at| *at <= now) {
        return Err(refuse(format!("expires_at: expected a time in the future, got {at}")));
    }
    // To the microsecond, as it is stored.
    let expires_at = expires_at.map(|at| Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at));
    let unique = outside.unique();
    let secret = outside.secret().map_err(Error::internal)?;
    let key_text = format!("{PREFIX}{unique}_{}", hex(&secret));
    let key = Key {
        id: KeyId::new(unique),
        name: name.to_owned(),
        role,
        hash: hash_of(&key_text),
        created_at: now,
        expires_at,
        last_used_at: None,
    };
    Ok((key, key_text))
}

/// Whether the server may listen on an address: on one that others can reach only with a key.
pub fn refuse_open_bind(address: SocketAddr, keys_exist: bool) -> Result<(), String> {
    if keys_exist || is_loopback(address.ip()) {
        return Ok(());
    }
    Err(format!(
        "{address} is reachable from other machines and there is no API key yet, so anyone could control it; create one with 'accord keys create --role admin', or listen on 127.0.0.1"
    ))
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Outside for Fixed {
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn unique(&self) -> String {
            "0190".to_owned()
        }

        fn secret(&self) -> Result<[u8; 32], String> {
            Ok([7; 32])
        }
    }

    #[test]
    fn a_key_holds_its_id_and_is_stored_hashed() {
        let (key, key_text) = new_key(&Fixed, Role::Viewer, "laptop", None).unwrap();
        assert_eq!(key_text, format!("accord_0190_{}", "07".repeat(32)));
        assert_eq!(id_of(&key_text), Some(key.id.clone()));
        assert_eq!(key.hash, hash_of(&key_text));
        assert!(!key.hash.contains(&"07".repeat(32)));
        assert!(new_key(&Fixed, Role::Viewer, &"x".repeat(201), None).is_err());
        assert!(new_key(&Fixed, Role::Viewer, "", Some(Timestamp::UNIX_EPOCH)).is_err());
    }

    #[test]
    fn malformed_keys_have_no_id() {
        for text in ["", "accord_", "accord__", "accord_x", "other_x_y", "accord_a b_c", "accord_\u{e4}_c"] {
            assert_eq!(id_of(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_open_bind_needs_a_key() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        for here in ["127.0.0.1:8765", "127.9.9.9:1", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            assert_eq!(refuse_open_bind(address(here), false), Ok(()));
        }
        for open in ["0.0.0.0:8765", "[::]:80", "10.0.0.1:80"] {
            let refusal = refuse_open_bind(address(open), false).unwrap_err();
            assert!(refusal.contains("accord keys create"), "{refusal}");
            assert_eq!(refuse_open_bind(address(open), true), Ok(()));
        }
    }
}
