//! Graphs of contracted agents.
//!
//! A workflow is a document: nodes and edges. This crate reads it and finds what is wrong with it, compares what
//! siblings say, and decides what a run of it does next. Absent on purpose: clocks, randomness, input and output.
//! Times and ids come in as arguments, and what has to be done comes out as data.

pub mod compare;
pub mod fit;
