//! Constants (XFCTX) that a run borrows from its caller.

use crate::error::StreamError;
use crate::registers::Row;

/// Rows of constants where the caller keeps them: at any address that is aligned for words, as many as the program's
/// generation has ([`Needs::rows`](crate::bound::Needs::rows)). Nothing is read behind them, but for a row of zeros
/// if the caller has one there ([`Constants::with_zero_row`]).
///
/// ```
/// use xfjit_runtime::constants::Constants;
///
/// let mut memory = vec![0u32; 1 + 4 * 192]; // no alignment beyond that of words
/// let (rows, _) = memory[1..].as_chunks_mut::<4>();
/// let mut dirty = [0; 192];
/// let mut constants = Constants::new(rows).noting(&mut dirty);
/// constants.set_row(7, [1, 2, 3, 4]);
/// constants.set_row(192, [1, 2, 3, 4]); // there is no such row
/// assert_eq!((constants.row(7), constants.row(192)), ([1, 2, 3, 4], [0; 4]));
/// assert_eq!((memory[29], dirty[7], dirty[8]), (1, 1, 0));
/// ```
#[derive(Debug)]
pub struct Constants<'a> {
    /// The constants, and the row of zeros if there is one.
    rows: Rows<'a>,
    has_zero_row: bool,
    dirty: Option<&'a mut [u8]>,
}

#[derive(Debug)]
enum Rows<'a> {
    Read(&'a [Row]),
    Write(&'a mut [Row]),
}

impl<'a> Constants<'a> {
    /// Rows that programs may write.
    #[inline]
    pub fn new(rows: &'a mut [Row]) -> Self {
        Constants { rows: Rows::Write(rows), has_zero_row: false, dirty: None }
    }

    /// Rows for programs that write none; the others are refused.
    #[inline]
    pub fn read_only(rows: &'a [Row]) -> Self {
        Constants { rows: Rows::Read(rows), has_zero_row: false, dirty: None }
    }

    /// With a row of zeros behind the constants: the last of these rows, which is none of the constants then. Programs that
    /// read relative to A0 and write no constants find there what they read out of range; native code of such a program
    /// copies constants without that row in each run. A last row with other words is a constant like the others.
    ///
    /// ```
    /// use xfjit_runtime::constants::Constants;
    ///
    /// let mut rows = [[1; 4], [2; 4], [0; 4]];
    /// let mut constants = Constants::new(&mut rows).with_zero_row();
    /// constants.set_row(2, [3; 4]); // there is no such row
    /// assert_eq!((constants.rows().len(), constants.has_zero_row()), (2, true));
    /// assert_eq!(rows[2], [0; 4]);
    /// assert!(!Constants::read_only(&rows[..2]).with_zero_row().has_zero_row());
    /// ```
    #[inline]
    #[must_use]
    pub fn with_zero_row(self) -> Self {
        let has_zero_row = self.has_zero_row || self.rows().last() == Some(&[0; 4]);
        Constants { has_zero_row, ..self }
    }

    /// Whether there is a row of zeros behind the constants.
    #[inline]
    pub fn has_zero_row(&self) -> bool {
        self.has_zero_row
    }

    /// With a byte for each row, which becomes 1 when a vertex writes the row, or some of its components; with what was there
    /// counts as well, under a condition that fails does not. Bytes of other rows stay as they are.
    #[inline]
    #[must_use]
    pub fn noting(self, dirty: &'a mut [u8]) -> Self {
        Constants { dirty: Some(dirty), ..self }
    }

    /// Lends them on for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> Constants<'_> {
        let rows = match &mut self.rows {
            Rows::Read(rows) => Rows::Read(rows),
            Rows::Write(rows) => Rows::Write(rows),
        };
        Constants { rows, has_zero_row: self.has_zero_row, dirty: self.dirty.as_deref_mut() }
    }

    /// Lends them to be read, to any number of threads.
    #[inline]
    #[doc(hidden)]
    pub fn to_read(&self) -> Constants<'_> {
        let rows: &[Row] = match &self.rows {
            Rows::Read(rows) => rows,
            Rows::Write(rows) => rows,
        };
        Constants { rows: Rows::Read(rows), has_zero_row: self.has_zero_row, dirty: None }
    }

    /// All rows.
    #[inline]
    pub fn rows(&self) -> &[Row] {
        let rows: &[Row] = match &self.rows {
            Rows::Read(rows) => rows,
            Rows::Write(rows) => rows,
        };
        &rows[..rows.len() - usize::from(self.has_zero_row)]
    }

    /// One row; (0, 0, 0, 0) out of range (kelvin.md 2: what the GL specification says; UNKNOWN on silicon).
    #[inline]
    pub fn row(&self, index: usize) -> Row {
        self.rows().get(index).copied().unwrap_or_default()
    }

    /// Writes one row and notes it. Writes out of range are dropped, and so are those into rows lent to be read, which no
    /// program gets to: [`Constants::check`].
    #[inline]
    pub fn set_row(&mut self, index: usize, value: Row) {
        if index < self.rows().len()
            && let Rows::Write(rows) = &mut self.rows
            && let Some(row) = rows.get_mut(index)
        {
            *row = value;
            self.note(index);
        }
    }

    /// Notes that a row has been written.
    #[inline]
    #[doc(hidden)]
    pub fn note(&mut self, index: usize) {
        if let Some(byte) = self.dirty.as_mut().and_then(|dirty| dirty.get_mut(index)) {
            *byte = 1;
        }
    }

    /// Whether these constants serve code for so many rows, of which it writes some or none.
    ///
    /// # Errors
    /// Another number of rows; rows that cannot be written, or too few bytes to note it in, if the code writes.
    #[inline]
    #[doc(hidden)]
    pub fn check(&self, needed: usize, writes: bool) -> Result<(), StreamError> {
        let got = self.rows().len();
        if got != needed {
            return Err(StreamError::WrongContext { needed, got });
        }
        if !writes {
            return Ok(());
        }
        if matches!(self.rows, Rows::Read(_)) {
            return Err(StreamError::ConstantsAreReadOnly);
        }
        match self.dirty.as_ref().map(|dirty| dirty.len()) {
            Some(got) if got < needed => Err(StreamError::TooFewDirtyBytes { needed, got }),
            Some(_) | None => Ok(()),
        }
    }

    /// Where the rows begin, for generated code: which reads them, and writes only after [`Constants::check`] has said that
    /// it may.
    #[inline]
    #[doc(hidden)]
    pub fn base(&mut self) -> *mut Row {
        match &mut self.rows {
            Rows::Read(rows) => rows.as_ptr().cast_mut(),
            Rows::Write(rows) => rows.as_mut_ptr(),
        }
    }
}
