//! `[[bundle]]`: what is read of wires, tape and conduit, and what is said of mistakes in them.

use flexline::section::Core;
use flexline_scene::Scene;

const ENDS: &str = "[cable]\nlength = \"380 mm\"\nbundle = \"trunk\"\n[start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n\
    [end]\nhold = \"pinned\"\nposition = [\"250 mm\", \"80 mm\", 0]\n";

fn scene(bundle: &str) -> String {
    format!("version = 1\n[[bundle]]\nname = \"trunk\"\n{bundle}\n{ENDS}")
}

#[test]
fn every_key_is_read() {
    let text = scene(
        "wire = [{ count = 12, gauge = \"0.5 mm^2\", diameter = \"1.6 mm\", mass_per_length = \"6 g/m\", bend_radius = \"4.8 mm\" },\n\
         { diameter = \"5 mm\", bend = \"0.02 N m^2\", twist = \"0.015 N m^2\", mass_per_length = \"38 g/m\" },\n\
         { diameter = \"2 mm\", material = \"pa6\" }]\n\
         tape = { thickness = \"0.3 mm\", mass_per_length = \"8 g/m\" }\n\
         conduit = { outer_diameter = \"16 mm\", inner_diameter = \"13 mm\", wall = \"0.3 mm\", slit = true, material = \"pa6\", mass_per_length = \"20 g/m\" }\n\
         fill = 0.8\nbond = 0.5",
    );
    let scene = Scene::parse(&text, "bundle.toml").unwrap_or_else(|error| panic!("{error}"));
    let own = &scene.bundles[0];
    let bundle = &own.bundle;
    assert_eq!((own.name.as_str(), bundle.wires.len(), bundle.fill, bundle.bond), ("trunk", 3, 0.8, 0.5));
    let [thin, measured, solid] = &bundle.wires[..] else { panic!("three kinds of wires") };
    assert_eq!((thin.count, thin.bend_radius), (12, Some(4.8e-3)));
    assert!(matches!(thin.core, Core::Copper(area) if (area - 0.5e-6).abs() < 1e-18), "{:?}", thin.core);
    assert!(matches!(measured.core, Core::Measured { bend: 0.02, twist: 0.015 }) && measured.count == 1);
    assert!(matches!(&solid.core, Core::Solid(own) if &*own.name == "pa6"));
    let conduit = bundle.conduit.as_ref().unwrap();
    assert!((conduit.outer - 0.016).abs() < 1e-12 && (conduit.wall - 0.3e-3).abs() < 1e-12 && conduit.slit);
    // What it weighs: 12 · 6 + 38 + the rod of polyamide + 8 + 20 g/m.
    let section = bundle.section().unwrap();
    let rod = section.mass_per_length - 0.138;
    assert!((2e-3..6e-3).contains(&rod), "{} kg/m", section.mass_per_length);
    // It is the section of the cable, as wide as the conduit.
    let compiled = scene.compile().unwrap_or_else(|error| panic!("{error}"));
    let here = compiled.cables[0].section.at(0.1);
    assert!((here.contact_radius - 0.008).abs() < 1e-12 && here.mass_per_length == section.mass_per_length);
}

#[test]
fn mistakes_name_the_key_and_the_remedy() {
    let wire = "wire = [{ gauge = \"0.5 mm^2\", diameter = \"1.6 mm\" }]";
    for (bundle, path, told) in [
        ("fill = 0.8".to_owned(), "wire", "say what is in it"),
        ("wire = [{ diameter = \"1.6 mm\" }]".into(), "gauge", "say what carries"),
        ("wire = [{ gauge = \"0.5 mm^2\" }]".into(), "diameter", "diameter"),
        (
            "wire = [{ count = 0, gauge = \"0.5 mm^2\", diameter = \"1.6 mm\" }]".into(),
            "count",
            "whole number",
        ),
        ("wire = [{ material = \"pa7\", diameter = \"1.6 mm\" }]".into(), "material", "did you mean"),
        (format!("{wire}\nbond = 2"), "bond", "0 (wires slip) to 1"),
        (format!("{wire}\ntape = {{ material = \"pa6\" }}"), "thickness", "thickness"),
        (
            format!(
                "{wire}\nconduit = {{ outer_diameter = \"8 mm\", inner_diameter = \"9 mm\", material = \"pa6\" }}"
            ),
            "inner_diameter",
            "does not fit into the conduit",
        ),
        (format!("{wire}\nwrapping = \"tape\""), "bundle", "unknown key `wrapping`"),
        (format!("{wire}\n[[bundle]]\nname = \"trunk\"\n{wire}"), "name", "another bundle"),
    ] {
        let error = Scene::parse(&scene(&bundle), "bundle.toml").expect_err(&bundle);
        let text = error.to_string();
        assert!(error.diagnostics.iter().any(|d| d.path.contains(path)), "{bundle}: {text}");
        assert!(text.contains(told), "{bundle}: {text}");
    }
    let error = Scene::parse(&scene(wire).replace("bundle = \"trunk\"", "bundle = \"trnk\""), "bundle.toml")
        .unwrap_err();
    assert!(error.to_string().contains("trunk"), "{error}");
}
