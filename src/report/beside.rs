//! Two experiments in the same worlds, side by side.

use super::draw::{MULTIPLE, OutcomeFigure, Quantity, sheets};
use super::{Figure, ReportError, SmallMultiples};
use crate::experiment::Outcome;

impl Outcome {
    /// Figures that compare the agents of this experiment with those of `other` in the same worlds: for each figure of
    /// running averages the same with the class lines of `other`, and for each of regrets that of `other` and
    /// this one with the same axis. Their names end in the name of this experiment.
    ///
    /// `titles` are put behind those of the figures of `other` and of this one.
    ///
    /// # Errors
    /// [`ReportError`] if a number is not finite.
    pub fn figures_beside(
        &self,
        other: &Self,
        titles: [&str; 2],
    ) -> Result<Vec<OutcomeFigure>, ReportError> {
        let mut groups = self.groups().to_vec();
        for group in &mut groups {
            let same = other.groups().iter().find(|known| known.cell.world == group.cell.world);
            let class = same.and_then(|known| known.reference.class);
            group.reference.class = group.reference.class.or(class);
        }
        let ((mine, _), (theirs, _)) = (sheets(&groups), sheets(other.groups()));
        let mut figures = Vec::new();
        for sheet in &mine {
            let mut figure = sheet.draw()?;
            if sheet.quantity == Quantity::Regret
                && let Some(their) = theirs.iter().find(|their| their.name == sheet.name)
            {
                let both = [their.draw()?.drawing, figure.drawing];
                figure.drawing = SmallMultiples::new(&sheet.title, 2);
                for (title, drawing) in titles.into_iter().zip(both) {
                    let named = drawing.figures.into_iter().map(|figure| Figure {
                        title: format!("{}: {title}", figure.title),
                        size: MULTIPLE,
                        ..figure
                    });
                    figure.drawing.figures.extend(named);
                }
            }
            let stem = sheet.name.strip_suffix("-regret").unwrap_or(&sheet.name);
            figure.name = format!("{stem}-{}{}", self.name(), &sheet.name[stem.len()..]);
            figures.push(figure);
        }
        Ok(figures)
    }
}
