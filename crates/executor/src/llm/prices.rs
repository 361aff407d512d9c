//! What models cost: list prices that are part of the program, and those of the configuration, which win.
//!
//! A model without a price has no cost, which is something else than a cost of zero.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use accord_domain::provider::ProviderKind;
use serde::{Deserialize, Serialize};

use crate::answer::Usage;

/// Stands for every model of a provider in the configuration.
pub const EVERY_MODEL: &str = "*";

/// The price of a model in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// Input that the provider had in its cache. Without it, the price of other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input that the provider stored in its cache. Without it, the price of other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// What the models of a provider cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    own: BTreeMap<String, Price>,
    has_list: bool,
}

impl Default for Prices {
    /// The list prices.
    fn default() -> Self {
        Self { own: BTreeMap::new(), has_list: true }
    }
}

impl Prices {
    /// These by model, and the list prices for others. [`EVERY_MODEL`] is for those without one of their own.
    pub fn own(own: BTreeMap<String, Price>) -> Self {
        Self { own, has_list: true }
    }

    /// These and no others: those that a recording was made with.
    pub fn only(own: BTreeMap<String, Price>) -> Self {
        Self { own, has_list: false }
    }

    /// What a model costs, if that is known.
    pub fn of(&self, kind: ProviderKind, model: &str) -> Option<Price> {
        let own = self.own.get(model).or_else(|| self.own.get(EVERY_MODEL)).copied();
        own.or_else(|| list_price(kind, model).filter(|_| self.has_list))
    }
}

impl Price {
    /// The usage with its cost. Cached tokens count like others as long as providers' counts of them are not kept: the cost is an
    /// upper bound where reading the cache is cheaper. Every answer takes some tokens: if none are reported, the cost is unknown.
    pub(super) fn of(self, usage: Usage) -> Usage {
        let is_told = usage.input_tokens > 0 || usage.output_tokens > 0;
        let cost = (self.input * usage.input_tokens as f64 + self.output * usage.output_tokens as f64) / 1e6;
        Usage { cost_usd: is_told.then_some(cost), ..usage }
    }
}

/// The file of the list prices.
#[derive(Debug, Deserialize)]
struct File {
    collected: String,
    source: String,
    #[serde(flatten)]
    providers: BTreeMap<String, BTreeMap<String, Price>>,
}

#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
static LIST: LazyLock<File> =
    LazyLock::new(|| toml::from_str::<File>(include_str!("prices.toml")).expect("prices.toml is valid"));

/// When the list prices were collected, and from where.
pub fn list_prices_origin() -> (&'static str, &'static str) {
    (&LIST.collected, &LIST.source)
}

/// The list price of a model of a built-in provider.
pub fn list_price(kind: ProviderKind, model: &str) -> Option<Price> {
    let provider = if kind == ProviderKind::OpenAiChat { ProviderKind::OpenAi } else { kind };
    let prices = LIST.providers.get(provider.name())?;
    prices.get(model).or_else(|| prices.get(undated(model)?)).copied()
}

/// A model's name without the day of its release: `gpt-5.1-2025-11-13`, `claude-sonnet-4-5-20250929`.
fn undated(model: &str) -> Option<&str> {
    if let Some(name) = model.strip_suffix("-latest") {
        return Some(name);
    }
    ["-0000-00-00", "-00000000"].iter().find_map(|form| {
        let (name, date) = model.split_at_checked(model.len().checked_sub(form.len())?)?;
        let is_alike = |(letter, form): (char, char)| match form {
            '0' => letter.is_ascii_digit(),
            _ => letter == form,
        };
        date.chars().zip(form.chars()).all(is_alike).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_possible() {
        let (collected, source) = list_prices_origin();
        assert!(collected.len() == "2026-01-01".len() && !source.is_empty());
        assert!(LIST.providers.values().map(BTreeMap::len).sum::<usize>() > 50);
        for (provider, prices) in &LIST.providers {
            assert!(ProviderKind::named(provider).is_some(), "{provider}");
            for (model, price) in prices {
                let told = format!("{provider}/{model}: {price:?}");
                assert!(price.input > 0.0 && price.output >= price.input && price.output < 1000.0, "{told}");
                assert!(price.cache_read.is_none_or(|read| read > 0.0 && read < price.input), "{told}");
                assert!(price.cache_write.is_none_or(|write| write >= price.input), "{told}");
            }
        }
    }

    #[test]
    fn models_are_found_with_and_without_their_dates() {
        let input = |kind, model: &str| list_price(kind, model).map(|price| price.input);
        let cases = [
            (ProviderKind::Anthropic, "claude-sonnet-4-5-20250929", Some(3.0)),
            (ProviderKind::Anthropic, "claude-3-haiku-20240307", Some(0.25)),
            (ProviderKind::Anthropic, "claude-sonnet-4-6", Some(3.0)),
            (ProviderKind::OpenAi, "gpt-5.1-2025-11-13", Some(1.25)),
            (ProviderKind::OpenAiChat, "gpt-4o-mini", Some(0.15)),
            (ProviderKind::OpenAiChat, "o3-2025-04-16", Some(2.0)),
            (ProviderKind::Mistral, "mistral-large-latest", Some(0.5)),
            (ProviderKind::OpenAi, "gpt-5.1-of-ours", None),
            (ProviderKind::OpenAi, "gpt-5.1-20251", None),
            (ProviderKind::OpenAi, "", None),
            (ProviderKind::OpenAiCompatible, "gpt-5.1", None),
            (ProviderKind::AzureOpenAi, "gpt-5.1", None),
            (ProviderKind::Ollama, "llama3.2", None),
        ];
        for (kind, model, expected) in cases {
            assert_eq!(input(kind, model), expected, "{model}");
        }
    }

    #[test]
    fn configured_prices_win() {
        let price = |input| Price { input, ..Price::default() };
        let own = BTreeMap::from([("gpt-5.1".to_owned(), price(7.0))]);
        let input =
            |prices: &Prices, model: &str| prices.of(ProviderKind::OpenAi, model).map(|price| price.input);
        let prices = Prices::own(own.clone());
        assert_eq!((input(&prices, "gpt-5.1"), input(&prices, "gpt-5")), (Some(7.0), Some(1.25)));
        let only = Prices::only(own.clone());
        assert_eq!((input(&only, "gpt-5.1"), input(&only, "gpt-5")), (Some(7.0), None));
        let all = Prices::own(own.into_iter().chain([(EVERY_MODEL.to_owned(), price(0.0))]).collect());
        assert_eq!((input(&all, "gpt-5.1"), input(&all, "gpt-5")), (Some(7.0), Some(0.0)));
    }

    #[test]
    fn usage_that_is_not_reported_has_no_cost() {
        let price = Price { input: 2.0, output: 8.0, ..Price::default() };
        let usage = Usage { input_tokens: 500_000, output_tokens: 250_000, cost_usd: None };
        assert_eq!(price.of(usage), Usage { cost_usd: Some(3.0), ..usage });
        assert_eq!(price.of(Usage::default()), Usage::default());
        assert_eq!(Price::default().of(usage).cost_usd, Some(0.0), "a price of zero is a known cost");
    }
}
