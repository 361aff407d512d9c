//! A model that misbehaves at random, in every way that models and their services are known to.
//!
//! What it does depends on its seed, on the marker in the conversation (`seed-123`, anywhere in a
//! message) and on how many requests with that marker came before. So thousands of seeded runs can
//! share one server concurrently, and each can be repeated alone. A conversation has to carry its
//! marker in every request; it does if the first prompt contains it.

mod act;
mod mangle;
mod misbehaviour;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::random::Random;
use super::reply::Reply;
use super::request::RecordedRequest;
use super::wire::Wire;
use act::Scene;
pub use misbehaviour::Misbehaviour;

/// Default percentage of requests that are answered well.
const GOOD_PERCENT: u8 = 30;

const MARKER: &str = "seed-";

type Generator = Arc<dyn Fn(&RecordedRequest, &mut Random) -> Value + Send + Sync>;

/// A script for a [`ModelServer`](super::ModelServer) that misbehaves. Clones share one record of
/// what was done, so give the server a clone and query the original.
#[derive(Clone)]
pub struct ChaosModel {
    seed: u64,
    schema: Value,
    valid: Generator,
    good_percent: u8,
    weights: BTreeMap<Misbehaviour, u32>,
    deeds: Arc<Mutex<BTreeMap<String, Vec<Deed>>>>,
}

/// What the model did with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deed {
    pub wire: Wire,
    /// What went wrong; `None` if the model behaved.
    pub misbehaviour: Option<Misbehaviour>,
}

impl fmt::Display for Deed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.misbehaviour.map_or("Good", Misbehaviour::name))
    }
}

impl ChaosModel {
    /// A model for this schema whose good answer is always this value.
    pub fn new(seed: u64, schema: Value, valid: Value) -> Self {
        Self::generating(seed, schema, move |_, _| valid.clone())
    }

    /// A model for this schema whose good answers are made by a function. The function gets the
    /// request, in which the schema may have another form.
    pub fn generating(
        seed: u64,
        schema: Value,
        valid: impl Fn(&RecordedRequest, &mut Random) -> Value + Send + Sync + 'static,
    ) -> Self {
        let valid: Generator = Arc::new(valid);
        Self {
            seed,
            schema,
            valid,
            good_percent: GOOD_PERCENT,
            weights: BTreeMap::new(),
            deeds: Arc::default(),
        }
    }

    /// Sets the percentage of requests that are answered well.
    #[must_use]
    pub fn good_percent(mut self, share: u8) -> Self {
        self.good_percent = share;
        self
    }

    /// How often a misbehaviour is chosen relative to the others, which have a weight of one. Zero
    /// turns it off.
    #[must_use]
    pub fn weight(mut self, misbehaviour: Misbehaviour, weight: u32) -> Self {
        self.weights.insert(misbehaviour, weight);
        self
    }

    /// Turns off every misbehaviour but these.
    #[must_use]
    pub fn only(mut self, wanted: &[Misbehaviour]) -> Self {
        for misbehaviour in Misbehaviour::ALL {
            self.weights.insert(*misbehaviour, u32::from(wanted.contains(misbehaviour)));
        }
        self
    }

    /// What was done with the requests of a marker such as `seed-123`, in order. Requests without a
    /// marker are recorded under the empty string.
    pub fn deeds(&self, marker: &str) -> Vec<Deed> {
        self.record().get(marker).cloned().unwrap_or_default()
    }

    /// What was done with every marker.
    pub fn all_deeds(&self) -> BTreeMap<String, Vec<Deed>> {
        self.record().clone()
    }

    /// Answers a request, and records what it did.
    pub fn reply(&self, request: &RecordedRequest) -> Reply {
        let marker = marker(&request.text()).unwrap_or_default();
        let number = marker.strip_prefix(MARKER).and_then(|digits| digits.parse().ok()).unwrap_or_default();
        let keys = [self.seed, number];
        let (ordinal, misbehaviour) = self.decide(request, &marker, keys);
        let [seed, number] = keys;
        let mut random = Random::keyed(&[seed, number, ordinal, 1]);
        // Only the marker determines the lasting answer, so that it is the same every time.
        let lasting = (self.valid)(request, &mut Random::keyed(&keys));
        let good = (self.valid)(request, &mut random);
        let other = (self.valid)(request, &mut random);
        Scene { request, schema: &self.schema, good, other, lasting }.act(misbehaviour, &mut random)
    }

