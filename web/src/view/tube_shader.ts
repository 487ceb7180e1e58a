// The skin of the cables. One instance is one span between two nodes; the node data lie in float textures exactly as a
// frame brings them. Between nodes the centreline is the cubic that has the nodes' tangents (d3) at its ends, and the
// frame goes along the shorter way, so neighbouring spans meet in the same ring: joints are smooth.

import { MAP_ROWS } from "./maps";

/** Texels in a row of the node textures. */
export const ROW = 1024;

const NODES = /* glsl */ `
uniform highp sampler2D points;
uniform highp sampler2D frames;
uniform highp sampler2D loads;
uniform highp sampler2D cables;
uniform float pixels;

ivec2 texel(int node) { return ivec2(node % ${ROW}, node / ${ROW}); }
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

/** Size in the world of one pixel at a point. */
float pixel(vec3 at) {
  vec4 clip = projectionMatrix * modelViewMatrix * vec4(at, 1.0);
  return 2.0 * clip.w / (pixels * projectionMatrix[1][1] * length(modelMatrix[0].xyz));
}
`;

export const TUBE_VERTEX = /* glsl */ `
precision highp float;
precision highp int;
#include <common>
#include <clipping_planes_pars_vertex>
${NODES}
uniform int channel;
uniform bool shares;
uniform vec2 range;
uniform float outline;
uniform float slimmest;
/** Height of the ground that a shadow is drawn on; above 1e9 none is meant. */
uniform float ground;
in vec4 place;
in vec3 span;
out vec3 vNormalView;
out vec3 vView;
out vec2 vAround;
out float vValue;
/** Zero where a share of a limit is shown and no limit is known. */
flat out float vKnown;
out vec3 vColour;
out float vCap;
/** Radius in pixels. */
out float vWide;

void main() {
  int node = int(span.x);
  int cable = int(span.y);
  int ends = int(span.z);
  vec4 look = texelFetch(cables, ivec2(0, cable), 0);
  vec4 kind = texelFetch(cables, ivec2(1, cable), 0);
  // kind: radius, smallest bend radius, state (0 hidden, 1 shown, 2 under the pointer, 3 selected), how far inside the
  // centreline that radius is measured
  bool shown = kind.z > 0.5 && (outline <= 0.0 || kind.z > 1.5);
  bool cap = place.w != 0.0;
  if (!shown || (place.w < 0.0 && (ends & 1) == 0) || (place.w > 0.0 && (ends & 2) == 0)) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  vec4 a = texelFetch(points, texel(node), 0);
  vec4 b = texelFetch(points, texel(node + 1), 0);
  vec4 qa = texelFetch(frames, texel(node), 0);
  vec4 qb = texelFetch(frames, texel(node + 1), 0);
  if (dot(qa, qb) < 0.0) qb = -qb;
  float t = place.z;
  float l = max(b.w - a.w, 1e-9);
  vec3 ta = turned(qa, vec3(0.0, 0.0, 1.0)) * l;
  vec3 tb = turned(qb, vec3(0.0, 0.0, 1.0)) * l;
  float t2 = t * t, t3 = t2 * t;
  vec3 centre = (2.0 * t3 - 3.0 * t2 + 1.0) * a.xyz + (t3 - 2.0 * t2 + t) * ta
    + (3.0 * t2 - 2.0 * t3) * b.xyz + (t3 - t2) * tb;
  vec4 q = normalize(mix(qa, qb, t));
  float px = pixel(centre);
  float radius = max(kind.x, slimmest * px) + outline * px;
  vec3 around = turned(q, vec3(place.x, place.y, 0.0));
  vec3 tangent = turned(q, vec3(0.0, 0.0, 1.0));
  vec3 position = centre + radius * around;
  vec3 normal = cap ? sign(place.w) * tangent : around;
  if (cap) position += sign(place.w) * outline * px * tangent;

  vec4 la = texelFetch(loads, texel(node), 0);
  vec4 lb = texelFetch(loads, texel(node + 1), 0);
  float value = mix(la[channel], lb[channel], t);
  if (channel == 0 && kind.y > 0.0) value *= kind.y / max(1.0 - value * kind.w, 1e-3);
  vValue = (value - range.x) / (range.y - range.x);
  vKnown = shares && kind.y <= 0.0 ? 0.0 : 1.0;
  vColour = look.rgb;
  vAround = cap ? vec2(0.0) : place.xy;
  vCap = cap ? 1.0 : 0.0;
  vWide = radius / px;

  if (ground < 1e9) position.z = ground;
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  vNormalView = normalize(mat3(modelViewMatrix) * normal);
  vView = -mvPosition.xyz;
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}
`;

