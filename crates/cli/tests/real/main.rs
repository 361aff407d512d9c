//! Real parts, end to end: `accord up` in a folder, and a component as it is installed behind it.
//!
//! Components are installed by set-up scripts. Where one is missing its tests say so and pass, unless `ACCORD_REAL=1` is
//! set: then nothing may be skipped.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set itself up has failed")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod model;
