import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Two files at a time: each starts a whole Plinth, and spends most of its time waiting for it.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: [fileURLToPath(import.meta.resolve("@plinth/testkit/global-setup")), "build-console.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
