//! Failed authentications, by address: each is counted, few are logged, and an address with too
//! many has to wait.
//!
//! A valid key is accepted from every address, even if others fail to authenticate there: behind one proxy all clients share an
//! address, and a client that guesses keys must not lock the others out. So every key is compared, which costs one hash; keys
//! have 256 random bits, so guessing is hopeless at any rate. Over the limit, unknown keys are not looked up in the store, and
//! failures are not logged one by one.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// So many failures in a row are answered as what they are: a person who tries old keys, or a few workers that start with a
/// wrong one.
const BURST: i32 = 20;

/// One more is allowed each time this has passed. A client that honours `Retry-After` still learns ten times a minute that its
/// key is wrong.
const RECOVERY: SignedDuration = SignedDuration::from_secs(6);

/// After the first failure of an address, this is how often the log says how many there were since.
const SUMMARY_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// The addresses that are remembered: about a megabyte. The one that has recovered the most is forgotten first.
const MOST_ADDRESSES: usize = 10_000;

/// What was wrong with a request's credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denial {
    Missing,
    Malformed,
    UnknownKey,
    /// The key was right, and has expired.
    ExpiredKey,
    /// The run token is not valid, or no longer.
    RunToken,
}

impl Denial {
    pub(crate) const ALL: [Self; 5] =
        [Self::Missing, Self::Malformed, Self::UnknownKey, Self::ExpiredKey, Self::RunToken];

    /// Its name in logs and metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Malformed => "malformed",
            Self::UnknownKey => "unknown_key",
            Self::ExpiredKey => "expired_key",
            Self::RunToken => "run_token",
        }
    }

    /// Whether it may be a guess. A request without a key does not guess one, and an expired key was known.
    pub(crate) fn may_be_a_guess(self) -> bool {
        matches!(self, Self::Malformed | Self::UnknownKey | Self::RunToken)
    }
}

#[derive(Debug, Default)]
pub(crate) struct FailedAttempts {
    addresses: Mutex<HashMap<IpAddr, Record>>,
}

#[derive(Debug)]
struct Record {
    /// When all failures are made up for. Each moves it by [`RECOVERY`].
    recovered_at: Timestamp,
    logged_at: Timestamp,
    unlogged: u64,
    last: Denial,
}

impl FailedAttempts {
    /// Counts a failure. The answer is how long to wait, where there were too many.
    pub(crate) fn add(&self, address: IpAddr, denial: Denial, now: Timestamp) -> Option<SignedDuration> {
        let address = subnet(address);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if addresses.len() >= MOST_ADDRESSES && !addresses.contains_key(&address) {
            make_room(&mut addresses, now);
        }
        let Some(record) = addresses.get_mut(&address) else {
            log(address, denial, 1);
            let record = Record { recovered_at: now + RECOVERY, logged_at: now, unlogged: 0, last: denial };
            addresses.insert(address, record);
            return None;
        };
        record.unlogged += 1;
        record.last = denial;
        record.summarise(address, now);
        // If the clock was set back, the address does not have to wait longer.
        let debt = record.debt(now);
        let wait = debt + RECOVERY - RECOVERY * BURST;
        if wait > SignedDuration::ZERO {
            record.recovered_at = now + debt;
            return Some(wait);
        }
        record.recovered_at = now + debt + RECOVERY;
        None
    }

    /// Whether one more failure would be one too many.
    pub(crate) fn is_over(&self, address: IpAddr, now: Timestamp) -> bool {
        let addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let debt = addresses.get(&subnet(address)).map(|record| record.debt(now));
        debt.is_some_and(|debt| debt + RECOVERY > RECOVERY * BURST)
    }

    /// Logs what has not been logged of addresses that are silent since, and forgets those that have recovered.
    pub(crate) fn summarise(&self, now: Timestamp) {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        addresses.retain(|address, record| {
            record.summarise(*address, now);
            record.unlogged > 0 || record.debt(now) > SignedDuration::ZERO
        });
    }
}

