//! The workflows of the templates, through the public interface.

mod code_review;
mod team;
