//! The store on a private PostgreSQL server: the story of every store, and the tests that are
//! specific to this one.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot have its database, or what it has written there, ends and says where"
)]

mod claims;
mod connect;
mod documents;
mod given_up;
mod groups;
mod make;
mod notices;
mod order;
mod outage;
mod story;
mod text;
