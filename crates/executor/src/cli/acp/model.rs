//! How an agent lets its model be chosen: by a configuration option, or by the older list of models.

use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModelChoice {
    Option { config_id: String, current: String },
    List { current: String },
    None,
}

impl ModelChoice {
    /// From what the agent says of a session that it has opened.
    pub(super) fn read(opened: &Value) -> Self {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
        };
        let options = opened.get("configOptions").and_then(Value::as_array).into_iter().flatten();
        let mut models = options.filter(|option| text(option, "category") == "model");
        if let Some(option) = models.next() {
            return Self::Option { config_id: text(option, "id"), current: text(option, "currentValue") };
        }
        match opened.get("models").filter(|models| models.is_object()) {
            Some(models) => Self::List { current: text(models, "currentModelId") },
            None => Self::None,
        }
    }

    pub(super) fn current(&self) -> Option<&str> {
        match self {
            Self::Option { current, .. } | Self::List { current } => {
                Some(current.as_str()).filter(|current| !current.is_empty())
            }
            Self::None => None,
        }
    }

    /// The request that chooses a model, where there is a choice.
    pub(super) fn request(&self, session_id: &str, model: &str) -> Option<(&'static str, Value)> {
        match self {
            Self::Option { config_id, .. } => Some((
                "session/set_config_option",
                json!({"sessionId": session_id, "configId": config_id, "value": model}),
            )),
            Self::List { .. } => {
                Some(("session/set_model", json!({"sessionId": session_id, "modelId": model})))
            }
            Self::None => None,
        }
    }

    pub(super) fn chosen(&mut self, model: &str) {
        if let Self::Option { current, .. } | Self::List { current } = self {
            model.clone_into(current);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_known() {
        let option = json!({"configOptions": [
            {"id": "mode", "category": "mode", "currentValue": "build"},
            {"id": "llm", "category": "model", "currentValue": "a"},
        ]});
        let mut choice = ModelChoice::read(&option);
        assert_eq!(choice.current(), Some("a"));
        let params = json!({"sessionId": "s", "configId": "llm", "value": "b"});
        assert_eq!(choice.request("s", "b"), Some(("session/set_config_option", params)));
        choice.chosen("b");
        assert_eq!(choice.current(), Some("b"));
        let list = ModelChoice::read(&json!({"models": {"currentModelId": "auto", "availableModels": []}}));
        assert_eq!(list.current(), Some("auto"));
        let params = json!({"sessionId": "s", "modelId": "b"});
        assert_eq!(list.request("s", "b"), Some(("session/set_model", params)));
        assert_eq!(ModelChoice::read(&json!({"sessionId": "s"})), ModelChoice::None);
    }
}
