//! Constants that C lends.

use crate::extent::{apart, extent};
use crate::lent;
use crate::status::{Failure, XFJIT_E_CONSTANTS};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Range;
use xfjit::runtime::bound::Needs;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::state::Row;

/// Rows of constants are words, wherever they lie.
const _: () = assert!(align_of::<Row>() == 4);

/// Constants as C describes them, which one program at a time has.
pub(crate) struct ConstantRows<'a> {
    rows: *mut Row,
    count: usize,
    dirty: *mut u8,
    lent: PhantomData<&'a mut [Row]>,
}

impl<'a> ConstantRows<'a> {
    /// # Safety
    /// Until `'a` ends, each pointer is one that can be refused, or points to so many rows and, unless it is null, a byte for each row that
    /// the generation of a program has. Nobody writes what a program reads, and nobody else uses what it writes.
    #[inline]
    pub(crate) unsafe fn new(rows: *mut c_void, count: usize, dirty: *mut u8) -> Self {
        ConstantRows { rows: rows.cast(), count, dirty, lent: PhantomData }
    }

    /// These constants for a shorter time.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> ConstantRows<'_> {
        ConstantRows { lent: PhantomData, ..*self }
    }

    /// Words that name them.
    #[inline]
    pub(crate) fn words(&self) -> [usize; 3] {
        [self.rows.addr(), self.count, self.dirty.addr()]
    }

    /// Where those lie that a program needs, and the bytes in which it notes those that it writes; they can be there, and are apart.
    #[inline]
    pub(crate) fn ranges(&self, needs: &Needs) -> Result<(Range<usize>, Range<usize>), Failure> {
        if self.count < needs.rows {
            return Err(too_few(needs.rows, self.count));
        }
        let rows = extent(self.rows, needs.rows, "constants")?;
        if !needs.writes_constants || self.dirty.is_null() {
            return Ok((rows, 0..0));
        }
        let noted = extent(self.dirty, needs.rows, "dirty")?;
        apart(&noted, "dirty", &rows, "constants")?;
        Ok((rows, noted))
    }

    /// Those that a program needs, for as long as they are lent.
    #[inline]
    pub(crate) fn lend(self, needs: &Needs) -> Result<Constants<'a>, Failure> {
        if needs.writes_constants {
            return self.lend_written(needs);
        }
        if self.count < needs.rows {
            return Err(too_few(needs.rows, self.count));
        }
        // SAFETY: no more rows than there are, which the program reads, so that nobody writes them.
        Ok(Constants::read_only(unsafe { lent::slice(self.rows, needs.rows, "constants") }?))
    }

    /// [`ConstantRows::lend`] without checks.
    ///
    /// # Safety
    /// Constants that were described in the same words have been lent for these needs.
    #[inline]
    pub(crate) unsafe fn lend_checked(self, needs: &Needs) -> Result<Constants<'a>, Failure> {
        if needs.writes_constants {
            return self.lend_written(needs);
        }
        if needs.rows == 0 {
            return Ok(Constants::read_only(&[]));
        }
        // SAFETY: it has been found that these rows are not null, aligned, no more than memory can be and no more than there are; the program
        // reads them, so that nobody writes them.
        Ok(Constants::read_only(unsafe { std::slice::from_raw_parts(self.rows, needs.rows) }))
    }

    /// Those that a program writes.
    fn lend_written(self, needs: &Needs) -> Result<Constants<'a>, Failure> {
        self.ranges(needs)?;
        // SAFETY: no more rows than there are, which the program writes, so that nobody else uses them; `self` is gone.
        let constants = Constants::new(unsafe { lent::slice_mut(self.rows, needs.rows, "constants") }?);
        if self.dirty.is_null() {
            return Ok(constants);
        }
        // SAFETY: a byte for each row, apart from the rows, which nobody else uses either.
        Ok(constants.noting(unsafe { lent::slice_mut(self.dirty, needs.rows, "dirty") }?))
    }
}

#[cold]
fn too_few(needed: usize, given: usize) -> Failure {
    let text = format_args!("the program needs {needed} rows of constants; the caller gave {given}");
    Failure::new(XFJIT_E_CONSTANTS, text)
}