impl Record {
    fn debt(&self, now: Timestamp) -> SignedDuration {
        self.recovered_at.duration_since(now).clamp(SignedDuration::ZERO, RECOVERY * BURST)
    }

    fn summarise(&mut self, address: IpAddr, now: Timestamp) {
        if self.unlogged > 0 && now.duration_since(self.logged_at).abs() >= SUMMARY_EVERY {
            log(address, self.last, self.unlogged);
            self.logged_at = now;
            self.unlogged = 0;
        }
    }
}

fn log(address: IpAddr, denial: Denial, count: u64) {
    tracing::warn!(target: "audit", %address, reason = denial.as_str(), count, "failed authentication");
}

fn make_room(addresses: &mut HashMap<IpAddr, Record>, now: Timestamp) {
    addresses.retain(|_, record| record.debt(now) > SignedDuration::ZERO);
    if addresses.len() < MOST_ADDRESSES {
        return;
    }
    let nearest = addresses.iter().min_by_key(|(_, record)| record.recovered_at).map(|(address, _)| *address);
    nearest.map(|address| addresses.remove(&address));
}

/// Whose address it is. With IPv6 a customer has a /64 at least, and every address in it.
fn subnet(address: IpAddr) -> IpAddr {
    const CUSTOMER: u128 = u128::MAX << 64;
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & CUSTOMER).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    fn v4(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn add(attempts: &FailedAttempts, address: IpAddr, seconds: i64) -> Option<i64> {
        attempts.add(address, Denial::UnknownKey, at(seconds)).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_burst_is_allowed_and_recovers() {
        let attempts = FailedAttempts::default();
        for _ in 0..BURST {
            assert!(!attempts.is_over(v4(1), at(0)));
            assert_eq!(add(&attempts, v4(1), 0), None);
        }
        assert!(attempts.is_over(v4(1), at(0)));
        assert_eq!(add(&attempts, v4(1), 0), Some(6));
        assert_eq!(add(&attempts, v4(1), 2), Some(4), "a refused try costs nothing more");
        assert_eq!(add(&attempts, v4(2), 2), None, "others are not held up");
        assert!(!attempts.is_over(v4(1), at(6)));
        assert_eq!(add(&attempts, v4(1), 6), None);
        assert_eq!(add(&attempts, v4(1), 6), Some(6));
        assert_eq!(add(&attempts, v4(1), -10_000), Some(6), "a clock that was set back holds up no longer");
        for _ in 0..BURST {
            assert_eq!(add(&attempts, v4(1), 1_000), None);
        }
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let attempts = FailedAttempts::default();
        for number in 0..BURST {
            let address: IpAddr = format!("2001:db8:0:1::{number:x}").parse().unwrap();
            assert_eq!(add(&attempts, address, 0), None);
        }
        assert!(attempts.is_over("2001:db8:0:1:ffff::1".parse().unwrap(), at(0)));
        assert!(!attempts.is_over("2001:db8:0:2::1".parse().unwrap(), at(0)));
        assert_eq!(subnet("::ffff:192.0.2.1".parse().unwrap()), v4(1));
    }

    #[test]
    fn memory_is_bounded_and_freed() {
        let attempts = FailedAttempts::default();
        let address = |number: u32| IpAddr::from((0x0a00_0000 + number).to_be_bytes());
        for _ in 0..BURST {
            add(&attempts, v4(1), 0);
        }
        for number in 0..20_000 {
            add(&attempts, address(number), 0);
        }
        assert_eq!(attempts.addresses.lock().unwrap().len(), MOST_ADDRESSES);
        assert!(attempts.is_over(v4(1), at(0)), "the worst is not pushed out by many others");
        attempts.summarise(at(1_000));
        assert_eq!(attempts.addresses.lock().unwrap().len(), 0);
    }
}
