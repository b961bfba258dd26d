// The operator's settings for `plinth up` reach the parts. In: the tables of docs/operating.md. Out: settings.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readLocalSettings } from "./settings.ts";

const operating = readFileSync(new URL("../../../../docs/operating.md", import.meta.url), "utf8");
const [limits = ""] = operating.split("\n## Cells and keys");
const documented = [...limits.matchAll(/^\| `(PLINTH_[A-Z_]+)` \|/gm)].map(([, name = ""]) => name);

test("passes on every limit of the operators' page", () => {
  expect(documented).toContain("PLINTH_PROJECT_SLOW_MS");
  const given = Object.fromEntries(documented.map((name) => [name, "7"]));
  const { limits: handedOn, trustedProxies } = readLocalSettings(given);
  expect({ ...handedOn, PLINTH_TRUSTED_PROXIES: trustedProxies }).toEqual(given);
});
