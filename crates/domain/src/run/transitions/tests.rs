//! Compares the table with the functions.
