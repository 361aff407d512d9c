//! Scripted and chaos model servers, the store story, a coordinator for tests.

pub mod story;
