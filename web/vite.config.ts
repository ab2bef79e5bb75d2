import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Every file once more, compressed as hard as may be: the server hands out what is there. */
function packed(): Plugin {
  return {
    name: "packed",
    apply: "build",
    closeBundle() {
      const files = readdirSync("dist", { recursive: true, withFileTypes: true });
      for (const file of files.filter((one) => one.isFile())) {
        const path = join(file.parentPath, file.name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

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
  plugins: [packed()],
  worker: { format: "es" },
  // `npm run dev` beside a `concord serve` on its usual address.
  server: {
    proxy: { "/v1": process.env["CONCORD_ADDRESS"] ?? "http://127.0.0.1:8617" },
    // Isolated as the server has it, so that memory can be shared with the worker.
    headers: {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    },
  },
  test: { include: ["test/**/*.test.ts"] },
});
