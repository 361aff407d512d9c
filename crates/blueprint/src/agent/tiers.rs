//! Named tiers: an agent names a tier instead of a model, and the configuration says which model that is.
//!
//! A tier is written as the provider `tier` with the tier's name as the model. It is replaced when a run is handed to a
//! runner, so the stored agent keeps the name, and a changed tier applies to the next run.

use std::collections::BTreeMap;

use accord_domain::agent::{Llm, TIER};
use serde_json::{Map, Value};

/// A tier that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tier '{name}' is not configured ({known}); add [tiers.{name}] to the coordinator's configuration")]
pub struct UnknownTier {
    name: String,
    known: String,
}

/// Replaces the tiers in a blueprint by their models. Other settings of the blueprint take precedence over those of the tier.
pub fn resolve_tiers(blueprint: &mut Value, tiers: &BTreeMap<String, Llm>) -> Result<(), UnknownTier> {
    let executor = blueprint.get_mut("executor").and_then(Value::as_object_mut);
    executor.map(|settings| replace(settings, tiers)).transpose()?;
    let fallbacks = blueprint.get_mut("escalate_to").and_then(Value::as_array_mut);
    for settings in fallbacks.into_iter().flatten().filter_map(Value::as_object_mut) {
        replace(settings, tiers)?;
    }
    Ok(())
}

fn replace(settings: &mut Map<String, Value>, tiers: &BTreeMap<String, Llm>) -> Result<(), UnknownTier> {
    if settings.get("provider").and_then(Value::as_str) != Some(TIER) {
        return Ok(());
    }
    let name = settings.get("model").and_then(Value::as_str).unwrap_or_default();
    let tier = tiers.get(name).ok_or_else(|| unknown(name, tiers))?;
    let Ok(Value::Object(mut model)) = serde_json::to_value(tier) else { return Ok(()) };
    settings.retain(|key, _| !matches!(key.as_str(), "provider" | "model"));
    model.append(settings);
    *settings = model;
    Ok(())
}

fn unknown(name: &str, tiers: &BTreeMap<String, Llm>) -> UnknownTier {
    let known = match tiers.is_empty() {
        true => "there are no tiers".to_owned(),
        false => format!("configured: {}", tiers.keys().map(String::as_str).collect::<Vec<_>>().join(", ")),
    };
    UnknownTier { name: name.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tiers() -> BTreeMap<String, Llm> {
        let tier = |value| serde_json::from_value(value).unwrap();
        BTreeMap::from([
            ("small".to_owned(), tier(json!({"provider": "ollama", "model": "tiny", "temperature": 0.0}))),
            ("large".to_owned(), tier(json!({"provider": "anthropic", "model": "big"}))),
        ])
    }

    #[test]
    fn a_tier_is_replaced_and_other_settings_stay() {
        let blueprint = json!({
            "name": "a",
            "executor": {"type": "llm", "provider": "tier", "model": "small", "temperature": 0.5},
            "escalate_to": ["m", {"provider": "tier", "model": "large", "max_tokens": 9}],
        });
        let mut resolved = blueprint;
        resolve_tiers(&mut resolved, &tiers()).unwrap();
        let expected = json!({
            "name": "a",
            "executor": {"type": "llm", "provider": "ollama", "model": "tiny", "temperature": 0.5},
            "escalate_to": ["m", {"provider": "anthropic", "model": "big", "max_tokens": 9}],
        });
        assert_eq!(resolved, expected);
    }

    #[test]
    fn an_unknown_tier_is_an_error() {
        let mut blueprint = json!({"executor": {"provider": "tier", "model": "huge"}});
        let message = resolve_tiers(&mut blueprint, &tiers()).unwrap_err().to_string();
        let expected = "tier 'huge' is not configured (configured: large, small); add [tiers.huge] to the coordinator's configuration";
        assert_eq!(message, expected);
        let message = resolve_tiers(&mut blueprint, &BTreeMap::new()).unwrap_err().to_string();
        assert!(message.contains("(there are no tiers)"), "{message}");
    }
}
