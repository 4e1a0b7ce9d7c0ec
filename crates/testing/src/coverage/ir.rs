//! Texts of functions, as the fuzz target `ir` compiles them.

use super::{Coverage, NotRead, code, recipes};
use crate::ir::func::Level;
use crate::ir::{parse, verify};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::fpenv::FpEnv;

impl Coverage {
    /// Adds what a function reaches: of the host level nothing but encodings.
    ///
    /// # Errors
    /// The text is no function that may be compiled.
    pub(super) fn function(&mut self, text: &str) -> Result<(), NotRead> {
        let func = parse::parse(text).map_err(|_| NotRead)?;
        verify::verify(&func).map_err(|_| NotRead)?;
        self.inputs += 1;
        FpEnv::Default.within(|| {
            if func.level == Level::Xf {
                let model = recipes(func.numerics.model);
                func.order().for_each(|value| self.reach(&model, func.inst(value).op.text()));
            }
            for row in code::reached(&func, Layout::Rows) {
                self.reach(code::TABLE, &row);
            }
        });
        Ok(())
    }
}
