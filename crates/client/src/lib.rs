//! Typed HTTP client of the coordinator.
