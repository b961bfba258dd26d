// What an app downloads: no dependency, no module of Node, and less than 8 kB gzipped beside what signs people in and what
// follows changes.
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

/** Entries of their own: apps that don't import them don't download them. */
const otherEntries = ["inbound.ts", "live.ts", "live-order.ts", "react.ts", "react-cache.ts"];
const sources = readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !otherEntries.includes(name),
);
const code = sources.map((name) =>
  // Comments, and the blank runs that type stripping leaves in place of types: no bundler would ship them. Names stay as they are.
  stripTypeScriptTypes(readFileSync(join(import.meta.dirname, name), "utf8"))
    .replace(/^\s*(?:\/\/|\/?\*).*$/gm, "")
    .replace(/^\s+|[ \t]+$/gm, ""),
);

test("imports nothing from outside", () => {
  const imported = code.flatMap((text) => [...text.matchAll(/from\s+"([^"]+)"/g)].map((match) => match[1]));
  expect(imported.length).toBeGreaterThan(5);
  expect(imported.filter((name) => !name?.startsWith("./"))).toEqual([]);
});

test("is under 8 kB gzipped without signing in and streams", () => {
  const others = code.filter((_, at) => !["session.ts", "subscribe.ts"].includes(sources[at] ?? ""));
  expect(others).toHaveLength(code.length - 2);
  expect(gzipSync(others.join("\n")).length).toBeLessThan(8 * 1024);
});
