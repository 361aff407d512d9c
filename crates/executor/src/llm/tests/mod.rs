//! The executor through its public interface, with a scripted transport.

mod answers;
mod callers;
mod dialects;
mod embeddings;
mod errors;
mod files;
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
