//! Why a call came to nothing, by what the caller does next.

use accord_api::{ErrorBody, ErrorName};

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// The coordinator answered with an error: look at its name.
    #[error("{}", .0.message)]
    Api(Box<ErrorBody>),
    /// There was no answer, or one of something in between that is down: try again later.
    #[error("cannot reach the coordinator at {address}: {cause}")]
    Unreachable {
        /// Its address, without a password.
        address: String,
        /// What went wrong.
        cause: String,
    },
    /// What answered is not a coordinator, or one of another version: correct the address or the version.
    #[error("{address} does not respond like a coordinator of this version: {cause}")]
    Unreadable {
        /// The address of the server that answered.
        address: String,
        /// What cannot be read.
        cause: String,
    },
    /// The address, the key or a name cannot be sent at all: correct it.
    #[error("{0}")]
    Settings(String),
}

impl ClientError {
    /// Whether the coordinator answered with this error.
    pub fn is(&self, name: ErrorName) -> bool {
        matches!(self, Self::Api(body) if body.error == name.as_str())
    }

    /// Whether the same call may do better later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Api(body) => body.status_code >= 500 || matches!(body.status_code, 408 | 429),
            Self::Unreachable { .. } => true,
            Self::Unreadable { .. } | Self::Settings(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(name: ErrorName) -> ClientError {
        let message = "so it is".to_owned();
        let error = name.as_str().to_owned();
        ClientError::Api(Box::new(ErrorBody { error, message, status_code: name.status(), details: None }))
    }

    #[test]
    fn an_error_is_known_by_its_name() {
        assert!(api(ErrorName::LeaseLost).is(ErrorName::LeaseLost));
        assert!(!api(ErrorName::LeaseLost).is(ErrorName::SessionBusy));
        assert_eq!(api(ErrorName::LeaseLost).to_string(), "so it is");
    }

    #[test]
    fn only_temporary_errors_are_transient() {
        assert!(api(ErrorName::StoreUnavailable).is_transient());
        assert!(api(ErrorName::Internal).is_transient());
        assert!(!api(ErrorName::LeaseLost).is_transient());
        assert!(!ClientError::Settings(String::new()).is_transient());
    }
}
