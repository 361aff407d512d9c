//! Servers that misbehave, as real processes and over real HTTP.
