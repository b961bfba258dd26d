// Unit and integration tests of every package and app. The end-to-end tests have their own configuration in e2e/.
// More workers than cores, because many tests wait for time to pass.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const globalSetup = fileURLToPath(new URL("packages/testkit/src/global-setup.ts", import.meta.url));

const isLong = process.env["PLINTH_LONG_TESTS"] === "1";

export default defineConfig({
  test: {
    include: ["{packages,apps,tools,scripts}/**/*.test.{ts,tsx,mjs}"],
    // `npm run test:long` runs them all, and tries more generated cases.
    exclude: ["**/node_modules/**", "**/.next/**", ...(isLong ? [] : ["**/*.long.test.ts"])],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    pool: "forks",
    maxWorkers: 3,
    // A test file leaves nothing behind that another one would see, so that a worker reads every module once.
    isolate: false,
    execArgv: ["--max-semi-space-size=64"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
