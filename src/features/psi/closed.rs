//! psi in closed form for eventually periodic sequences, on any feature map.

use std::collections::HashMap;

use nalgebra::{Dim, Dyn, OMatrix, OVector, U1};
use thiserror::Error;

use super::convergence::{check_period, is_contractive};
use super::rounds::Rounds;
use super::{Cursor, FactoredFeatures, SequenceFeatures, Sums};
use crate::Real;
use crate::dim::{Batch, Dimensional, Double, Doubled, FeatureDim};
use crate::features::bounds::ProductBounds;
use crate::features::{Dynamics, FeatureMap, Optimism, PrefixBounds};
use crate::model::Action;
use crate::product::product;
use crate::sequence::ActionSequence;

/// psi from features phi and dynamics in feature space, exact or estimated.
///
/// # Where psi does not exist
/// Estimated dynamics may be those of no MDP. Where the product of gamma (1 - beta) M over the period of
/// a sequence has a spectral radius of 1 or more, the series of psi diverges, and the closed form would be a
/// finite number that means nothing. [`new`](Self::new) refuses dynamics under which holding one action
/// forever diverges. Longer periods are checked when they are asked for, unless a norm has shown at once that
/// all sequences converge, as it does for one-hot features: [`try_psi`](Self::try_psi) then names the
/// period and its spectral radius, and [`psi`](SequenceFeatures::psi), [`series`](Self::series) and
/// [`weights`](Self::weights) are not a number in every entry, which oracles and learners refuse by name.
///
/// # What bounds assume
/// Features of exact dynamics satisfy `||phi(x)|| <= 1` at every augmented state x, because they are means of
/// phi(s, a). [`bounds`](SequenceFeatures::bounds), [`series`](Self::series) and [`Cursor::remaining`] take that for
/// granted of what was made by [`new`](Self::new); bounds stop doing so, and are infinite, once a prefix shows longer
/// features. Features of estimated dynamics may be longer: [`estimated`](Self::estimated) takes nothing for
/// granted, so that what an oracle certifies holds for psi as estimated.
///
/// # Example
/// ```
/// use nalgebra::Const;
/// use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures};
/// use sporadic::model::gallery;
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.99)?;
/// let phi = OneHot::with_dim(6, 2, Const::<12>)?;
/// let psi = Psi::new(phi, Dynamics::one_hot(&swim, phi))?;
/// let v = psi.psi(&0, &"111(01)".parse()?); // in R^24, on the stack
/// assert!(v.norm() <= 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Psi<T: Real, F: FeatureMap<T>> {
    phi: F,
    dynamics: Dynamics<T, F::Dim>,
    /// Whether the series was shown to converge for every sequence.
    contractive: bool,
    is_estimated: bool,
    rounds: Rounds<OMatrix<T, F::Dim, F::Dim>>,
}

/// Why there is no psi.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PsiError {
    /// Features and dynamics of different dimensions.
    #[error("phi has dimension {features}, but the action matrices are {matrices} x {matrices}")]
    Dimension {
        /// The dimension of phi.
        features: usize,
        /// That of the action matrices.
        matrices: usize,
    },
    /// The series of psi diverges for sequences that end in this period.
    #[error(
        "psi diverges: gamma (1 - beta) M over the period {period:?} has spectral radius {radius} per action"
    )]
    Divergent {
        /// The actions that are repeated forever.
        period: Vec<Action>,
        /// The spectral radius of their product, to the power 1 / length: 1 or more.
        radius: f64,
    },
}

impl<T: Real, F: FeatureMap<T, Dim: FeatureDim>> Psi<T, F> {
    /// psi of these features under exact dynamics: those of a linear MDP with `||phi(s, a)|| <= 1`.
    ///
    /// # Errors
    /// [`PsiError`] if their dimensions differ, or psi diverges where one action is held forever.
    ///
    /// # Example
    /// ```
    /// use nalgebra::dmatrix;
    /// use sporadic::features::{Dynamics, OneHot, Psi, PsiError};
    /// let wild = Dynamics::new(vec![dmatrix![1.2]], vec![0.0], 0.9)?;
    /// let error = Psi::new(OneHot::new(1, 1), wild).unwrap_err();
    /// assert!(matches!(error, PsiError::Divergent { period, .. } if period == [0]));
    /// # Ok::<(), sporadic::features::DynamicsError>(())
    /// ```
    pub fn new(phi: F, dynamics: Dynamics<T, F::Dim>) -> Result<Self, PsiError> {
        let (features, matrices) = (phi.dim().value(), dynamics.dim().value());
        if features != matrices {
            return Err(PsiError::Dimension { features, matrices });
        }
        let contractive = is_contractive(&dynamics);
        let psi =
            Self { phi, dynamics, contractive, is_estimated: false, rounds: Rounds::default() };
        for a in 0..psi.dynamics.num_actions() {
            psi.check_period(&[a])?;
        }
        Ok(psi)
    }

