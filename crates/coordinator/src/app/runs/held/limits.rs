//! Whether another answer may be paid for.

use accord_domain::agent::Limits;
use accord_domain::usage::Usage;
use serde::Deserialize;

use crate::error::Error;

#[derive(Deserialize)]
struct LimitsOnly {
    #[serde(default)]
    limits: Limits,
}

/// Why the agent may not be asked again, in words; none where it may. Its runner would say the same before the turn. Said
/// here, no retry is counted that nobody was asked for.
pub(super) fn exhausted(blueprint: &str, used: Usage) -> Result<Option<String>, Error> {
    let LimitsOnly { limits } = serde_json::from_str(blueprint).map_err(Error::internal)?;
    let tokens = used.input_tokens.saturating_add(used.output_tokens);
    if let Some(most) = limits.max_tokens_total.filter(|most| tokens >= *most) {
        return Ok(Some(format!(
            "{tokens} tokens are used and limits.max_tokens_total is {most}; raise it, or ask for less"
        )));
    }
    let cost = used.cost_usd.unwrap_or_default();
    let most = limits.max_cost_usd.filter(|most| cost >= *most);
    Ok(most.map(|most| {
        format!("{cost:.4} USD are spent and limits.max_cost_usd is {most}; raise it, or ask for less")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_money_run_out() {
        let used = Usage { input_tokens: 60, output_tokens: 40, cost_usd: Some(0.5) };
        let words = |limits: &str| exhausted(&format!("{{\"name\": \"a\"{limits}}}"), used).unwrap();
        for limits in ["", r#", "limits": {"max_tokens_total": 101}"#, r#", "limits": {"max_cost_usd": 0.6}"#]
        {
            assert_eq!(words(limits), None, "{limits}");
        }
        let tokens = "100 tokens are used and limits.max_tokens_total is 100; raise it, or ask for less";
        assert_eq!(words(r#", "limits": {"max_tokens_total": 100}"#).as_deref(), Some(tokens));
        let money = "0.5000 USD are spent and limits.max_cost_usd is 0.5; raise it, or ask for less";
        assert_eq!(words(r#", "limits": {"max_cost_usd": 0.5}"#).as_deref(), Some(money));
    }
}
