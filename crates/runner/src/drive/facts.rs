//! What an endpoint supports: known from earlier runs, and learned in this one.
//!
//! Most facts hold for every schema. The rejection of one schema holds only for that schema: such a
//! fact has the schema's hash after the feature's name.
//!
//! Not counted as evidence: a refusal of the model, a truncated answer, no answer at all.

use accord_api::{EndpointFact, FactReport, Observed, Standing};
use jiff::Timestamp;

/// A feature that can be supported, rejected or ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    Native,
    NativeBesideTools,
    Tool,
    ForcedTool,
}

impl Feature {
    fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::NativeBesideTools => "native_beside_tools",
            Self::Tool => "tool",
            Self::ForcedTool => "forced_tool",
        }
    }
}

/// The facts about one endpoint that matter for one schema.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    endpoint: String,
    schema_hash: String,
    known: Vec<EndpointFact>,
    learned: Vec<Learned>,
}

/// What this run saw of a feature.
#[derive(Debug, Clone)]
struct Learned {
    endpoint: String,
    model: String,
    feature: String,
    observed: Observed,
    at: Timestamp,
}

impl Facts {
    pub(super) fn new(endpoint: &str, schema_hash: &str, known: &[EndpointFact]) -> Self {
        let (endpoint, schema_hash) = (endpoint.to_owned(), schema_hash.to_owned());
        Self { endpoint, schema_hash, known: known.to_vec(), learned: Vec::new() }
    }

    /// Goes on at another endpoint.
    pub(super) fn move_to(&mut self, endpoint: &str) {
        endpoint.clone_into(&mut self.endpoint);
    }

    /// The name of a feature with this schema.
    fn of_schema(&self, feature: Feature) -> String {
        format!("{}#{}", feature.name(), self.schema_hash)
    }

    fn learned(&self, model: &str, name: &str) -> Option<Observed> {
        let about =
            |fact: &&Learned| fact.endpoint == self.endpoint && fact.model == model && fact.feature == name;
        self.learned.iter().find(about).map(|fact| fact.observed)
    }

    fn known(&self, model: &str, name: &str) -> Option<&EndpointFact> {
        let about = |fact: &&EndpointFact| {
            fact.endpoint == self.endpoint && fact.model == model && fact.feature == name
        };
        self.known.iter().find(about)
    }

    /// Whether the feature must not be used with this model and schema. What this run saw overrides what is known from earlier.
    pub(super) fn bars(&self, model: &str, feature: Feature) -> bool {
        let bars = |name: &str| match self.learned(model, name) {
            Some(observed) => observed != Observed::Works,
            None => self.known(model, name).is_some_and(|fact| fact.standing == Standing::Barred),
        };
        bars(feature.name()) || bars(&self.of_schema(feature))
    }

    /// Whether it was ever seen to work with this model.
    pub(super) fn has_worked(&self, model: &str, feature: Feature) -> bool {
        self.learned(model, feature.name()) == Some(Observed::Works)
            || self.known(model, feature.name()).is_some_and(|fact| fact.good > 0.0)
    }

    /// Notes what was seen, whatever the schema.
    pub(super) fn learn(&mut self, model: &str, feature: Feature, observed: Observed, at: Timestamp) {
        self.note(model, feature.name().to_owned(), observed, at);
    }

    /// Notes what was seen with this schema.
    pub(super) fn learn_of_schema(
        &mut self,
        model: &str,
        feature: Feature,
        observed: Observed,
        at: Timestamp,
    ) {
        self.note(model, self.of_schema(feature), observed, at);
    }

    /// Notes that it works, and that a refusal of this schema no longer holds.
    pub(super) fn learn_success(&mut self, model: &str, feature: Feature, at: Timestamp) {
        self.learn(model, feature, Observed::Works, at);
        let name = self.of_schema(feature);
        if self.learned(model, &name).is_some() || self.known(model, &name).is_some() {
            self.note(model, name, Observed::Works, at);
        }
    }

