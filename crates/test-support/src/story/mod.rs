//! The story of a store: tests that every implementation must pass, run on each database.
//!
//! Each function takes an empty store and checks one sentence of the traits' documentation. A crate
//! that implements the store writes a function that creates an empty one and calls
//! [`store_story!`](crate::store_story); every function here then becomes a test of that crate. If
//! the documentation leaves a choice, the story accepts every choice.
//!
//! Times are arguments, so no test waits for a clock.
#![expect(clippy::unwrap_used, reason = "a story is a test: what is not there ends it, and says where")]

mod make;

pub mod audit;
pub mod callbacks;
pub mod events;
pub mod fencing;
pub mod figures;
pub mod held;
pub mod idempotency;
pub mod inputs;
pub mod leases;
pub mod lists;
pub mod orphans;
pub mod quarantine;
pub mod queue;
pub mod records;
pub mod removal;
pub mod search;
pub mod sessions;
pub mod steps;
pub mod stops;
pub mod texts;
pub mod waiting;
pub mod walk;
pub mod workflows;

pub use make::{holder, submission};

/// Makes each function of the story a test.
///
/// The argument is the path of an `async fn() -> (Arc<dyn Store>, Guard)`: an empty store, and whatever must outlive the
/// test (a folder, a database). The crate needs `tokio` with `macros` and `rt-multi-thread`.
///
/// With `chapters` before the path, each chapter is one test. Use it if the tests of a process
/// share something that is expensive to create: some test runners start a process per test.
#[macro_export]
macro_rules! store_story {
    ($make:path) => {
        $crate::store_story! { @tell all $make }
    };
    (chapters $make:path) => {
        $crate::store_story! { @tell chapters $make }
    };
    (@tell $how:ident $make:path) => {
        $crate::store_story! { @$how $make;
            audit: [
                audit_entries_are_kept, audit_entries_are_filtered, old_audit_entries_are_forgotten,
            ],
            walk: [
                a_new_run_is_stored_completely, missing_records_are_errors, a_run_goes_through_every_step,
                a_run_ends_with_what_happened_at_last, a_failure_is_stored_completely, attempts_are_kept_once, attempts_are_in_the_order_of_deliveries,
            ],
            sessions: [
                the_conversation_is_kept, a_session_has_one_run_at_a_time, the_coordinator_can_ask_again,
                one_of_many_resumes, the_opening_parameters_are_known,
            ],
            fencing: [
                only_the_holder_reports, a_waiting_run_has_no_holder, an_end_is_final,
                a_late_holder_is_refused, a_run_that_is_not_there_is_not_held, one_of_many_ends_is_written,
            ],
            idempotency: [
                the_same_request_has_the_same_answer, another_body_is_refused, scopes_do_not_collide,
                a_refused_request_keeps_its_key, idempotency_keys_expire, twenty_at_once_make_one,
                the_first_answer_is_known,
            ],
            queue: [
                the_order_is_priority_then_arrival, each_run_has_its_lease, demands_are_met,
                a_run_behind_many_others_is_found, each_run_goes_to_one_claimer, large_runs_come_a_few_at_a_time,
            ],
            leases: [
                a_lost_run_is_handed_out_again, leases_of_a_later_clock_are_shortened, reaping_is_bounded, reapers_do_not_count_twice,
                a_heartbeat_renews_and_directs, parents_wait_for_their_children, an_unknown_runner_is_reported, a_run_can_be_given_back,
                a_stopping_run_is_not_handed_out_again, the_depth_of_the_queue_is_known,
                usage_of_lost_deliveries_is_counted,
            ],
            stops: [
                a_run_can_be_stopped_in_every_state, a_run_without_a_runner_fails,
                a_live_match_is_reason_to_wait, only_waiting_runs_are_unmatched, waiting_begins_anew,
                failing_is_bounded, an_abandoned_run_fails,
            ],
            callbacks: [
                every_finished_child_is_reported, other_modes_have_no_callbacks, a_busy_parent_is_not_due,
                a_parent_is_idle_until_all_have_called_back, only_callbacks_keep_a_parent_idle,
                a_child_that_begins_later_makes_its_parent_idle,
                a_callback_is_delivered_once, only_pending_callbacks_are_delivered, one_of_many_delivers,
                a_busy_parent_rejects_deliveries, parents_do_not_mix,
            ],
            orphans: [children_end_with_their_parents, children_in_every_state_end],
            held: [
                a_held_callback_is_kept_and_not_due, a_resume_ends_the_hold, a_late_hold_has_no_effect,
                a_held_callback_keeps_no_parent_idle, failing_is_dated_once, a_failed_delivery_is_pending_again,
                a_callback_in_the_conversation_is_delivered_once, a_callback_is_held_or_delivered_once,
            ],
            events: [
                event_filters_select_their_events, pages_by_id_add_up_to_everything, large_events_are_read_a_few_at_a_time,
                a_tail_misses_nothing,
                ids_only_grow, notices_follow_writes, nothing_is_announced_before_it_is_there,
                output_goes_with_the_end_of_its_run,
            ],
            lists: [
                runs_are_listed_newest_first, the_same_moment_hides_nothing, pages_are_stable,
                runs_are_filtered, each_status_is_found, sessions_are_filtered, ids_are_found_by_prefix, a_made_up_cursor_is_refused,
            ],
            records: [
                agents_are_kept_under_conditions, agents_are_created_once, one_of_many_creates_an_agent,
                schemas_are_immutable, schemas_are_created_once, schemas_are_listed_by_name,
                large_schemas_come_a_few_a_page, keys_are_kept,
                the_last_use_of_keys_is_kept,
                runners_are_kept, observations_are_merged, no_concurrent_observation_is_lost, facts_can_be_removed,
                facts_about_schemas_expire, the_last_contracts_are_kept,
            ],
            figures: [
                all_runs_are_counted, a_result_without_attempts_is_a_first_try, groups_are_counted,
                kept_hours_count_as_their_runs, runs_that_finish_while_hours_are_kept_are_counted,
                each_model_has_its_share_of_a_run,
                hours_are_counted, figures_are_filtered, percentiles_are_exact, unknown_costs_are_not_zero, sums_end_at_the_largest, frequent_errors_are_counted,
            ],
            texts: [
                odd_texts_survive, long_texts_survive, an_empty_text_is_a_text, odd_failures_survive,
                odd_prompts_survive, odd_descriptions_survive,
            ],
            search: [
                lists_are_searched, searches_are_bounded, lists_are_counted, lists_have_summaries,
            ],
            removal: [
                a_session_is_removed_completely, a_removed_session_leaves_nothing_behind, a_busy_session_stays,
                children_stay_without_callbacks, a_removed_child_has_no_callback, a_removed_child_keeps_no_parent_idle,
            ],
            steps: [
                steps_are_kept_in_order, a_step_is_kept_as_it_was_written, a_repeated_report_writes_no_step_twice,
                a_late_holder_writes_no_step, a_run_is_claimed_again_with_its_steps,
                only_steps_after_a_restart_are_claimed, a_fork_begins_with_its_steps,
                large_steps_come_a_few_runs_at_a_time,
            ],
            inputs: [
                a_run_continues_when_all_requests_are_closed, a_request_is_closed_once,
                requests_of_ended_runs_are_withdrawn, a_closed_request_can_end_its_run,
                a_task_waits_for_its_person, requests_are_found_by_the_work_above, a_link_is_replaced_by_the_next,
                large_requests_come_a_few_a_page,
            ],
            waiting: [
                a_suspended_run_has_no_runner, a_run_can_wait_for_a_person, expected_callbacks_are_known,
                waiting_runs_are_found_when_they_can_continue, waiting_runs_are_given_in_a_fair_order,
                a_child_wakes_its_parent, one_of_many_wakes, only_a_suspended_run_is_woken,
                only_pending_callbacks_of_own_children_wake, the_first_wait_counts, a_woken_run_that_fails_returns_its_callbacks,
                a_run_that_waited_too_long_fails, a_suspended_run_is_stopped_at_once, a_stopping_run_is_not_suspended,
                a_late_child_is_owed_after_the_end, a_removed_child_is_not_waited_for, the_conversation_stays_with_its_runner,
                a_suspended_child_is_unfinished, suspensions_are_announced,
            ],
            workflows: [
                workflows_are_kept_under_conditions, a_new_workflow_run_is_stored_completely,
                an_advance_is_written_completely_and_once, a_finished_worker_makes_a_workflow_run_due,
                a_workflow_run_can_be_asked_to_stop, one_of_many_advances, workflow_runs_are_listed,
                a_workflow_run_is_removed_completely,
            ],
            quarantine: [
                work_is_begun_by_one, marks_of_live_coordinators_are_not_crashes, the_third_crash_poisons_a_workflow_run,
                progress_clears_the_crash_count, a_poisoned_workflow_run_can_be_retried,
                a_workflow_run_that_ended_without_a_result_can_be_resumed, the_third_crash_poisons_a_run,
                the_third_crash_holds_callbacks, the_third_crash_poisons_a_waiting_run, one_of_many_counts_a_crash, finished_work_is_not_poisoned,
                a_clean_shutdown_is_not_a_crash, a_workflow_run_can_be_ended_at_once, a_run_can_be_stopped_at_once,
            ],
        }
    };
    (@all $make:path; $($chapter:ident: [$($test:ident),* $(,)?]),* $(,)?) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let (store, _guard) = $make().await;
                $crate::story::$chapter::$test(store).await;
            }
        )*)*
    };
    (@chapters $make:path; $($chapter:ident: [$($test:ident),* $(,)?]),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $chapter() {
                $(
                    let (store, _guard) = $make().await;
                    $crate::story::$chapter::$test(store).await;
                )*
            }
        )*
    };
}
