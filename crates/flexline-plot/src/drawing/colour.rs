//! Colours: sRGB outside, linear light for shading, OKLab for mixing (Ottosson, 2020).

/// An sRGB colour with opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// Opacity, 255 for opaque.
    pub a: u8,
}

impl Colour {
    /// White.
    pub const WHITE: Self = Self::hex(0xff_ffff);

    /// An opaque colour from 0xRRGGBB.
    pub const fn hex(rgb: u32) -> Self {
        Self { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8, a: 255 }
    }

    /// The same colour with another opacity, 0 to 1.
    pub fn with_opacity(self, opacity: f64) -> Self {
        Self { a: byte(opacity), ..self }
    }

    /// Opacity, 0 to 1.
    pub fn opacity(self) -> f64 {
        f64::from(self.a) / 255.0
    }

    /// Brightness as the eye sees it (CIE Y), 0 for black to 1 for white.
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// The colour under light of the given strength, with `gloss` of white light added.
    pub fn lit(self, strength: f64, gloss: f64) -> Self {
        let [r, g, b] = self.linear().map(|c| encode(c * strength + gloss));
        Self { r, g, b, a: self.a }
    }

    /// From this colour (t = 0) to the other (t = 1), in even steps to the eye.
    pub fn mix(self, other: Self, t: f64) -> Self {
        let t = t.clamp(0.0, 1.0);
        let (p, q) = (self.oklab(), other.oklab());
        let lab = [0, 1, 2].map(|i| p[i] + (q[i] - p[i]) * t);
        let a = f64::from(self.a) + (f64::from(other.a) - f64::from(self.a)) * t;
        Self { a: a.round() as u8, ..Self::from_oklab(lab) }
    }

    fn linear(self) -> [f64; 3] {
        [self.r, self.g, self.b].map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn oklab(self) -> [f64; 3] {
        let rgb = self.linear();
        let lms = multiply(&LMS_FROM_RGB, rgb).map(f64::cbrt);
        multiply(&LAB_FROM_LMS, lms)
    }

    fn from_oklab(lab: [f64; 3]) -> Self {
        let lms = multiply(&LMS_FROM_LAB, lab).map(|c| c * c * c);
        let [r, g, b] = multiply(&RGB_FROM_LMS, lms).map(encode);
        Self { r, g, b, a: 255 }
    }
}

const LMS_FROM_RGB: [[f64; 3]; 3] = [
    [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
    [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
    [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
];
const LAB_FROM_LMS: [[f64; 3]; 3] = [
    [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
    [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
    [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
];
const LMS_FROM_LAB: [[f64; 3]; 3] = [
    [1.0, 0.396_337_777_4, 0.215_803_757_3],
    [1.0, -0.105_561_345_8, -0.063_854_172_8],
    [1.0, -0.089_484_177_5, -1.291_485_548_0],
];
const RGB_FROM_LMS: [[f64; 3]; 3] = [
    [4.076_741_662_1, -3.307_711_591_3, 0.230_969_929_2],
    [-1.268_438_004_6, 2.609_757_401_1, -0.341_319_396_5],
    [-0.004_196_086_3, -0.703_418_614_7, 1.707_614_701_0],
];

fn multiply(m: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Linear light to an sRGB byte.
fn encode(c: f64) -> u8 {
    byte(if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 })
}

fn byte(c: f64) -> u8 {
    (c.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_keeps_the_ends_and_passes_between() {
        let (p, q) = (Colour::hex(0x1b4f72), Colour::hex(0xf5b041));
        assert_eq!((p.mix(q, 0.0), p.mix(q, 1.0)), (p, q));
        let middle = p.mix(q, 0.5).luminance();
        assert!(p.luminance() < middle && middle < q.luminance());
    }

    #[test]
    fn light_brightens_and_full_light_changes_nothing() {
        let c = Colour::hex(0x4a7fb5);
        assert_eq!(c.lit(1.0, 0.0), c);
        assert!(c.lit(0.5, 0.0).luminance() < c.luminance());
        assert!(c.lit(1.0, 0.2).luminance() > c.luminance());
        assert_eq!(c.lit(0.0, 0.0), Colour::hex(0));
    }

    #[test]
    fn luminance_of_black_and_white() {
        assert_eq!(Colour::hex(0).luminance(), 0.0);
        assert!((Colour::WHITE.luminance() - 1.0).abs() < 1e-12);
    }
}
