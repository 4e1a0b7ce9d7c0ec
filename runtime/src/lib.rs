//! What must exist while code compiled by xfjit runs.

pub mod num;
