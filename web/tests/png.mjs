// Reads the pixels of a PNG as browsers write them: eight bits a channel, not interlaced (PNG specification, sections 7 and 9).

import { inflateSync } from "node:zlib";

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** `{width, height, at(x, y)}`, where `at` gives the channels of a pixel. */
export function readPng(bytes) {
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const channels = { 2: 3, 6: 4 }[bytes[25]];
  if (bytes[24] !== 8 || channels === undefined || bytes[28] !== 0) throw new Error("not a PNG as browsers write them");
  const parts = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const data = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let i = 0; i < stride; i++) {
      const here = y * stride + i;
      const left = i >= channels ? data[here - channels] : 0;
      const up = y > 0 ? data[here - stride] : 0;
      const corner = i >= channels && y > 0 ? data[here - stride - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      data[here] = raw[y * (stride + 1) + 1 + i] + guess;
    }
  }
  return { width, height, at: (x, y) => [...data.subarray(y * stride + x * channels, y * stride + (x + 1) * channels)] };
}
