// Frames: what moves, in bytes. crates/flexline-server/PROTOCOL.md says which.

import type { Trailer } from "./protocol";

export interface Frame {
  revision: number;
  number: number;
  nodes: number;
  poses: number;
  /** Per node: x, y, z, s. */
  points: Float32Array;
  /** Per node: quaternion x, y, z, w. */
  frames: Float32Array;
  /** Per node: curvature, twist rate, tension, bending moment. */
  loads: Float32Array;
  /** Per pose: x, y, z, 0, quaternion x, y, z, w. */
  anchors: Float32Array;
  trailer: Trailer;
}

/** Whether values along cables are known: in equilibrium, or in motion. */
export function isKnown(trailer: Pick<Trailer, "status" | "time">): boolean {
  return trailer.time !== null || trailer.status === "converged";
}

const HEAD = 32;

/** Reads a binary message; `null` where it is no frame. */
export function decodeFrame(buffer: ArrayBuffer): Frame | null {
  if (buffer.byteLength < HEAD) return null;
  const head = new DataView(buffer);
  if (head.getUint32(0, false) !== 0x464c5831) return null;
  const [revision, number, nodes, poses, tail] = [4, 8, 12, 16, 20].map((at) => head.getUint32(at, true)) as
    [number, number, number, number, number];
  const end = HEAD + nodes * 48 + poses * 32;
  if (buffer.byteLength !== end + tail) return null;
  const floats = (at: number, count: number) => new Float32Array(buffer, at, count);
  const trailer = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, end, tail))) as Trailer;
  return {
    revision,
    number,
    nodes,
    poses,
    points: floats(HEAD, nodes * 4),
    frames: floats(HEAD + nodes * 16, nodes * 4),
    loads: floats(HEAD + nodes * 32, nodes * 4),
    anchors: floats(HEAD + nodes * 48, poses * 8),
    trailer,
  };
}
