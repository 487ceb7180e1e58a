import { defineConfig } from "vite";

// Where the server of the studio, or the mock, listens during development.
const server = process.env["FLEXLINE_SERVER"] ?? "http://127.0.0.1:4180";

export default defineConfig({
  build: {
    target: "es2022",
    // The server's content policy allows files of its own only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: {
    proxy: {
      "/api": server,
      "/ws": { target: server, ws: true },
    },
  },
  test: { include: ["src/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
