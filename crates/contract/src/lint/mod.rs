//! Lint.
