//! `xfjit explore`: one page with a program at every stage, from bits to machine code.

mod origins;
mod page;
pub mod stages;

use crate::args::{Explore, Format, Global};
use crate::fail::{Failure, note};
use crate::files;
use crate::subject;
use std::io::{self, Write};

/// Writes the page, or what is in it.
pub fn run(args: &Explore, global: &Global) -> Result<(), Failure> {
    let subject = subject::read(&args.subject, global)?;
    let model = page::Page::new(&subject);
    if global.format == Format::Json {
        let mut out = files::stdout();
        serde_json::to_writer(&mut out, &model).map_err(io::Error::from)?;
        return Ok(writeln!(out).and_then(|()| out.flush())?);
    }
    files::write(&args.out, model.html()?.as_bytes())?;
    if !files::is_dash(&args.out) && !global.quiet {
        note(format_args!("{}: open it in a browser", args.out.display()));
    }
    Ok(())
}
