//! Warnings about providers, if the configuration of a runner is known.
//!
//! An agent is checked by its document alone, so a provider that is not built in is a warning: a runner may configure it. If
//! the configuration is known, the warning is dropped, or it suggests a configured name.

use accord_api::Problem;
use accord_contract::JsonPath;
use accord_domain::agent::TIER;
use accord_domain::nearest;
use serde_json::Value;

use crate::finding::warning;

/// Adapts the problems of a blueprint to the names of configured providers.
pub fn add_configuration(problems: &mut Vec<Problem>, blueprint: &Value, providers: &[String]) {
    let provider = blueprint.pointer("/executor/provider").and_then(Value::as_str).unwrap_or_default();
    tiers(problems, blueprint, providers);
    let is_configured = providers.iter().any(|name| name == provider);
    let executor = JsonPath::root().key("executor");
    let of_provider = executor.key("provider").path();
    if is_configured {
        // The configuration may contain the URL too.
        let of_address = executor.key("base_url").path();
        problems.retain(|problem| is_error(problem) || ![&of_provider, &of_address].contains(&&problem.path));
        return;
    }
    let Some(meant) = nearest(provider, providers.iter().map(String::as_str)) else { return };
    for problem in problems.iter_mut().filter(|problem| !is_error(problem) && problem.path == of_provider) {
        problem.message = format!(
            "'{provider}' is neither a built-in provider nor a configured one; did you mean '{meant}'?"
        );
    }
}

/// Adds a warning for each tier that is not configured.
fn tiers(problems: &mut Vec<Problem>, blueprint: &Value, providers: &[String]) {
    let fallbacks = blueprint.get("escalate_to").and_then(Value::as_array).into_iter().flatten();
    let place = |index| JsonPath::root().key("escalate_to").index(index);
    let fallbacks = fallbacks.enumerate().map(|(index, value)| (place(index), value));
    let executor = blueprint.get("executor").map(|value| (JsonPath::root().key("executor"), value));
    for (place, settings) in executor.into_iter().chain(fallbacks) {
        let text = |key: &str| settings.get(key).and_then(Value::as_str).unwrap_or_default();
        let (provider, name) = (text("provider"), text("model"));
        if provider == TIER && !providers.contains(&format!("{TIER}:{name}")) {
            let message = format!(
                "tier '{name}' is not configured: add [tiers.{name}] to the coordinator's configuration"
            );
            problems.push(warning(&place.key("model"), message));
        }
    }
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == accord_api::Severity::Error
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use accord_contract::Meter;

    use super::super::parse::parse_value;
    use super::*;

    fn messages(provider: &str) -> Vec<String> {
        let executor = json!({"type": "llm", "provider": provider, "model": "m"});
        let parsed = parse_value(json!({"name": "a", "executor": executor}), &Meter::default());
        let mut problems = parsed.problems.clone();
        let providers = ["lab", "openai-compatible"].map(str::to_owned);
        add_configuration(&mut problems, &parsed.value, &providers);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_configured_provider_is_not_a_warning() {
        assert_eq!(messages("lab"), [""; 0]);
        assert_eq!(messages("openai-compatible"), [""; 0], "its address is configured with it");
    }

    #[test]
    fn warns_about_tiers_that_are_not_configured() {
        let fallback = |name: &str| json!({"provider": "tier", "model": name});
        let executor = json!({"type": "llm", "provider": "tier", "model": "small"});
        let fallbacks = json!([fallback("large"), fallback("huge")]);
        let value = json!({"name": "a", "executor": executor, "escalate_to": fallbacks});
        let parsed = parse_value(value, &Meter::default());
        let mut problems = parsed.problems.clone();
        add_configuration(&mut problems, &parsed.value, &["tier:small", "tier:large"].map(str::to_owned));
        let warnings: Vec<_> =
            problems.iter().map(|problem| (problem.path.as_str(), problem.message.as_str())).collect();
        let message = "tier 'huge' is not configured: add [tiers.huge] to the coordinator's configuration";
        assert_eq!(warnings, [("$.escalate_to[1].model", message)]);
    }

    #[test]
    fn suggests_a_configured_provider() {
        let expected = "'labb' is neither a built-in provider nor a configured one; did you mean 'lab'?";
        assert_eq!(messages("labb"), [expected]);
        let other = messages("elsewhere");
        assert!(other[0].starts_with("'elsewhere' is not a built-in provider"), "{other:?}");
    }
}
