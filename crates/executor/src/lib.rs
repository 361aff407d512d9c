//! What talks to a model, a CLI or a command.
