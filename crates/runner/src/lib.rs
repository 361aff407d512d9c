//! Claims runs, drives executors under the contract, reports.
