//! The sheet as SVG: one unit is one millimetre.

use super::Sheet;
use super::sheet::{Layer, Mark};
use crate::xml::escaped;
use std::fmt::Write;

impl Sheet {
    /// The file.
    pub fn to_svg(&self) -> String {
        let (w, h) = (self.width, self.height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}mm\" height=\"{h}mm\" viewBox=\"0 0 {w} {h}\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>{}</title>\n<rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n",
            escaped(&self.title)
        );
        for layer in Layer::ALL {
            let ([r, g, b], _) = layer.colour();
            let colour =
                format!("#{:02x}{:02x}{:02x}", (255.0 * r) as u8, (255.0 * g) as u8, (255.0 * b) as u8);
            let _ = writeln!(
                out,
                "<g id=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\">",
                layer.name(),
                layer.width()
            );
            for (_, mark) in self.marks.iter().filter(|own| own.0 == layer) {
                let _ = match mark {
                    Mark::Line { points, name } => {
                        let all: Vec<String> =
                            points.iter().map(|p| format!("{:.4},{:.4}", p[0], h - p[1])).collect();
                        let data = if name.is_empty() {
                            String::new()
                        } else {
                            format!(" data-name=\"{}\"", escaped(name))
                        };
                        writeln!(out, "<polyline points=\"{}\"{data}/>", all.join(" "))
                    }
                    Mark::Circle { centre, radius } => {
                        writeln!(
                            out,
                            "<circle cx=\"{:.4}\" cy=\"{:.4}\" r=\"{radius}\"/>",
                            centre[0],
                            h - centre[1]
                        )
                    }
                    Mark::Letters { at, height, angle, text } => writeln!(
                        out,
                        "<text x=\"{x:.3}\" y=\"{y:.3}\" font-size=\"{:.2}\" transform=\"rotate({:.3} {x:.3} {y:.3})\" fill=\"{colour}\" stroke=\"none\">{}</text>",
                        height * 1.4,
                        -angle,
                        escaped(text),
                        x = at[0],
                        y = h - at[1]
                    ),
                };
            }
            out.push_str("</g>\n");
        }
        out.push_str("</svg>\n");
        out
    }
}
