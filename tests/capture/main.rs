//! Captures: what is written is read as it was, replays to the same, and what is damaged is refused where it is.

mod damage;
mod replay;
