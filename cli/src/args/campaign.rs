//! How long work in units goes on, on how many threads, and what it leaves behind.

use crate::campaign::Shard;
use clap::Args;
use std::path::PathBuf;

/// Options of commands whose work is a campaign.
#[derive(Clone, Debug, Default, Args)]
pub struct Campaign {
    /// Number of threads; 0: one for each core. The results are the same.
    #[arg(long, help_heading = "Campaign", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub jobs: u16,
    /// Which part of it, until when, and what it leaves.
    #[command(flatten)]
    pub extent: Extent,
}

/// Which part of the work is done, until when, and what it leaves.
#[derive(Clone, Debug, Default, Args)]
pub struct Extent {
    /// Do part I of N of the work, so that N machines share it: 2/3 does the second part of three. `xfjit summary` adds up the parts.
    #[arg(long, help_heading = "Campaign", value_name = "I/N", default_value = "1/1", value_parser = Shard::parse)]
    pub shard: Shard,
    /// Stop after this many seconds. Work that has begun is finished.
    #[arg(long, help_heading = "Campaign", value_name = "S", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub seconds: Option<u64>,
    /// Keep a record of the work in this file, and continue where the earlier record ends. The record is written every few seconds.
    #[arg(long, help_heading = "Campaign", value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Write the record to this file at the end, whatever the file holds now.
    #[arg(long, help_heading = "Campaign", value_name = "FILE")]
    pub summary: Option<PathBuf>,
}

impl Campaign {
    /// How many threads that is.
    pub fn threads(&self) -> usize {
        match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs.into(),
        }
    }
}
