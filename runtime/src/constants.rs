//! Constants (XFCTX) that a run borrows from its caller.

use crate::error::StreamError;
use crate::registers::Row;

/// Rows of constants in the caller's memory: at any address that is aligned for words, as many as the program's generation has
/// ([`Needs::rows`](crate::bound::Needs::rows)). Nothing after them is read, except a row of zeros if the caller declares one
/// ([`Constants::with_zero_row`]).
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

    /// Rows for programs that do not write constants; other programs are refused.
    #[inline]
    pub fn read_only(rows: &'a [Row]) -> Self {
        Constants { rows: Rows::Read(rows), has_zero_row: false, dirty: None }
    }

    /// Declares that the last of these rows is a row of zeros after the constants, and not a constant. Programs that read relative to A0
    /// and write no constants read it when they are out of range; without that row, native code of such a program copies the constants in
    /// each run. If the last row is not zero, it stays a constant like the others.
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

    /// Whether a row of zeros follows the constants.
    #[inline]
    pub fn has_zero_row(&self) -> bool {
        self.has_zero_row
    }

    /// Sets a byte for each row, which becomes 1 when a vertex writes the row or some of its components. A write of the old value counts; a
    /// write whose condition fails does not. Bytes of other rows stay unchanged.
    #[inline]
    #[must_use]
    pub fn noting(self, dirty: &'a mut [u8]) -> Self {
        Constants { dirty: Some(dirty), ..self }
    }

    /// Lends them for a shorter time.
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

    /// Writes one row and notes it. Writes out of range are dropped, and so are writes to read-only rows, which [`Constants::check`] keeps
    /// away from programs.
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

    /// Checks whether these constants serve code with this many rows, which writes constants or does not.
    ///
    /// # Errors
    /// Another number of rows. If the code writes constants: read-only rows, or too few bytes to note writes in.
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

    /// The address of the rows, for generated code. It reads the rows, and writes them only if [`Constants::check`] has allowed that.
    #[inline]
    #[doc(hidden)]
    pub fn base(&mut self) -> *mut Row {
        match &mut self.rows {
            Rows::Read(rows) => rows.as_ptr().cast_mut(),
            Rows::Write(rows) => rows.as_mut_ptr(),
        }
    }
}