    /// One observation for each feature: a good answer outweighs the bad ones of the same run.
    fn note(&mut self, model: &str, feature: String, observed: Observed, at: Timestamp) {
        if observed == Observed::Ignored && self.learned(model, &feature).is_some() {
            return;
        }
        let endpoint = self.endpoint.clone();
        self.learned
            .retain(|fact| fact.endpoint != endpoint || fact.model != model || fact.feature != feature);
        self.learned.push(Learned { endpoint, model: model.to_owned(), feature, observed, at });
    }

    /// The learned facts. A rejection counts only if the model answered another request: a provider
    /// that rejects everything does not reject the feature.
    pub(super) fn into_learned(self, answered: bool) -> Vec<FactReport> {
        let counts = |fact: &Learned| answered || fact.observed != Observed::Refused;
        let report = |Learned { endpoint, model, feature, observed, at }| {
            let verdict = observed.as_str().to_owned();
            FactReport { endpoint, model, feature, verdict, at }
        };
        self.learned.into_iter().filter(counts).map(report).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn known(feature: &str, standing: Standing) -> EndpointFact {
        EndpointFact {
            endpoint: "e".into(),
            model: "m".into(),
            feature: feature.into(),
            standing,
            good: 0.0,
            bad: 0.0,
            last_seen: NOW,
        }
    }

    fn learned(facts: Facts, answered: bool) -> Vec<(String, String)> {
        let reports = facts.into_learned(answered).into_iter();
        reports.map(|report| (report.feature, report.verdict)).collect()
    }

    fn pair(feature: &str, verdict: &str) -> (String, String) {
        (feature.to_owned(), verdict.to_owned())
    }

    #[test]
    fn barred_features_stay_barred_until_they_work() {
        let elsewhere = EndpointFact { endpoint: "f".into(), ..known("tool", Standing::Barred) };
        let mut facts = Facts::new("e", "h", &[known("native", Standing::Barred), elsewhere]);
        assert!(facts.bars("m", Feature::Native));
        assert!(!facts.bars("n", Feature::Native));
        assert!(!facts.bars("m", Feature::Tool));
        facts.learn("m", Feature::Native, Observed::Works, NOW);
        assert!(!facts.bars("m", Feature::Native));
        assert_eq!(learned(facts, true), [pair("native", "works")]);
    }

    #[test]
    fn a_run_reports_one_observation_for_a_feature_and_a_good_one_first() {
        let mut facts = Facts::new("e", "h", &[]);
        facts.learn("m", Feature::Native, Observed::Ignored, NOW);
        facts.learn("m", Feature::Native, Observed::Ignored, NOW);
        assert_eq!(learned(facts.clone(), true), [pair("native", "ignored")]);
        facts.learn("m", Feature::Native, Observed::Works, NOW);
        facts.learn("m", Feature::Native, Observed::Ignored, NOW);
        assert_eq!(learned(facts, true), [pair("native", "works")]);
    }

    #[test]
    fn features_that_worked_once_are_kept() {
        let seen = EndpointFact { good: 0.01, ..known("tool", Standing::Unknown) };
        let facts = Facts::new("e", "h", &[seen, known("native", Standing::Barred)]);
        assert!(facts.has_worked("m", Feature::Tool));
        assert!(!facts.has_worked("m", Feature::Native) && !facts.has_worked("n", Feature::Tool));
    }

    #[test]
    fn a_rejected_schema_does_not_bar_others() {
        let mut facts = Facts::new("e", "one", &[]);
        facts.learn_of_schema("m", Feature::Native, Observed::Refused, NOW);
        assert!(facts.bars("m", Feature::Native) && !facts.bars("m", Feature::Tool));
        assert_eq!(learned(facts.clone(), false), []);
        assert_eq!(learned(facts, true), [pair("native#one", "refused")]);

        let refused = [known("native#one", Standing::Barred)];
        assert!(!Facts::new("e", "two", &refused).bars("m", Feature::Native));
        let mut fixed = Facts::new("e", "one", &refused);
        assert!(fixed.bars("m", Feature::Native));
        fixed.learn_success("m", Feature::Native, NOW);
        assert!(!fixed.bars("m", Feature::Native));
        assert_eq!(learned(fixed, false), [pair("native", "works"), pair("native#one", "works")]);
    }
}
