//! The runner against a coordinator in memory. Time is paused: it passes when nobody has anything to do.

mod ends;
mod fake;
mod handed;
mod lives;
mod reports;
