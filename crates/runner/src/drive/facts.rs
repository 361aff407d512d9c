//! What an endpoint takes of what it is sent: known from before, and learnt on the way.
//!
//! Most of it holds for every schema. That a provider refused one schema holds for this one alone: such a fact carries the
//! schema's hash behind the feature's name.

use accord_api::FactReport;
use jiff::Timestamp;

/// What can be taken, refused or ignored.
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

/// How it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Works,
    Refused,
    Ignored,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Refused => "refused",
            Self::Ignored => "ignored",
        }
    }
}

/// What is known about one endpoint, as far as it matters for one schema.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    endpoint: String,
    schema_hash: String,
    known: Vec<FactReport>,
    learnt: Vec<FactReport>,
}

impl Facts {
    pub(super) fn new(endpoint: &str, schema_hash: &str, known: &[FactReport]) -> Self {
        let mut known: Vec<_> = known.iter().filter(|fact| fact.endpoint == endpoint).cloned().collect();
        known.sort_by_key(|fact| fact.at);
        Self { endpoint: endpoint.to_owned(), schema_hash: schema_hash.to_owned(), known, learnt: Vec::new() }
    }

    /// The name of a feature with this schema.
    fn of_schema(&self, feature: Feature) -> String {
        format!("{}#{}", feature.name(), self.schema_hash)
    }

    /// The newest word on a feature of this name.
    fn verdict(&self, model: &str, name: &str) -> Option<&str> {
        let about = |fact: &&FactReport| fact.model == model && fact.feature == name;
        let newest = self.learnt.iter().rev().chain(self.known.iter().rev()).find(about)?;
        Some(&newest.verdict)
    }

    /// Whether it is of no use with this model and this schema.
    pub(super) fn bars(&self, model: &str, feature: Feature) -> bool {
        let bars = |name: &str| self.verdict(model, name).is_some_and(|word| word != Verdict::Works.name());
        bars(feature.name()) || bars(&self.of_schema(feature))
    }

    /// Remembers how it went, whatever the schema.
    pub(super) fn learn(&mut self, model: &str, feature: Feature, verdict: Verdict, at: Timestamp) {
        self.note(model, feature.name().to_owned(), verdict, at);
    }

    /// Remembers how it went with this schema.
    pub(super) fn learn_of_schema(&mut self, model: &str, feature: Feature, verdict: Verdict, at: Timestamp) {
        self.note(model, self.of_schema(feature), verdict, at);
    }

    /// Remembers that it works, and that what was said of this schema is no longer so.
    pub(super) fn learn_success(&mut self, model: &str, feature: Feature, at: Timestamp) {
        self.learn(model, feature, Verdict::Works, at);
        if self.verdict(model, &self.of_schema(feature)).is_some() {
            self.learn_of_schema(model, feature, Verdict::Works, at);
        }
    }

    /// Remembers what is news, in the place of what was learnt before.
    fn note(&mut self, model: &str, feature: String, verdict: Verdict, at: Timestamp) {
        if self.verdict(model, &feature) == Some(verdict.name()) {
            return;
        }
        self.learnt.retain(|fact| fact.model != model || fact.feature != feature);
        let (endpoint, model) = (self.endpoint.clone(), model.to_owned());
        self.learnt.push(FactReport { endpoint, model, feature, verdict: verdict.name().to_owned(), at });
    }

    /// What was learnt. A refusal counts where the model did answer to something else: who is refused whatever he asks is not
    /// refused for how he asks.
    pub(super) fn into_learnt(mut self, answered: bool) -> Vec<FactReport> {
        self.learnt.retain(|fact| answered || fact.verdict != Verdict::Refused.name());
        self.learnt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(model: &str, feature: &str, verdict: &str, second: i64) -> FactReport {
        FactReport {
            endpoint: "e".into(),
            model: model.into(),
            feature: feature.into(),
            verdict: verdict.into(),
            at: Timestamp::from_second(second).unwrap(),
        }
    }

    #[test]
    fn the_newest_word_counts_and_only_news_is_learnt() {
        let other = FactReport { endpoint: "f".into(), ..fact("m", "native", "ignored", 9) };
        let known = [fact("m", "native", "refused", 2), fact("m", "native", "works", 1), other];
        let mut facts = Facts::new("e", "h", &known);
        assert!(facts.bars("m", Feature::Native));
        assert!(!facts.bars("n", Feature::Native));
        assert!(!facts.bars("m", Feature::Tool));
        let now = Timestamp::from_second(3).unwrap();
        facts.learn("m", Feature::Native, Verdict::Refused, now);
        facts.learn("m", Feature::Native, Verdict::Works, now);
        assert!(!facts.bars("m", Feature::Native));
        assert_eq!(facts.into_learnt(true), [fact("m", "native", "works", 3)]);
    }

    #[test]
    fn a_refused_schema_bars_no_other() {
        let now = Timestamp::from_second(3).unwrap();
        let mut facts = Facts::new("e", "one", &[]);
        facts.learn_of_schema("m", Feature::Native, Verdict::Refused, now);
        assert!(facts.bars("m", Feature::Native) && !facts.bars("m", Feature::Tool));
        assert_eq!(facts.clone().into_learnt(false), []);
        let learnt = facts.into_learnt(true);
        assert_eq!(learnt, [fact("m", "native#one", "refused", 3)]);
        assert!(Facts::new("e", "one", &learnt).bars("m", Feature::Native));
        assert!(!Facts::new("e", "two", &learnt).bars("m", Feature::Native));

        let mut mended = Facts::new("e", "one", &learnt);
        mended.learn_success("m", Feature::Native, now);
        assert!(!mended.bars("m", Feature::Native));
        assert_eq!(
            mended.into_learnt(false),
            [fact("m", "native", "works", 3), fact("m", "native#one", "works", 3)]
        );
    }
}
