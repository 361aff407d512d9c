//! The executor from its front door, with a scripted way to the provider.

mod answers;
mod dialects;
mod embeddings;
mod errors;
mod journal;
mod presets;
mod requests;
mod retries;
mod samples;
mod script;
mod stopping;
mod submissions;
mod tools;
mod traffic;
