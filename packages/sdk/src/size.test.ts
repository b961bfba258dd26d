// What an app downloads: no dependency, no module of Node, and less than 8 kB gzipped beside the
// part that signs people in.
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

/** Entries of their own, which apps in browsers don't download. */
const forServers = ["inbound.ts"];
const sources = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !forServers.includes(name),
);
const code = sources.map((name) =>
  // Blank runs are what type stripping leaves in place of types; no bundler would ship them.
  stripTypeScriptTypes(readFileSync(join(import.meta.dirname, name), "utf8")).replace(/^\s+|[ \t]+$/gm, ""),
);

test("imports nothing from outside", () => {
  const imported = code.flatMap((text) => [...text.matchAll(/from\s+"([^"]+)"/g)].map((match) => match[1]));
  expect(imported.length).toBeGreaterThan(5);
  expect(imported.filter((name) => !name?.startsWith("./"))).toEqual([]);
});

test("is under 8 kB gzipped without signing in, comments included", () => {
  const others = code.filter((_, at) => sources[at] !== "session.ts");
  expect(others).toHaveLength(code.length - 1);
  expect(gzipSync(others.join("\n")).length).toBeLessThan(8 * 1024);
});
