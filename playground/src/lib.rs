//! The playground: the library in a web page (docs/playground).
//!
//! The page asks in JSON and gets its answers in JSON ([`answer`]). The library computes everything; the page only shows the answers. Compiled for WebAssembly, [`memory`] exports the functions that carry the texts.
//!
//! ```text
//! memory     bytes from the page and back
//! program    a text in one of three notations, and the program that it is
//! analysis   words, fields, IR, clocks
//! run        one vertex, or the mesh, by the interpreter
//! scene      the mesh, and what constants hold
//! picture    triangles as pixels
//! numbers    one operation under every arithmetic
//! steps      how a chip comes to its result
//! ```

mod analysis;
#[path = "../../cli/src/demo_view.rs"]
mod demo_view;
mod examples;
mod float;
mod memory;
mod mesh;
mod numbers;
mod picture;
mod program;
#[allow(dead_code, reason = "the command needs more of it")]
#[path = "../../cli/src/registers.rs"]
mod registers;
mod run;
mod scene;
mod steps;

pub use picture::Picture;

use serde::Deserialize;
use serde_json::{Value, json};

/// Bytes of a question at most: the longest program is a tenth of it.
const MOST_BYTES: usize = 1 << 18;

/// What the page asks.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Question {
    /// What there is: generations, examples, functions, arithmetics.
    About,
    /// What a text is.
    Program(program::Asked),
    /// Its results for one vertex.
    Run(run::Asked),
    /// Its results for the mesh, as a picture.
    Draw(run::Drawn),
    /// Two or three numbers under every arithmetic.
    Numbers(numbers::Asked),
}

/// The answer to a question of the page, as JSON, and the picture if one was asked for. What is wrong with a question is an answer, too:
/// an object with the member `error`.
pub fn answer(question: &str) -> (String, Option<Picture>) {
    let (value, picture) = match read(question) {
        Ok(Question::About) => (about(), None),
        Ok(Question::Program(asked)) => (analysis::answer(&asked), None),
        Ok(Question::Run(asked)) => (run::answer(&asked), None),
        Ok(Question::Draw(asked)) => match run::draw(&asked) {
            Ok((value, picture)) => (value, Some(picture)),
            Err(error) => (error, None),
        },
        Ok(Question::Numbers(asked)) => (numbers::answer(&asked), None),
        Err(error) => (json!({ "error": error }), None),
    };
    (value.to_string(), picture)
}

fn read(question: &str) -> Result<Question, String> {
    if question.len() > MOST_BYTES {
        return Err(format!("the text is longer than {MOST_BYTES} bytes"));
    }
    serde_json::from_str(question).map_err(|error| format!("the question is not valid: {error}"))
}

fn about() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "sources": option_env!("XFJIT_SOURCES").unwrap_or("not recorded"),
        "generations": program::generations(),
        "beside": run::besides(),
        "examples": examples::all(),
        "vertices": mesh::VERTICES,
        "constants": scene::NAMES,
        "functions": numbers::functions(),
        "rules": numbers::identities(),
    })
}

#[cfg(test)]
mod tests;
