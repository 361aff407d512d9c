//! Enums whose variants have names: on the wire, in columns and in messages.

/// Declares an enum whose variants are named in snake case, lists them, and gives their names.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$about:meta])* $variant:ident,)+ }) => {
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
        )]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            /// All of them, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => pastey::paste!(stringify!([<$variant:snake>])),)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use named;

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use crate::{attempt, callback, evidence, input_request, key, quarantine, run, session, workflow};

    fn check<T: Copy + ToString + Serialize>(all: &[T]) {
        for each in all {
            assert_eq!(serde_json::to_value(each).unwrap(), each.to_string());
        }
    }

    #[test]
    fn names_are_those_on_the_wire() {
        check(attempt::Outcome::ALL);
        check(attempt::ValueSource::ALL);
        check(callback::HeldReason::ALL);
        check(evidence::Observed::ALL);
        check(input_request::Status::ALL);
        check(key::Role::ALL);
        check(quarantine::Kind::ALL);
        check(run::FailureType::ALL);
        check(run::Status::ALL);
        check(session::ExecutionMode::ALL);
        check(session::Status::ALL);
        check(workflow::NodeStatus::ALL);
        check(workflow::Status::ALL);
        assert_eq!(run::Status::InputRequired.as_str(), "input_required");
    }
}
