//! Cables from files of other programs: hoses that are obstacles so far, and lines. What is answered are commands; the page gives
//! them as one, so that they are journaled and undone like anything else.

use super::App;
use super::answer::{Refusal, bad, missing};
use super::api::{Asked, read_body, session};
use crate::engine::{Export, NoFile};
use crate::limits;
use crate::wire::{CablesFound, FoundCable, FoundNode, MakeFlexible};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use flexline::Vec3;
use flexline::section::materials;
use flexline_exchange::curve::Curves;
use flexline_exchange::drawing::Up;
use flexline_exchange::flexible::{Flexible, Rest};
use flexline_exchange::mesh::Mesh;
use flexline_scene::units::{Dimension, parse};
use flexline_session::command::Command;
use flexline_session::import::{Plan, fresh, known_material, length_of, stretch_of};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Points of a cable that are shown.
const SHOWN: usize = 200;

/// `POST /api/sessions/S/flexible`: an obstacle of triangles, or a stretch of it, as cables.
pub async fn flexible(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<CablesFound>, Refusal> {
    let live = session(&app, &name).await?;
    let bytes = read_body(&headers, body, limits::MESSAGE, "the request").await?;
    let asked: MakeFlexible = serde_json::from_slice(&bytes).map_err(|error| {
        bad(format!("the body is no request: {error}; expected {{\"obstacle\": \"hose\"}}"))
    })?;
    let material = asked.material.as_deref().map(known).transpose()?;
    let file = |error| match error {
        NoFile::Missing(message) => missing(message),
        NoFile::Unfit(message) => bad(message),
    };
    let surface =
        live.engine.export(Export::Surface { obstacle: asked.obstacle.clone() }).await.map_err(file)?;
    let text = live.engine.export(Export::Scene).await.map_err(file)?;
    let work = move || -> Result<CablesFound, String> {
        let mesh = Mesh::from_bytes(&surface).ok_or("the surface cannot be read")?;
        let vertices: Vec<Vec3> = mesh.vertices.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
        let (found, left) =
            stretch_of(&vertices, &mesh.triangles, asked.between.map(|own| own.map(Vec3::from)))?;
        if let Some(reason) = &found.refused {
            return Err(format!("'{}' is no hose or cable: {reason}", asked.obstacle));
        }
        let Some(material) = material else { return answer(&found, Vec::new(), Vec::new()) };
        let base = fresh(&format!("{} cable", asked.obstacle), &String::from_utf8_lossy(&text));
        let rest = if asked.straight { Rest::Straight } else { Rest::Drawn };
        let mut plan = Plan::default();
        plan.commands.push(json!({ "do": "remove", "kind": "obstacle", "name": asked.obstacle }));
        plan.cables(&found, left.as_ref(), &base, &material, rest);
        plan.place(|file| live.meshes.add(file.path.rsplit('/').next().unwrap_or("mesh"), &file.bytes))?;
        answer(&found, plan.commands, Vec::new())
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| bad("the surface cannot be read"))?;
    done.map(Json).map_err(bad)
}

/// `POST /api/sessions/S/centreline?name=N&unit=mm&radius=4mm&material=M&straight=true`: lines of a file as cables.
pub async fn centreline(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<CablesFound>, Refusal> {
    let live = session(&app, &name).await?;
    let bytes = read_body(&headers, body, limits::MESH, "the file").await?;
    let length = |key: &str| {
        asked.get(key).map(|text| {
            let own = parse(text, Dimension::Length).ok().filter(|x| *x > 0.0 && x.is_finite());
            own.ok_or_else(|| {
                bad(format!(
                    "`{key}` = '{}' is no length: expected one such as 4mm",
                    text.chars().take(40).collect::<String>()
                ))
            })
        })
    };
    let unit = asked.get("unit").map(|word| length_of(word)).transpose().map_err(bad)?;
    let radius = length("radius").transpose()?;
    let material = asked.get("material").map(|word| known(word)).transpose()?;
    let rest =
        if asked.get("straight").is_some_and(|word| word == "true") { Rest::Straight } else { Rest::Drawn };
    let label = asked.get("name").cloned().unwrap_or_else(|| "cable".into());
    let text = live.engine.export(Export::Scene).await.map_err(|_| bad("there is no scene"))?;
    let work = move || -> Result<CablesFound, String> {
        let curves = Curves::read(&bytes).map_err(|error| error.to_string())?;
        let mut needs = Vec::new();
        if unit.or(curves.unit).is_none() {
            needs.push("unit".to_owned());
        }
        if radius.is_none() && curves.curves.iter().any(|own| own.radii.is_empty()) {
            needs.push("radius".to_owned());
        }
        if material.is_none() {
            needs.push("material".to_owned());
        }
        let found = curves.to_flexible(unit.or(curves.unit).unwrap_or(1e-3), Up::Z, radius.or(Some(1e-3)))?;
        let mut commands = Vec::new();
        if let (Some(material), true) = (material, needs.is_empty()) {
            let stem = label.rsplit_once('.').map_or(label.as_str(), |own| own.0);
            let base = fresh(&format!("{stem} cable"), &String::from_utf8_lossy(&text));
            commands = found.to_commands(&base, &material, rest);
        }
        answer(&found, commands, needs)
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| bad("the file cannot be read"))?;
    done.map(Json).map_err(bad)
}

/// A material of the library.
fn known(name: &str) -> Result<String, Refusal> {
    known_material(name).map_err(bad)?;
    Ok(name.to_owned())
}

fn answer(found: &Flexible, commands: Vec<Value>, needs: Vec<String>) -> Result<CablesFound, String> {
    let node = |own: &flexline_exchange::flexible::Node| FoundNode {
        position: own.at.into(),
        junction: own.junction,
    };
    let cable = |own: &flexline_exchange::flexible::Span| {
        let step = 1 + own.points.len() / SHOWN;
        let points = own.points.iter().step_by(step).chain(own.points.last());
        FoundCable {
            length: own.length,
            diameter: 2.0 * own.radius.iter().sum::<f64>() / own.radius.len().max(1) as f64,
            bore: own.bore.map(|bore| 2.0 * bore),
            points: points.map(|p| (*p).into()).collect(),
        }
    };
    let typed = |value: &Value| Command::from_json(&value.to_string()).map_err(|error| error.to_string());
    Ok(CablesFound {
        nodes: found.nodes.iter().map(node).collect(),
        cables: found.spans.iter().map(cable).collect(),
        warnings: found.warnings.clone(),
        materials: materials().iter().map(|own| own.name.to_string()).collect(),
        needs,
        commands: commands.iter().map(typed).collect::<Result<_, _>>()?,
    })
}

/// Now, by the calendar and without a zone.
pub(super) fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |own| own.as_secs());
    flexline_exchange::centreline::date(seconds)
}
