//! What is wrong with the settings of an executor.

use thiserror::Error;

use crate::program::MAX_SECONDS;

#[derive(Debug, PartialEq, Error)]
pub(crate) enum SettingsError {
    #[error("`{0}` is empty")]
    Empty(&'static str),
    #[error("`{0}` contains a NUL character; remove it")]
    Nul(&'static str),
    #[error("invalid `{0}` '{1}'; set a value, or omit it")]
    Invalid(&'static str, String),
    #[error("invalid environment variable name '{0}' in `env`")]
    VariableName(String),
    #[error("`allowed_tools` contains '{0}', which is not a tool name")]
    ToolName(String),
    #[error("expected `timeout_seconds` from 1 to {max}, got {0}", max = MAX_SECONDS)]
    Seconds(u64),
    #[error("expected `{0}` of at least 1, got 0; omit it for the default")]
    Zero(&'static str),
    #[error("expected `temperature` from 0 to 2, got {0}")]
    Temperature(f64),
}
