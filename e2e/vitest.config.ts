import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const isLong = process.env["PLINTH_LONG_TESTS"] === "1";

// Two files at a time: each starts a whole Plinth, and spends most of its time waiting for it.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: isLong ? ["*.long.test.ts", "{differential,every-page,fuzz}.test.ts"] : ["*.test.ts"],
    exclude: isLong ? [] : ["*.long.test.ts"],
    globalSetup: [fileURLToPath(import.meta.resolve("@plinth/testkit/global-setup")), "build-console.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
