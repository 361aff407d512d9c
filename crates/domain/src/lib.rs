//! Ids, agents, sessions, runs, events, and the legal state changes.
