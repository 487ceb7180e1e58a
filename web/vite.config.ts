import { defineConfig } from "vite";
import { book } from "./book";

// Where the server of the studio listens during development. It answers only pages of its own: the proxy speaks as one.
const server = process.env["FLEXLINE_SERVER"] ?? "http://127.0.0.1:4173";
const proxy = { target: server, changeOrigin: true, headers: { origin: server } };

export default defineConfig({
  plugins: [book()],
  build: {
    target: "es2022",
    // The server's content policy allows files of its own only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: {
    // The colour maps are those of the plots.
    fs: { allow: [".."] },
    proxy: {
      "/api": proxy,
      "/ws": { ...proxy, ws: true },
    },
  },
  test: { include: ["src/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
