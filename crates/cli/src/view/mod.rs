//! Responses of the coordinator as text for people.
//!
//! Pure: values in, text out. The text has colours, which are dropped if stdout is not a terminal. Whatever a model or
//! a file may have written goes through [`text::line`] or [`crate::excerpt::visible`] first.

pub(crate) mod agent;
pub(crate) mod attempt;
pub(crate) mod comparison;
pub(crate) mod event;
pub(crate) mod input;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod stats;
pub(crate) mod step;
pub(crate) mod text;
mod tone;
pub(crate) mod workflow;

pub(crate) use tone::Tone;
