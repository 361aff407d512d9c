//! Runs: created, waited for, stopped, finished.
//!
//! [`create`] reads a request into an [`order::Order`], with the contract in force ([`super::contracts`]), and writes it.
//! [`finish`] takes the end that a runner reports: nothing becomes a result that did not pass [`gate`]. [`held`] is the loop
//! for executors that cannot be asked again in place: one answer a delivery.

mod again;
mod callback_message;
mod caller_contract;
mod caller_tools;
mod create;
mod finish;
mod gate;
mod held;
mod input;
mod judgement;
mod order;
mod people;
mod read;
mod wait;
mod waiting;

use std::sync::Arc;

use accord_store::Store;
use tokio_util::sync::CancellationToken;

use super::assignments::RecentAssignments;
use super::blueprints::Blueprints;
use super::contracts::Contracts;
use super::files::Files;
use super::instance::Instance;
use super::lineage::Lineage;
use super::quarantine::Quarantine;
use super::runners::Runners;
use crate::hub::Hub;
use crate::outside::Outside;
use crate::outstanding::Outstanding;
use crate::settings::Settings;

/// Runs, from the request to the result.
pub(crate) struct Runs {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) hub: Arc<Hub>,
    pub(super) closing: CancellationToken,
    pub(super) outstanding: Outstanding,
    pub(super) instance: Arc<Instance>,
    pub(super) blueprints: Arc<Blueprints>,
    pub(super) contracts: Arc<Contracts>,
    pub(super) lineage: Arc<Lineage>,
    pub(super) runners: Arc<Runners>,
    pub(super) assignments: Arc<RecentAssignments>,
    pub(super) quarantine: Arc<Quarantine>,
    pub(super) files: Arc<Files>,
}

pub(super) use callback_message::callback_message;
pub(crate) use create::{HIGHEST_PRIORITY, Request as RunRequest};
pub(super) use finish::holder;
pub(super) use gate::parameters as invariant_input;
pub(super) use held::is_held;
pub(super) use input::{Expected, check as check_input, input_error};
pub(super) use order::{CHILDREN_A_MESSAGE, Order, RunSession};
pub(super) use people::answer_errors;
pub(super) use read::{raw, view_of};
pub(crate) use wait::LONGEST_WAIT_SECONDS;
