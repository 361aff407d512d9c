//! What is said of an agent's provider where the settings of a runner are known: those that it shares a project with.
//!
//! An agent is examined by its document alone. A provider that is not built in is a warning then, because runners have
//! settings of their own. Where some of them are known here, the warning is dropped, or says what was perhaps meant.

use accord_api::Problem;
use accord_contract::Place;
use accord_domain::agent::TIER;
use accord_domain::nearest;
use serde_json::Value;

use super::view::warning;

/// Corrects what was found in a blueprint by the names of configured providers.
pub(in crate::app) fn correct(problems: &mut Vec<Problem>, blueprint: &Value, providers: &[String]) {
    let provider = blueprint.pointer("/executor/provider").and_then(Value::as_str).unwrap_or_default();
    tiers(problems, blueprint, providers);
    let is_configured = providers.iter().any(|name| name == provider);
    let executor = Place::root().key("executor");
    let of_provider = executor.key("provider").path();
    if is_configured {
        // Its address may stand there too.
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
    let place = |index| Place::root().key("escalate_to").index(index);
    let fallbacks = fallbacks.enumerate().map(|(index, value)| (place(index), value));
    let executor = blueprint.get("executor").map(|value| (Place::root().key("executor"), value));
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

    use super::super::examine_value;
    use super::*;

    fn told(provider: &str) -> Vec<String> {
        let executor = json!({"type": "llm", "provider": provider, "model": "m"});
        let examined = examine_value(json!({"name": "a", "executor": executor}));
        let mut problems = examined.problems.clone();
        let providers = ["lab", "openai-compatible"].map(str::to_owned);
        correct(&mut problems, &examined.value, &providers);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_configured_provider_is_known() {
        assert_eq!(told("lab"), [""; 0]);
        assert_eq!(told("openai-compatible"), [""; 0], "its address is configured with it");
    }

    #[test]
    fn a_tier_is_configured_or_told() {
        let fallback = |name: &str| json!({"provider": "tier", "model": name});
        let executor = json!({"type": "llm", "provider": "tier", "model": "small"});
        let fallbacks = json!([fallback("large"), fallback("huge")]);
        let value = json!({"name": "a", "executor": executor, "escalate_to": fallbacks});
        let examined = examine_value(value);
        let mut problems = examined.problems.clone();
        correct(&mut problems, &examined.value, &["tier:small", "tier:large"].map(str::to_owned));
        let told: Vec<_> =
            problems.iter().map(|problem| (problem.path.as_str(), problem.message.as_str())).collect();
        let message = "tier 'huge' is not configured: add [tiers.huge] to the coordinator's configuration";
        assert_eq!(told, [("$.escalate_to[1].model", message)]);
    }

    #[test]
    fn a_slip_is_told() {
        let expected = "'labb' is neither a built-in provider nor a configured one; did you mean 'lab'?";
        assert_eq!(told("labb"), [expected]);
        let other = told("elsewhere");
        assert!(other[0].starts_with("'elsewhere' is not a built-in provider"), "{other:?}");
    }
}
