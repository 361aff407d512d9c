//! The store as others see it: its story, its files, crashes, and upgrades.

mod crash;
mod files;
mod story;
mod upgrade;