    /// psi of these features under dynamics that may be those of no MDP, such as estimates.
    ///
    /// Its values are those of [`new`](Self::new); its [`bounds`](SequenceFeatures::bounds) do not assume
    /// `||phi(x)|| <= 1`, but follow from norms of the action matrices. They are infinite, so that oracles cannot
    /// prune, where the largest norm times gamma (1 - beta) is not below 1.
    ///
    /// # Errors
    /// [`PsiError`] as [`new`](Self::new) gives it.
    pub fn estimated(phi: F, dynamics: Dynamics<T, F::Dim>) -> Result<Self, PsiError> {
        Ok(Self { is_estimated: true, ..Self::new(phi, dynamics)? })
    }

    /// Whether the dynamics were declared to be [estimated](Self::estimated).
    pub fn is_estimated(&self) -> bool {
        self.is_estimated
    }

    /// psi of state `s` and sequence `seq`, or why there is none.
    ///
    /// # Errors
    /// [`PsiError::Divergent`] if the series of psi diverges.
    ///
    /// # Panics
    /// If an action of `seq` is not the model's.
    ///
    /// # Example
    /// Two matrices of spectral radius 0 whose product has 4: psi exists where one action is held, and
    /// not where they alternate.
    /// ```
    /// use nalgebra::dmatrix;
    /// use sporadic::features::{Dynamics, OneHot, Psi, PsiError};
    /// let (up, down) = (dmatrix![0.0, 2.0; 0.0, 0.0], dmatrix![0.0, 0.0; 2.0, 0.0]);
    /// let psi = Psi::new(OneHot::new(1, 2), Dynamics::new(vec![up, down], vec![0.0; 2], 0.9)?)?;
    /// assert!(psi.try_psi(&0, &"01(1)".parse()?).is_ok());
    /// let error = psi.try_psi(&0, &"(01)".parse()?).unwrap_err();
    /// assert!(matches!(error, PsiError::Divergent { radius, .. } if (radius - 1.8).abs() < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_psi(
        &self,
        s: &F::State,
        seq: &ActionSequence,
    ) -> Result<OVector<T, Doubled<F::Dim>>, PsiError> {
        let (head, period) = self.split(seq);
        if self.goes_on(&head) {
            self.check_period(&period)?;
        }
        Ok(self.closed(s, &head, &period, &self.all_rounds(&period)))
    }

    /// Refuses a period over which the series of psi diverges.
    fn check_period(&self, period: &[Action]) -> Result<(), PsiError> {
        if self.contractive {
            return Ok(());
        }
        check_period(&self.dynamics, period)
            .map_err(|radius| PsiError::Divergent { period: period.to_vec(), radius })
    }

    /// Whether anything follows `head`: not if one of its actions reveals for sure.
    fn goes_on(&self, head: &[Action]) -> bool {
        self.goes_on_from(head, 0)
    }

    /// Whether anything follows `head` if `age` other actions were taken since the last sighting.
    fn goes_on_from(&self, head: &[Action], age: usize) -> bool {
        let mut ages = head.iter().zip(age + 1..);
        ages.all(|(&a, age)| self.dynamics.blind_at(a, age) > T::zero())
    }

    /// The features phi.
    pub fn phi(&self) -> &F {
        &self.phi
    }

    /// The dynamics.
    pub fn dynamics(&self) -> &Dynamics<T, F::Dim> {
        &self.dynamics
    }

    /// A cursor at state `s`, before the first action.
    pub fn cursor(&self, s: F::State) -> Cursor<'_, T, F> {
        Cursor::new(self, s)
    }

    /// psi by its defining series, cut where the rest is at most `tolerance` in norm.
    ///
    /// The bound on the rest holds for dynamics with `||phi(x)|| <= 1`, so for exact ones. Not a number
    /// where the series diverges.
    ///
    /// # Complexity
    /// log(tolerance) / log(gamma (1 - beta_min)) terms of d^2 each.
    pub fn series(
        &self,
        s: F::State,
        seq: &ActionSequence,
        tolerance: T,
    ) -> OVector<T, Doubled<F::Dim>> {
        let (head, period) = self.split(seq);
        if self.goes_on(&head) && self.check_period(&period).is_err() {
            let dim = self.dynamics.dim().double();
            return OVector::from_element_generic(dim, U1, T::of(f64::NAN));
        }
        let mut cursor = self.cursor(s);
        for a in seq.iter() {
            cursor.push(a);
            if cursor.remaining() <= tolerance {
                break;
            }
        }
        cursor.psi()
    }

    /// The matrix W with psi(s, a) = 1/2 W^T phi(s, a_1) for every state s: d x 2d, independent
    /// of the state, so that many states cost one product.
    ///
    /// It follows from the tail by W(a t) = [(1 - gamma) I, gamma beta I] + gamma (1 - beta) M W(t),
    /// M being the matrix of the first action of t. Not a number where the series of psi diverges.
    ///
    /// # Complexity
    /// (P + L) products of d x d matrices and one inverse.
    pub fn weights(&self, seq: &ActionSequence) -> Batch<T, F::Dim> {
        self.weights_from(seq, 0)
    }

    /// W for a sequence whose first action is the one after `age` others since the last sighting.
    pub(super) fn weights_from(&self, seq: &ActionSequence, age: usize) -> Batch<T, F::Dim> {
        let (head, period) = self.split(seq);
        let dim = self.dynamics.dim();
        let d = dim.value();
        // Halves of W for the period alone: the sum over one round, then over all of them.
        let zero = OMatrix::<T, F::Dim, F::Dim>::zeros_generic(dim, dim);
        let (mut one, mut two) = (zero.clone(), zero);
        for &a in period.iter().rev() {
            self.prepend_blind(a, &mut one, &mut two);
        }
        if self.goes_on_from(&head, age) {
            let rounds = self.all_rounds(&period);
            one = product(&rounds, &one);
            two = product(&rounds, &two);
        }
        for (i, &a) in head.iter().enumerate().rev() {
            // The first action enters through phi, not through its matrix.
            let discount = self.dynamics.blind_at(a, age + i + 1);
            one *= discount;
            two *= discount;
            let beta = self.dynamics.beta_at(a, age + i + 1);
            for j in 0..d {
                one[(j, j)] += T::one();
                two[(j, j)] += beta;
            }
            if i > 0 {
                one = product(self.dynamics.matrix(a), &one);
                two = product(self.dynamics.matrix(a), &two);
            }
        }
        let gamma = self.dynamics.gamma();
        Batch::from_fn_generic(dim, Dyn(2 * d), |i, j| {
            if j < d { (T::one() - gamma) * one[(i, j)] } else { gamma * two[(i, j - d)] }
        })
    }

    /// X becomes M_a (I + gamma (1 - beta) X), and with beta I in place of I for the second half.
    fn prepend_blind(
        &self,
        a: Action,
        one: &mut OMatrix<T, F::Dim, F::Dim>,
        two: &mut OMatrix<T, F::Dim, F::Dim>,
    ) {
        let (discount, beta) = (self.dynamics.blind(a), self.dynamics.beta(a));
        for (half, unit) in [(one, T::one()), (two, beta)] {
            *half *= discount;
            for j in 0..half.nrows() {
                half[(j, j)] += unit;
            }
            *half = product(self.dynamics.matrix(a), half);
        }
    }

    /// (I - Psi)^-1 with Psi the product of gamma (1 - beta) M over one period: the sum of its
    /// powers. Not a number where the powers have no sum, which only estimated dynamics can do.
    fn all_rounds(&self, period: &[Action]) -> OMatrix<T, F::Dim, F::Dim> {
        let dim = self.dynamics.dim();
        let nothing = || OMatrix::from_element_generic(dim, dim, T::of(f64::NAN));
        if self.check_period(period).is_err() {
            return nothing();
        }
        let mut round = OMatrix::<T, F::Dim, F::Dim>::identity_generic(dim, dim);
        for &a in period {
            round = product(&round, self.dynamics.matrix(a)) * self.dynamics.blind(a);
        }
        let rest = OMatrix::<T, F::Dim, F::Dim>::identity_generic(dim, dim) - round;
        rest.try_inverse().unwrap_or_else(nothing)
    }

    /// A sequence as a head of at least one action, which enters through phi, and a period all of whose
    /// actions have ages at which no reveal probability changes any more: where the prefix is too short,
    /// actions of the period go to the head, and the period turns.
    fn split(&self, seq: &ActionSequence) -> (Vec<Action>, Vec<Action>) {
        let (mut head, mut period) = (seq.prefix().to_vec(), seq.period().to_vec());
        let needed = (self.dynamics.ages() - 1).max(1);
        if head.len() < needed {
            let turns = (needed - head.len()) % period.len();
            head.extend(seq.iter().take(needed).skip(seq.prefix().len()));
            period.rotate_left(turns);
        }
        (head, period)
    }

    /// psi by the closed form, given the inverse for the period of `split(seq)`.
    fn closed(
        &self,
        s: &F::State,
        head: &[Action],
        period: &[Action],
        rounds: &OMatrix<T, F::Dim, F::Dim>,
    ) -> OVector<T, Doubled<F::Dim>> {
        let mut sums = Sums::new(&self.dynamics);
        let mut v = self.phi.phi(s, head[0]);
        sums.add(&self.dynamics, head[0], &v);
        for &a in &head[1..] {
            v = self.dynamics.matrix(a).tr_mul(&v);
            sums.add(&self.dynamics, a, &v);
        }
        // Nothing follows a sure sighting, not even something that is not a number.
        if sums.weight > T::zero() {
            v = rounds.tr_mul(&v);
            for &a in period {
                v = self.dynamics.matrix(a).tr_mul(&v);
                sums.add(&self.dynamics, a, &v);
            }
        }
        sums.join(self.dynamics.gamma())
    }
}

