// A stand-in for the server during development of the page: speaks the protocol, with curves instead of mechanics.
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const port = Number(process.env.PORT ?? 4180);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const NODES = Number(process.env.NODES ?? 101);
const CABLES = Number(process.env.CABLES ?? 2);

const things = [];
const cables = [];
for (let i = 0; i < CABLES; i++) {
  const y = 0.06 * i;
  for (const [name, x, z] of [[`port ${i}a`, 0, 0], [`port ${i}b`, 0.3, 0.05]]) {
    things.push({ kind: "port", name, anchor: things.length, hold: "clamped", slides: [false, false, false], mass: 0,
      cable: null, at: null, radius: null, position: [x, y, z] });
  }
  cables.push({ name: `cable ${i}`, part: "brake-hose", kind: "part", model: "mixed", length: 0.42, resolution: 100,
    from: `port ${i}a`, to: `port ${i}b`, radius: 0.005, twist: 0, routed: false, use: "static", min_bend_radius: 0.05,
    max_tension: 40, bend: 0.05, torsion: 0.04, first: i * NODES, count: NODES });
}
let revision = 1;
let number = 0;
let undo = 0;
const hands = new Map();
const stamps = {};

function scene() {
  return { revision, name: "mock", title: "Mock", description: null, text: "", single: false, gravity: [0, 0, -9.81], undo,
    redo: 0, mode: "statics", playing: false, recorded: 0, cables, things: things,
    tables: [], keys: {}, meshes: [] };
}

function frame() {
  const trailer = Buffer.from(JSON.stringify({ status: "converged", line: "converged", iterations: 4, residual: 1e-9,
    violation: 1e-12, unstable: 0, solve_ms: 0.1, time: null, energy: null, short: [],
    turns: cables.map((c) => c.twist / 2 / Math.PI), lengths: cables.map((c) => c.length), stamps, preview: false,
    scrub: null }));
  const nodes = NODES * CABLES;
  const buffer = Buffer.alloc(32 + nodes * 48 + things.length * 32 + trailer.length);
  buffer.write("FLX1");
  [revision, ++number, nodes, things.length, trailer.length].forEach((v, i) => buffer.writeUInt32LE(v, 4 + 4 * i));
  const put = (at, values) => values.forEach((v, i) => buffer.writeFloatLE(v, at + 4 * i));
  cables.forEach((cable, c) => {
    const a = things[2 * c].position;
    const b = things[2 * c + 1].position;
    const held = [...hands.values()].find((h) => h.cable === cable.name && h.to);
    const at = (t) => {
      const sag = -0.6 * t * (1 - t) + 0.0;
      const p = [0, 1, 2].map((k) => a[k] + (b[k] - a[k]) * t + (k === 2 ? sag : 0));
      if (held) {
        const w = Math.exp(-(((t - held.at / cable.length) / 0.15) ** 2)) * t * (1 - t) * 4;
        for (let k = 0; k < 3; k++) p[k] += w * (held.to[k] - held.from[k]);
      }
      return p;
    };
    for (let i = 0; i < NODES; i++) {
      const t = i / (NODES - 1);
      const p = at(t);
      const [p0, p1] = [at(t - 1e-3), at(t + 1e-3)];
      const d = p1.map((v, k) => v - p0[k]);
      const l = Math.hypot(...d);
      const [x, y, z] = d.map((v) => v / l);
      // From z to the tangent, then about it.
      let q = [-y, x, 0, 1 + z];
      const n = Math.hypot(...q) || 1;
      q = q.map((v) => v / n);
      const half = (cable.twist * t) / 2;
      const [s, w] = [Math.sin(half), Math.cos(half)];
      q = [q[0] * w + q[1] * s, q[1] * w - q[0] * s, q[2] * w + q[3] * s, q[3] * w - q[2] * s];
      const node = c * NODES + i;
      put(32 + node * 16, [...p, t * cable.length]);
      put(32 + nodes * 16 + node * 16, q);
      put(32 + nodes * 32 + node * 16, [4 + 20 * t * (1 - t) * 4, cable.twist / cable.length, 2 - 4 * t, 0.1 + 0.3 * t]);
    }
  });
  things.forEach((thing, i) => put(32 + nodes * 48 + i * 32, [...thing.position, 0, 0, 0, 0, 1]));
  trailer.copy(buffer, 32 + nodes * 48 + things.length * 32);
  return buffer;
}

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://mock").pathname;
  if (path.startsWith("/api/")) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(path === "/api/sessions" ? [{ name: "mock", title: "Mock", clients: 0, changes: 0 }] : []));
    return;
  }
  const file = join(dist, normalize(path === "/" ? "/index.html" : path));
  if (!file.startsWith(dist) || !existsSync(file)) {
    response.statusCode = 404;
    response.end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
  response.setHeader("content-security-policy", "default-src 'self'");
  createReadStream(file).pipe(response);
});

const sockets = new WebSocketServer({ server, path: "/ws" });
const everybody = (data) => sockets.clients.forEach((one) => one.send(data));
const tell = (event, fields) => everybody(JSON.stringify({ event, ...fields }));
const changed = () => {
  revision++;
  undo++;
  tell("scene", { scene: scene() });
  everybody(frame());
};

function answer(client, message) {
  switch (message.op) {
    case "grab": {
      const thing = things.find((one) => one.name === message.name);
      const own = { ...message, to: null, from: null };
      hands.set(message.hand, own);
      return { position: thing?.position ?? [0, 0, 0], frame: [0, 0, 0, 1] };
    }
    case "drag": {
      const hand = hands.get(message.hand);
      if (!hand) return null;
      const thing = things.find((one) => one.name === hand.name);
      if (thing) thing.position = message.to;
      hand.from ??= message.to;
      hand.to = message.to;
      stamps[client] = message.stamp;
      everybody(frame());
      return null;
    }
    case "drop":
      hands.delete(message.hand);
      changed();
      return { changes: [], status: "converged" };
    case "preview":
    case "command":
      if (message.command.do === "turn") cables.find((c) => c.name === message.command.cable).twist = message.command.to;
      if (message.op === "command") changed();
      else everybody(frame());
      return { changes: [], status: "converged" };
    default:
      return {};
  }
}

let clients = 0;
sockets.on("connection", (socket) => {
  const client = ++clients;
  const say = (object) => socket.send(JSON.stringify(object));
  say({ event: "welcome", client, session: "mock", version: "mock" });
  say({ event: "scene", scene: scene() });
  say({ event: "checks", findings: [{ cable: "cable 0", rule: "bend radius", verdict: "fail", value: 0.04, limit: 0.05,
    unit: "m", utilisation: 1.2, s: 0.21, position: [0.15, 0, -0.1], message: "too tight" }] });
  socket.send(frame());
  socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    const ok = answer(client, message);
    if (message.id !== undefined) say({ reply: message.id, ok });
  });
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
