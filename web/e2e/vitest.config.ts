import { defineConfig } from "vitest/config";

// One browser and one server at a time: frames are timed, and a test machine may have two cores.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.e2e.ts"],
    globalSetup: ["./world.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 240_000,
  },
});
