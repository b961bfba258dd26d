import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const isLong = process.env["PLINTH_LONG_TESTS"] === "1";

// More files at a time than cores: each starts a whole Plinth, and spends much of its time waiting for it.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: isLong ? ["*.long.test.ts", "{differential,every-page,fuzz}.test.ts"] : ["*.test.ts"],
    exclude: isLong ? [] : ["*.long.test.ts"],
    globalSetup: [fileURLToPath(import.meta.resolve("@plinth/testkit/global-setup")), "build-console.ts"],
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
