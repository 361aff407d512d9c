//! The store as use cases.
