//! Runs: made, waited for, stopped, ended.
//!
//! [`create`] reads a request into an [`order::Order`], where the contract ([`output`]) and the demands are settled, and
//! writes it. [`finish`] takes the end that a runner reports: nothing becomes a result that did not pass [`gate`].
//! [`held`] is the loop for executors that cannot be asked again in place: one answer a delivery.

mod create;
mod finish;
mod gate;
mod held;
mod input;
mod order;
mod output;
mod read;
mod retry;
mod told;
mod wait;

pub(crate) use create::HIGHEST_PRIORITY;
pub(super) use finish::{holder, refuse};
pub(super) use held::is_held;
pub(super) use input::{Expected, check as check_input, told as input_error, with_prompt};
pub(super) use order::{Order, Place};
pub(super) use output::Wanted;
pub(super) use read::raw;
pub(super) use wait::SLOW_POLL;
pub(crate) use wait::{LONGEST_WAIT_SECONDS, check_wait};