    fn decide(&self, request: &RecordedRequest, marker: &str, keys: [u64; 2]) -> (u64, Option<Misbehaviour>) {
        let mut record = self.record();
        let deeds = record.entry(marker.to_owned()).or_default();
        let ordinal = u64::try_from(deeds.len()).unwrap_or_default();
        let [seed, number] = keys;
        let mut random = Random::keyed(&[seed, number, ordinal]);
        let good = random.percent(self.good_percent);
        let misbehaviour = if good { None } else { self.choose(request, &mut random) };
        deeds.push(Deed { wire: request.wire, misbehaviour });
        (ordinal, misbehaviour)
    }

    fn choose(&self, request: &RecordedRequest, random: &mut Random) -> Option<Misbehaviour> {
        let weight = |each: &Misbehaviour| {
            let weight = self.weights.get(each).copied().unwrap_or(1);
            usize::try_from(weight).unwrap_or(usize::MAX)
        };
        let possible: Vec<_> = Misbehaviour::ALL.iter().filter(|each| each.fits(request)).collect();
        let mut at = random.below(possible.iter().map(|each| weight(each)).sum());
        for each in possible {
            match at.checked_sub(weight(each)) {
                None => return Some(*each),
                Some(rest) => at = rest,
            }
        }
        None
    }

    fn record(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Deed>>> {
        self.deeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ChaosModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChaosModel")
            .field("seed", &self.seed)
            .field("schema", &self.schema)
            .field("good_percent", &self.good_percent)
            .field("weights", &self.weights)
            .finish_non_exhaustive()
    }
}

/// The first marker in a text.
fn marker(text: &str) -> Option<String> {
    text.match_indices(MARKER).find_map(|(at, _)| {
        let digits: String =
            text.get(at + MARKER.len()..)?.chars().take_while(char::is_ascii_digit).collect();
        (!digits.is_empty()).then(|| format!("{MARKER}{digits}"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(prompt: &str) -> RecordedRequest {
        let body = json!({"messages": [{"role": "user", "content": prompt}]});
        RecordedRequest { wire: Wire::Chat, path: String::new(), headers: Vec::new(), body }
    }

    fn model(seed: u64) -> ChaosModel {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}});
        ChaosModel::new(seed, schema, json!({"a": "b"}))
    }

    #[test]
    fn a_marker_is_the_first_seed_with_a_number() {
        assert_eq!(marker("a seed-x and seed-12, not seed-3"), Some("seed-12".to_owned()));
        assert_eq!(marker("no seed here"), None);
    }

    #[test]
    fn choices_depend_only_on_seed_marker_and_count() {
        let play = |model: &ChaosModel, markers: &[&str]| -> Vec<Reply> {
            markers.iter().map(|marker| model.reply(&request(marker))).collect()
        };
        let (apart, mixed) = (model(1), model(1));
        let first = play(&apart, &["seed-1"; 8]);
        let second = play(&apart, &["seed-2"; 8]);
        assert_ne!(first, second);
        let woven = play(&mixed, &["seed-1", "seed-2"].repeat(8));
        let unwoven: Vec<Reply> =
            woven.iter().step_by(2).chain(woven.iter().skip(1).step_by(2)).cloned().collect();
        assert_eq!([first.clone(), second].concat(), unwoven);
        assert_eq!(apart.all_deeds(), mixed.all_deeds());
        assert_ne!(first, play(&model(2), &["seed-1"; 8]));
    }

    #[test]
    fn every_fitting_misbehaviour_happens_and_weights_hold() {
        let busy = model(3).good_percent(0);
        (0..3000).for_each(|_| drop(busy.reply(&request("seed-1"))));
        let done: std::collections::BTreeSet<_> =
            busy.deeds("seed-1").into_iter().filter_map(|deed| deed.misbehaviour).collect();
        let fitting = Misbehaviour::ALL.iter().copied().filter(|each| each.fits(&request("")));
        assert_eq!(done, fitting.collect());

        let single = model(3).good_percent(0).only(&[Misbehaviour::Prose]);
        (0..20).for_each(|_| drop(single.reply(&request(""))));
        let prose = Deed { wire: Wire::Chat, misbehaviour: Some(Misbehaviour::Prose) };
        assert_eq!(single.deeds(""), [prose; 20]);

        let good = model(3).good_percent(100);
        assert_eq!(good.reply(&request("")), Reply::text(r#"{"a":"b"}"#));
    }
}