impl<T: Real, F: FeatureMap<T>> Dimensional for Psi<T, F> {
    type Dim = F::Dim;

    fn dim(&self) -> F::Dim {
        self.dynamics.dim()
    }
}

impl<T: Real, F: FeatureMap<T, Dim: FeatureDim>> SequenceFeatures<T> for Psi<T, F> {
    type State = F::State;

    fn num_actions(&self) -> usize {
        self.dynamics.num_actions()
    }

    fn gamma(&self) -> T {
        self.dynamics.gamma()
    }

    fn blind(&self, a: Action) -> T {
        self.dynamics.gamma() * (T::one() - self.dynamics.schedule().least(a))
    }

    fn blind_at(&self, a: Action, age: usize) -> T {
        self.dynamics.blind_at(a, age)
    }

    fn ages(&self) -> usize {
        self.dynamics.ages()
    }

    fn psi(&self, s: &F::State, seq: &ActionSequence) -> OVector<T, Doubled<F::Dim>> {
        let (head, period) = self.split(seq);
        let size = self.dim().value().saturating_pow(2);
        let rounds = self.rounds.get(&period, size, |period| self.all_rounds(period));
        self.closed(s, &head, &period, &rounds)
    }

    /// Sequences with the same period share its inverse.
    fn batch(&self, s: &F::State, family: &[ActionSequence]) -> Batch<T, Doubled<F::Dim>> {
        let mut inverses = HashMap::new();
        let mut batch = Batch::zeros_generic(self.dim().double(), Dyn(family.len()));
        for (j, seq) in family.iter().enumerate() {
            let (head, period) = self.split(seq);
            let rounds = inverses.entry(period.clone()).or_insert_with(|| self.all_rounds(&period));
            batch.set_column(j, &self.closed(s, &head, &period, rounds));
        }
        batch
    }

    fn factors(&self) -> Option<Box<dyn FactoredFeatures<T, F::State> + '_>> {
        Some(Box::new(self))
    }

    /// From the part of psi that a prefix decides and the norms of what can follow, which are at most 1 for exact
    /// dynamics and follow from the action matrices for [estimated](Psi::estimated) ones.
    fn bounds<'a>(&'a self, k: &Optimism, _: usize) -> Option<Box<dyn PrefixBounds<F::State> + 'a>>
    where
        F::State: Clone,
    {
        k.is_finite().then(|| Box::new(ProductBounds::new(self, k)) as _)
    }
}
