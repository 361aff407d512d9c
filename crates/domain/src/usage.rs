//! Tokens and money.

use serde::{Deserialize, Serialize};

/// Usage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Cost in US dollars, if prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The most input or output tokens of a run: a window of a million tokens, filled a million times. A higher count is a
/// mistake, and the sum of some millions of such runs still fits.
pub const MOST_TOKENS: u64 = 1_000_000_000_000;

/// The most that a run can have cost, in USD: at the highest prices, about as much as that many tokens.
pub const MOST_COST_USD: f64 = 1e9;

/// Usage that is impossible.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum UsageError {
    #[error("expected {name} of at most {limit}, got {tokens}", limit = MOST_TOKENS)]
    Tokens { name: &'static str, tokens: u64 },
    #[error("expected cost_usd from 0 to {limit}, got {0}; omit it if unknown", limit = MOST_COST_USD)]
    Cost(f64),
}

impl Usage {
    /// Whether it is possible.
    pub fn check(&self) -> Result<(), UsageError> {
        for (name, tokens) in [("input_tokens", self.input_tokens), ("output_tokens", self.output_tokens)] {
            if tokens > MOST_TOKENS {
                return Err(UsageError::Tokens { name, tokens });
            }
        }
        match self.cost_usd {
            Some(cost) if !(0.0..=MOST_COST_USD).contains(&cost) => Err(UsageError::Cost(cost)),
            _ => Ok(()),
        }
    }

    /// The same, or the most that can be true.
    #[must_use]
    pub fn bounded(self) -> Self {
        Self {
            input_tokens: self.input_tokens.min(MOST_TOKENS),
            output_tokens: self.output_tokens.min(MOST_TOKENS),
            cost_usd: self.cost_usd.filter(|cost| !cost.is_nan()).map(|cost| cost.clamp(0.0, MOST_COST_USD)),
        }
    }

    /// What is left of this without another.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        // Less than this is the rounding of sums.
        const LEAST_COST_USD: f64 = 1e-9;
        let cost = self.cost_usd.unwrap_or_default() - other.cost_usd.unwrap_or_default();
        Self {
            input_tokens: self.input_tokens.saturating_sub(other.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(other.output_tokens),
            cost_usd: (cost > LEAST_COST_USD).then_some(cost),
        }
    }

    /// This and another together. What something cost is known where one of both is.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
        };
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_usd,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_usage_is_rejected() {
        let most =
            Usage { input_tokens: MOST_TOKENS, output_tokens: MOST_TOKENS, cost_usd: Some(MOST_COST_USD) };
        for sound in [Usage::default(), most, Usage { cost_usd: Some(0.0), ..most }] {
            assert_eq!(sound.check(), Ok(()));
        }
        let error = |usage: Usage| usage.check().unwrap_err().to_string();
        let tokens = "of at most 1000000000000, got 9223372036854775807";
        let many = i64::MAX.unsigned_abs();
        assert_eq!(error(Usage { input_tokens: many, ..most }), format!("expected input_tokens {tokens}"));
        assert_eq!(error(Usage { output_tokens: many, ..most }), format!("expected output_tokens {tokens}"));
        for cost in [-5.0, 1e10, f64::INFINITY, f64::NAN] {
            let expected = format!("expected cost_usd from 0 to 1000000000, got {cost}; omit it if unknown");
            assert_eq!(error(Usage { cost_usd: Some(cost), ..most }), expected);
        }
        let absurd = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, cost_usd: Some(f64::INFINITY) };
        for cost_usd in [absurd.cost_usd, Some(-5.0), Some(f64::NAN), None] {
            assert_eq!(Usage { cost_usd, ..absurd }.bounded().check(), Ok(()));
        }
        assert_eq!(absurd.bounded(), most);
    }
}