export const TUBE_FRAGMENT = /* glsl */ `
precision highp float;
#include <common>
#include <clipping_planes_pars_fragment>
uniform sampler2D map;
uniform float mapRow;
uniform vec3 unknown;
uniform bool byPart;
uniform bool stripe;
uniform float outline;
uniform vec3 outlineColour;
uniform vec4 shadow;
uniform vec3 sky;
uniform vec3 earth;
uniform vec3 sunView;
uniform vec3 upView;
in vec3 vNormalView;
in vec3 vView;
in vec2 vAround;
in float vValue;
flat in float vKnown;
in vec3 vColour;
in float vCap;
in float vWide;
out vec4 colour;

void main() {
  #include <clipping_planes_fragment>
  if (shadow.a > 0.0) {
    colour = shadow;
    return;
  }
  if (outline > 0.0) {
    colour = vec4(outlineColour, 1.0);
    return;
  }
  vec3 base = byPart ? vColour : vKnown < 0.5 ? unknown
    : texture(map, vec2(clamp(vValue, 0.0, 1.0), (mapRow + 0.5) / ${MAP_ROWS}.0)).rgb;
  vec3 normal = normalize(vNormalView);
  if (!gl_FrontFacing) {
    // What a section has opened: the inside, flat and dark.
    colour = vec4(0.35 * base, 1.0);
    return;
  }
  if (stripe && vCap < 0.5) {
    float angle = abs(atan(vAround.y, vAround.x));
    float soft = fwidth(angle) + 1e-4;
    // On a thin line of pixels it would hide the colour that is meant.
    float line = (1.0 - smoothstep(0.24 - soft, 0.24 + soft, angle)) * smoothstep(2.0, 6.0, vWide);
    float light = dot(base, vec3(0.30, 0.59, 0.11));
    base = mix(base, light > 0.72 ? vec3(0.10, 0.13, 0.17) : vec3(0.97), 0.88 * line);
  }
  if (vCap > 0.5) base *= 0.72;
  vec3 toEye = normalize(vView);
  vec3 halfway = normalize(sunView + toEye);
  float hemisphere = 0.5 + 0.5 * dot(normal, upView);
  float sun = max(dot(normal, sunView), 0.0);
  float head = max(dot(normal, toEye), 0.0);
  vec3 lit = base * (mix(earth, sky, hemisphere) + 0.42 * sun + 0.24 * head);
  lit += 0.16 * pow(max(dot(normal, halfway), 0.0), 48.0);
  colour = vec4(lit, 1.0);
}
`;

export const DIRECTOR_VERTEX = /* glsl */ `
precision highp float;
precision highp int;
#include <common>
#include <clipping_planes_pars_vertex>
${NODES}
in vec2 ray;
in vec2 station;
out vec3 vColour;

void main() {
  vec4 kind = texelFetch(cables, ivec2(1, int(station.y)), 0);
  if (kind.z < 0.5) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  vec3 centre = texelFetch(points, texel(int(station.x)), 0).xyz;
  vec4 q = texelFetch(frames, texel(int(station.x)), 0);
  vec3 axis = vec3(ray.x == 0.0, ray.x == 1.0, ray.x == 2.0);
  float size = max(3.5 * kind.x, 14.0 * pixel(centre));
  vColour = ray.x == 0.0 ? vec3(0.93, 0.32, 0.30) : ray.x == 1.0 ? vec3(0.30, 0.76, 0.38) : vec3(0.33, 0.55, 0.95);
  vec4 mvPosition = modelViewMatrix * vec4(centre + ray.y * size * turned(q, axis), 1.0);
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}
`;

export const DIRECTOR_FRAGMENT = /* glsl */ `
precision highp float;
#include <common>
#include <clipping_planes_pars_fragment>
in vec3 vColour;
out vec4 colour;
void main() {
  #include <clipping_planes_fragment>
  colour = vec4(vColour, 1.0);
}
`;
