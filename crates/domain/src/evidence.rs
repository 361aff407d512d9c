//! What is known about a feature of an endpoint: how often it worked and how often it did not, with old answers counting less.
//!
//! A run reports at most one [`Observation`] for each endpoint, model and feature, because answers of one run are not
//! independent: a model that declines in prose declines twice. Observations are merged by [`Evidence::after`].
//!
//! Every weight halves in [`HALF_LIFE`]. A feature is barred while its bad weight exceeds its good weight, counted
//! [`GOOD_COUNTS`] times, by at least [`BARRED_FROM`]. So a barred feature needs no probing schedule: as its weight decays it
//! falls below the threshold, the next run uses the feature again, and that answer either lifts the bar or sets it anew.

use jiff::{SignedDuration, Timestamp};

use crate::named::named;

/// Providers and local servers change within days. After a day, an answer counts half.
pub const HALF_LIFE: SignedDuration = SignedDuration::from_hours(24);

/// How much more a good answer counts than a bad one. An endpoint without the feature rarely gives a good answer; one with
/// it gets prose from any model that declines.
const GOOD_COUNTS: f64 = 2.0;

/// Three recent runs without a good answer bar a feature; two are a coincidence. Three at once bar it for about six hours.
const BARRED_FROM: f64 = 2.5;

/// A provider that refuses a feature has said it in words: it is barred at once, and for about two days.
const REFUSED: f64 = 12.0;

/// More good answers than this are not counted, so that an endpoint that loses a feature is noticed after about ten runs.
const MOST_GOOD: f64 = 4.0;

/// A good answer is not worth writing down while the good weight is this close to [`MOST_GOOD`]: the endpoint of a busy
/// project is written a few times a day instead of with every run.
const NEARLY: f64 = 0.5;

named! {
    /// What a run saw of a feature.
    pub enum Observed {
        Works,
        /// The request was accepted and the feature had no effect.
        Ignored,
        /// The provider refused the request because of it.
        Refused,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub endpoint: String,
    pub model: String,
    /// `native`, `tool`, …; with `#` and the hash of a schema behind it, for this schema only.
    pub feature: String,
    pub observed: Observed,
    pub at: Timestamp,
}

named! {
    /// Whether a feature is used.
    pub enum Standing {
        /// Good answers outweigh bad ones.
        Works,
        /// It is not used by the strategy `auto` until its evidence has decayed.
        Barred,
        /// There is not enough evidence for either.
        Unknown,
    }
}

/// Good and bad answers, weighted by age.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    pub good: f64,
    pub bad: f64,
    /// The time of both weights: that of the newest observation.
    pub at: Timestamp,
}

impl Evidence {
    /// What is known after an observation, and nothing where it adds nothing worth keeping.
    #[must_use]
    pub fn after(known: Option<Self>, observed: Observed, at: Timestamp) -> Option<Self> {
        let at = known.map_or(at, |known| known.at.max(at));
        let now = known.map_or(Self { good: 0.0, bad: 0.0, at }, |known| known.aged(at));
        let Self { good, bad, .. } = now;
        let next = match observed {
            // What was counted against a barred feature no longer holds.
            Observed::Works if now.is_barred() => Self { good: 1.0, bad: 0.0, at },
            Observed::Works if good > MOST_GOOD - NEARLY => return None,
            Observed::Works => Self { good: (good + 1.0).min(MOST_GOOD), ..now },
            Observed::Ignored => Self { bad: (bad + 1.0).min(REFUSED), ..now },
            Observed::Refused => Self { good: 0.0, bad: REFUSED, at },
        };
        Some(next)
    }

    /// The same evidence at a later time.
    #[must_use]
    pub fn aged(self, now: Timestamp) -> Self {
        let age = now.duration_since(self.at).as_secs_f64().max(0.0);
        let left = (-age / HALF_LIFE.as_secs_f64()).exp2();
        Self { good: self.good * left, bad: self.bad * left, at: self.at.max(now) }
    }

    /// Whether the feature is used at this time.
    pub fn standing(self, now: Timestamp) -> Standing {
        let aged = self.aged(now);
        match aged.balance() {
            _ if aged.is_barred() => Standing::Barred,
            balance if balance < 0.0 => Standing::Works,
            _ => Standing::Unknown,
        }
    }

