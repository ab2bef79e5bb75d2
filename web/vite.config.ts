import { defineConfig } from "vitest/config";

// The page is served under a policy that allows nothing inline and nothing from elsewhere, so
// nothing may be turned into a data: address, and no script may be written into the document.
export default defineConfig({
  base: "./",
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: "es" },
  // `npm run dev` beside a `concord serve` on its usual address.
  server: { proxy: { "/v1": process.env["CONCORD_ADDRESS"] ?? "http://127.0.0.1:8617" } },
  test: { include: ["test/**/*.test.ts"] },
});
