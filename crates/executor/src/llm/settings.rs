//! The settings of an `llm` agent.

use serde::Deserialize;
use serde_json::Value;

use crate::session::OpenError;
use crate::settings_error::SettingsError;

/// The `executor` object of an `llm` agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) provider: String,
    /// The model, as the provider names it.
    pub(super) model: String,
    /// Another address than the provider's. The provider's key is not sent there.
    pub(super) base_url: Option<String>,
    /// The ceiling of an answer in tokens.
    pub(super) max_tokens: Option<u32>,
    pub(super) temperature: Option<f64>,
    /// Whether and how hard the model thinks before it answers.
    pub(super) reasoning: Option<Reasoning>,
    pub(super) timeout_seconds: Option<u64>,
    /// Another subset of JSON Schema than the provider's.
    pub(super) schema_profile: Option<String>,
}

/// Whether and how hard a model thinks.
///
/// Written as `off`, `low`, `medium`, `high`, as `true` (medium) or `false` (off), or as a number of tokens for the
/// models that take a budget instead of an effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(super) enum Reasoning {
    /// Not at all, if the API can express that.
    Off,
    Low,
    Medium,
    High,
    Budget(u32),
}

impl Reasoning {
    pub(super) fn is_on(self) -> bool {
        self != Self::Off
    }

    /// The word for the effort. A budget has none of its own: it is sent where budgets are known, else as the usual
    /// effort.
    pub(super) fn effort(self) -> &'static str {
        match self {
            Self::Off => "none",
            Self::Low => "low",
            Self::Medium | Self::Budget(_) => "medium",
            Self::High => "high",
        }
    }
}

impl TryFrom<Value> for Reasoning {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        let budget = value.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        match (&value, budget) {
            (Value::Bool(true), _) => Ok(Self::Medium),
            (Value::Bool(false), _) => Ok(Self::Off),
            (_, Some(tokens)) if tokens > 0 => Ok(Self::Budget(tokens)),
            (Value::String(word), _) if word == "off" => Ok(Self::Off),
            (Value::String(word), _) if word == "low" => Ok(Self::Low),
            (Value::String(word), _) if word == "medium" => Ok(Self::Medium),
            (Value::String(word), _) if word == "high" => Ok(Self::High),
            _ => Err(format!(
                "expected `reasoning` off, low, medium, high, true, false or a number of tokens; got {value}"
            )),
        }
    }
}

impl Settings {
    pub(super) fn read(settings: &Value) -> Result<Self, OpenError> {
        let read: Self = serde_json::from_value(settings.clone())
            .map_err(|error| OpenError::Settings(format!("executor settings: {error}")))?;
        read.check().map_err(|error| OpenError::Settings(format!("executor settings: {error}")))?;
        Ok(read)
    }

    fn check(&self) -> Result<(), SettingsError> {
        if self.model.trim().is_empty() {
            return Err(SettingsError::Empty("model"));
        }
        if self.max_tokens == Some(0) {
            return Err(SettingsError::Zero("max_tokens"));
        }
        if self.timeout_seconds == Some(0) {
            return Err(SettingsError::Zero("timeout_seconds"));
        }
        match self.temperature {
            Some(value) if !(0.0..=2.0).contains(&value) => Err(SettingsError::Temperature(value)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(settings: Value) -> String {
        Settings::read(&settings).unwrap_err().to_string()
    }

    #[test]
    fn all_settings_are_read() {
        let settings = Settings::read(&json!({
            "type": "llm", "provider": "anthropic", "model": "m", "base_url": "http://h", "max_tokens": 10,
            "temperature": 0.5, "reasoning": "high", "timeout_seconds": 3, "schema_profile": "ollama",
        }));
        let expected = Settings {
            kind: "llm".into(),
            provider: "anthropic".into(),
            model: "m".into(),
            base_url: Some("http://h".into()),
            max_tokens: Some(10),
            temperature: Some(0.5),
            reasoning: Some(Reasoning::High),
            timeout_seconds: Some(3),
            schema_profile: Some("ollama".into()),
        };
        assert_eq!(settings.unwrap(), expected);
    }

    #[test]
    fn reasoning_is_a_word_a_switch_or_a_budget() {
        let cases = [
            (json!("off"), Reasoning::Off),
            (json!(false), Reasoning::Off),
            (json!(true), Reasoning::Medium),
            (json!("low"), Reasoning::Low),
            (json!(2048), Reasoning::Budget(2048)),
        ];
        for (written, expected) in cases {
            assert_eq!(Reasoning::try_from(written), Ok(expected));
        }
        assert!(Reasoning::try_from(json!("much")).is_err());
        assert!(Reasoning::try_from(json!(0)).is_err());
    }

    #[test]
    fn rejects_invalid_settings() {
        let base = json!({"type": "llm", "provider": "p", "model": "m"});
        let with = |key: &str, value: Value| {
            let mut settings = base.clone();
            if let Some(fields) = settings.as_object_mut() {
                fields.insert(key.into(), value);
            }
            refused(settings)
        };
        assert!(with("temprature", json!(1)).contains("temprature"));
        assert!(with("temperature", json!(3)).contains("from 0 to 2"));
        assert!(with("max_tokens", json!(0)).contains("at least 1"));
        assert!(with("timeout_seconds", json!(0)).contains("at least 1"));
        assert!(with("model", json!(" ")).contains("`model` is empty"));
        assert!(with("reasoning", json!("much")).contains("\"much\""));
        assert!(refused(json!({"type": "llm", "model": "m"})).contains("provider"));
    }
}
