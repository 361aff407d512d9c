//! What the coordinator says, as words for people.
//!
//! Pure: values in, text out. The text carries colours, which are dropped where nobody sees them. Whatever a model or
//! somebody else's file may have written goes through [`words::line`] or [`crate::excerpt::visible`] first.

pub(crate) mod agent;
pub(crate) mod attempt;
pub(crate) mod event;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod stats;
mod tone;
pub(crate) mod words;
pub(crate) mod workflow;

pub(crate) use tone::Tone;
