//! What an endpoint takes of what it is sent: known from before, and learnt on the way.

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

/// What is known about one endpoint.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    endpoint: String,
    known: Vec<FactReport>,
    learnt: Vec<FactReport>,
}

impl Facts {
    pub(super) fn new(endpoint: &str, known: &[FactReport]) -> Self {
        let mut known: Vec<_> = known.iter().filter(|fact| fact.endpoint == endpoint).cloned().collect();
        known.sort_by_key(|fact| fact.at);
        Self { endpoint: endpoint.to_owned(), known, learnt: Vec::new() }
    }

    /// The newest word on a feature.
    fn verdict(&self, model: &str, feature: Feature) -> Option<&str> {
        let about = |fact: &&FactReport| fact.model == model && fact.feature == feature.name();
        let newest = self.learnt.iter().rev().chain(self.known.iter().rev()).find(about)?;
        Some(&newest.verdict)
    }

    /// Whether it is of no use with this model.
    pub(super) fn bars(&self, model: &str, feature: Feature) -> bool {
        self.verdict(model, feature).is_some_and(|verdict| verdict != Verdict::Works.name())
    }

    /// Remembers how it went, where that is news.
    pub(super) fn learn(&mut self, model: &str, feature: Feature, verdict: Verdict, at: Timestamp) {
        if self.verdict(model, feature) == Some(verdict.name()) {
            return;
        }
        self.learnt.push(FactReport {
            endpoint: self.endpoint.clone(),
            model: model.to_owned(),
            feature: feature.name().to_owned(),
            verdict: verdict.name().to_owned(),
            at,
        });
    }

    pub(super) fn into_learnt(self) -> Vec<FactReport> {
        self.learnt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(model: &str, verdict: &str, second: i64) -> FactReport {
        FactReport {
            endpoint: "e".into(),
            model: model.into(),
            feature: "native".into(),
            verdict: verdict.into(),
            at: Timestamp::from_second(second).unwrap(),
        }
    }

    #[test]
    fn the_newest_word_counts_and_only_news_is_learnt() {
        let other = FactReport { endpoint: "f".into(), ..fact("m", "ignored", 9) };
        let known = [fact("m", "refused", 2), fact("m", "works", 1), other];
        let mut facts = Facts::new("e", &known);
        assert!(facts.bars("m", Feature::Native));
        assert!(!facts.bars("n", Feature::Native));
        assert!(!facts.bars("m", Feature::Tool));
        let now = Timestamp::from_second(3).unwrap();
        facts.learn("m", Feature::Native, Verdict::Refused, now);
        facts.learn("m", Feature::Native, Verdict::Works, now);
        assert!(!facts.bars("m", Feature::Native));
        assert_eq!(facts.into_learnt(), [fact("m", "works", 3)]);
    }
}
