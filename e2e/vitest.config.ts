import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// One file after another: each starts a whole Plinth, and two cores carry one of them at a time.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: [fileURLToPath(import.meta.resolve("@plinth/testkit/global-setup"))],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
