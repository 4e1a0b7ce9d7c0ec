//! What WebAssembly exports. A call of the page: [`room`] for the bytes of a question, which it writes there; [`ask`]; then the answer
//! lies at [`answered`], and a picture at [`pictured`]. Both stay until the next question.

use crate::{Picture, answer};
use std::cell::RefCell;

#[derive(Default)]
struct Memory {
    question: Vec<u8>,
    answer: String,
    picture: Option<Picture>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Room for a question of so many bytes, zeros until the page writes there.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    MEMORY.with_borrow_mut(|memory| {
        memory.question = vec![0; bytes];
        memory.question.as_mut_ptr()
    })
}

/// Answers the question in the room; how many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    MEMORY.with_borrow_mut(|memory| {
        let question = String::from_utf8_lossy(&memory.question);
        let (answer, picture) = answer(&question);
        (memory.answer, memory.picture) = (answer, picture);
        memory.answer.len()
    })
}

/// Where the answer lies, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> *const u8 {
    MEMORY.with_borrow(|memory| memory.answer.as_ptr())
}

/// Where the picture lies, four bytes a pixel, and nowhere if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn pictured() -> *const u8 {
    MEMORY.with_borrow(|memory| {
        memory.picture.as_ref().map_or(std::ptr::null(), |picture| picture.pixels.as_ptr())
    })
}
