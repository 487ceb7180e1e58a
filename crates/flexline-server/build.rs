//! Builds anew when the page that is built into the program is another.

fn main() {
    // A path that is not there would be looked at as changed every time.
    let page = "../../web/dist";
    let watched = if std::path::Path::new(page).exists() { page } else { "../../web" };
    println!("cargo:rerun-if-changed={watched}");
    println!("cargo:rerun-if-changed=../../scenes");
    println!("cargo:rerun-if-changed=build.rs");
}
