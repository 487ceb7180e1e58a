#![no_main]
//! Any bytes as a mesh file of any format. What is read has finite vertices, triangles of vertices that are there, and comes back from
//! its own bytes.

use flexline_exchange::mesh::Mesh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Mesh::read(bytes, 1e-3) {
        Ok(mesh) => assert_eq!(Mesh::from_bytes(&mesh.to_bytes()), Some(mesh)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
