//! Instructions as values.
