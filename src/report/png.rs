//! An SVG as PNG.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

use super::ReportError;

/// The only fonts there are: a picture must not depend on what a machine has installed.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// Renders the SVG of the figure called `title`.
pub(super) fn render(title: &str, svg: &str, scale: f32) -> Result<Vec<u8>, ReportError> {
    if !(0.1..=10.0).contains(&scale) {
        return Err(ReportError::Scale { scale });
    }
    let fail = |source| ReportError::Draw { figure: title.to_owned(), source };
    let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|fault| fail(Box::new(fault)))?;
    let size = tree.size().to_int_size();
    let size = size.scale_by(scale).unwrap_or(size);
    let mut picture = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| fail("a picture without pixels".into()))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|fault| fail(Box::new(fault)))
}
