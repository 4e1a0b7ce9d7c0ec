//! Matrices of four rows, as the state of OpenGL has them.

/// The rows of a matrix that multiplies column vectors. `state.matrix` names them row by row. Products and inverses
/// are computed in 64 bits with +, -, * and / only, so every host gets the same result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Matrix(pub [[f64; 4]; 4]);

impl Matrix {
    /// Changes nothing.
    pub const IDENTITY: Matrix =
        Matrix([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);

    /// The matrix that applies `other` first, and then this one.
    #[must_use]
    pub fn after(&self, other: &Matrix) -> Matrix {
        let element = |row: usize, column: usize| (0..4).map(|k| self.0[row][k] * other.0[k][column]).sum();
        Matrix(std::array::from_fn(|row| std::array::from_fn(|column| element(row, column))))
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Matrix {
        Matrix(std::array::from_fn(|row| std::array::from_fn(|column| self.0[column][row])))
    }

    /// The inverse, if there is one (by elimination with the largest pivot of each column).
    pub fn inverse(&self) -> Option<Matrix> {
        let (mut left, mut right) = (self.0, Matrix::IDENTITY.0);
        for column in 0..4 {
            let largest =
                (column..4).max_by(|&a, &b| left[a][column].abs().total_cmp(&left[b][column].abs()));
            let pivot = largest.filter(|&row| left[row][column] != 0.0 && left[row][column].is_finite())?;
            left.swap(column, pivot);
            right.swap(column, pivot);
            let scale = left[column][column];
            for k in 0..4 {
                left[column][k] /= scale;
                right[column][k] /= scale;
            }
            for row in (0..4).filter(|&row| row != column) {
                let factor = left[row][column];
                for k in 0..4 {
                    left[row][k] -= factor * left[column][k];
                    right[row][k] -= factor * right[column][k];
                }
            }
        }
        let is_finite = right.iter().flatten().all(|element| element.is_finite());
        is_finite.then_some(Matrix(right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const M: Matrix =
        Matrix([[0.0, 2.0, 0.0, 1.0], [4.0, 0.0, 0.0, -3.0], [0.0, 0.0, 0.5, 7.0], [0.0, 0.0, -1.0, 2.0]]);

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let inverse = M.inverse().unwrap();
        assert_eq!(M.after(&inverse), Matrix::IDENTITY);
        assert_eq!(inverse.after(&M), Matrix::IDENTITY);
        assert_eq!(inverse.inverse().unwrap(), M);
    }

    #[test]
    fn the_second_factor_comes_first() {
        let shift =
            Matrix([[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0]]);
        let scale =
            Matrix([[2.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
        assert_eq!(scale.after(&shift).0.map(|row| row[3]), [10.0, 18.0, 28.0, 1.0]);
        assert_eq!(shift.after(&scale).transpose().0[3], [5.0, 6.0, 7.0, 1.0]);
    }

    #[test]
    fn singular_matrices_have_no_inverse() {
        let mut flat = M;
        flat.0[2] = flat.0[3].map(|element| 3.0 * element);
        assert_eq!(flat.inverse(), None);
        assert_eq!(Matrix([[f64::NAN; 4]; 4]).inverse(), None);
        assert_eq!(Matrix([[0.0; 4]; 4]).inverse(), None);
    }
}