    fn is_barred(self) -> bool {
        self.balance() >= BARRED_FROM
    }

    /// Above zero, more speaks against it than for it.
    fn balance(self) -> f64 {
        self.bad - GOOD_COUNTS * self.good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::UNIX_EPOCH;

    fn after(hours: i64) -> Timestamp {
        START + SignedDuration::from_hours(hours)
    }

    fn evidence(observed: &[Observed]) -> Evidence {
        let merge = |known, observed: &Observed| Evidence::after(known, *observed, START).or(known);
        observed.iter().fold(None, merge).unwrap()
    }

    use Observed::{Ignored, Refused, Works};

    #[test]
    fn two_bad_answers_do_not_bar_and_three_do() {
        assert_eq!(evidence(&[Ignored, Ignored]).standing(START), Standing::Unknown);
        assert_eq!(evidence(&[Ignored, Ignored, Ignored]).standing(START), Standing::Barred);
    }

    #[test]
    fn one_good_answer_outweighs_a_bad_one() {
        assert_eq!(evidence(&[Works, Ignored]).standing(START), Standing::Works);
        assert_eq!(evidence(&[Ignored, Works]).standing(START), Standing::Works);
        assert_eq!(evidence(&[Works, Ignored, Ignored, Ignored, Ignored]).standing(START), Standing::Unknown);
    }

    #[test]
    fn a_barred_feature_is_probed_after_its_evidence_has_decayed() {
        let barred = evidence(&[Ignored, Ignored, Ignored]);
        assert_eq!(barred.standing(after(5)), Standing::Barred);
        assert_eq!(barred.standing(after(7)), Standing::Unknown);
        let probed = Evidence::after(Some(barred), Ignored, after(7)).unwrap();
        assert_eq!(probed.standing(after(7)), Standing::Barred);
        assert_eq!(probed.standing(after(7 + 12)), Standing::Unknown);
        let lifted = Evidence::after(Some(barred), Works, after(7)).unwrap();
        assert_eq!(lifted.standing(after(7)), Standing::Unknown);
        let lifted = Evidence::after(Some(lifted), Works, after(7)).unwrap();
        assert_eq!(lifted.standing(after(7)), Standing::Works);
    }

    #[test]
    fn a_rejection_bars_at_once_and_for_days() {
        let refused = evidence(&[Works, Works, Works, Works, Refused]);
        assert_eq!(refused, Evidence { good: 0.0, bad: REFUSED, at: START });
        assert_eq!(refused.standing(after(48)), Standing::Barred);
        assert_eq!(refused.standing(after(72)), Standing::Unknown);
    }

    #[test]
    fn a_good_answer_lifts_a_bar() {
        for bar in [&[Refused][..], &[Ignored, Ignored, Ignored]] {
            let lifted = Evidence::after(Some(evidence(bar)), Works, START).unwrap();
            assert_eq!(lifted, Evidence { good: 1.0, bad: 0.0, at: START });
        }
    }

    #[test]
    fn an_endpoint_that_loses_a_feature_is_noticed() {
        let mut known = evidence(&[Works; 50]);
        let bad = (1..).find(|_| {
            known = Evidence::after(Some(known), Ignored, START).unwrap();
            known.standing(START) == Standing::Barred
        });
        assert_eq!(bad, Some(11));
    }

    #[test]
    fn good_answers_of_a_feature_that_works_are_not_written_again() {
        let known = Some(evidence(&[Works; 4]));
        assert_eq!(Evidence::after(known, Works, START), None);
        assert_eq!(Evidence::after(known, Works, after(1)), None);
        assert!(Evidence::after(known, Works, after(6)).is_some());
        let slipped = Evidence::after(known, Ignored, START);
        assert!(slipped.is_some());
        assert_eq!(Evidence::after(slipped, Works, START), None);
    }

    #[test]
    fn weights_halve_and_late_observations_do_not_turn_time_back() {
        let known = Evidence { good: 2.0, bad: 4.0, at: after(24) };
        assert_eq!(known.aged(after(48)), Evidence { good: 1.0, bad: 2.0, at: after(48) });
        assert_eq!(known.aged(START), known);
        let late = Evidence::after(Some(known), Works, START).unwrap();
        assert_eq!(late, Evidence { good: 3.0, bad: 4.0, at: after(24) });
    }
}
