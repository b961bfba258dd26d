// Every released format can be read: genuine old bundles, the result of each upgrade step, and the shape of the newest
// format. The files in `testdata/format-<n>/` were written by the version that released format n; they never change.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { goldenDirectory } from "@plinth/testkit";
import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../bundle.ts";
import { decodePublication, readStoredBundle, readStoredPlan, shapeOfFormat } from "../decode.ts";
import { hashOf } from "../hash.ts";
import { upgrades } from "./upgrade.ts";

/** Formats in which projects are stored. Add the newest here when it is released. */
const RELEASED = [1, 2];

const testdata = path.join(import.meta.dirname, "testdata");
const folderOf = (format: number): string => path.join(testdata, `format-${format}`);
const json = (data: unknown): string => `${JSON.stringify(data, null, 1)}\n`;

interface Stored {
  readonly bundle: Readonly<Record<string, unknown>>;
  readonly plan: unknown;
}

function storedOf(format: number): readonly (readonly [string, Stored])[] {
  return readdirSync(folderOf(format), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "shape.json")
    .map(({ name }) => [name, JSON.parse(readFileSync(path.join(folderOf(format), name), "utf8"))] as const);
}

const older = Array.from({ length: FORMAT_VERSION - 1 }, (_, index) => index + 1);

it("there is one upgrade step, and genuine bundles, for each earlier format", () => {
  expect(upgrades).toHaveLength(FORMAT_VERSION - 1);
  for (const format of RELEASED) expect(storedOf(format).length, `format ${format}`).toBeGreaterThan(0);
});

describe.each(upgrades.map((step, index) => [index + 1, step] as const))("format %i", (format, step) => {
  it("is upgraded to the next format as reviewed", async () => {
    const produced = storedOf(format).map(([name, stored]) => {
      const { openapi: _, sdkTypes: __, ...bundle } = step.bundle(stored.bundle) as Stored["bundle"];
      return [name, json({ bundle, plan: step.plan(stored.plan) })] as const;
    });
    await goldenDirectory(path.join(folderOf(format), "upgraded"), () => Object.fromEntries(produced));
  });
});

describe.each([...new Set([...older, ...RELEASED])])("a project of format %i", (format) => {
  it.each(storedOf(format))("is read in the newest format: %s", (_, { bundle, plan }) => {
    const decoded = readStoredBundle(bundle);
    if (!decoded.ok) throw new Error(JSON.stringify(decoded.problems, null, 1));
    expect(decoded.value.format).toBe(FORMAT_VERSION);
    // A served project stays unchanged.
    expect([decoded.value.openapi, decoded.value.sdkTypes]).toEqual([bundle.openapi, bundle.sdkTypes]);
    expect(readStoredPlan(plan, bundle).steps.length).toBeGreaterThan(0);
  });

  it.each(storedOf(format))("can still be published, with its original hashes: %s", (_, { bundle, plan }) => {
    const hashes = { bundle: hashOf(bundle), plan: hashOf(plan) };
    const received = decodePublication(publicationOf(bundle, plan));
    if (!received.ok) throw new Error(JSON.stringify(received.problems, null, 1));
    const { sent } = received.value;
    expect({ bundle: hashOf(sent.bundle), plan: hashOf(sent.plan) }).toEqual(hashes);
    expect(received.value.bundle.format).toBe(FORMAT_VERSION);
  });
});

it.each([[{}], [null], [{ format: "2" }], [{ format: 0 }], [{ format: FORMAT_VERSION + 1 }], [{ format: 1.5 }]])(
  "an unknown format is not read: %j",
  (bundle) => expect(readStoredBundle(bundle)).toMatchObject({ ok: false, problems: [{ path: "format" }] }),
);

it("a bundle with a wrong format version is not read", () => {
  expect(readStoredBundle({ format: 1, entities: 3 }).ok).toBe(false);
});

it("a bundle has the shape of its format, and another shape needs another format", async () => {
  const file = path.join(folderOf(FORMAT_VERSION), "shape.json");
  const shape = json(shapeOfFormat());
  if (RELEASED.includes(FORMAT_VERSION)) {
    const hint = `Format ${FORMAT_VERSION} is released. Raise FORMAT_VERSION and add an upgrade step: see CONTRIBUTING.md, "Change the bundle's format".`;
    expect(existsSync(file) ? readFileSync(file, "utf8") : null, hint).toBe(shape);
    return;
  }
  const inputs = existsSync(folderOf(FORMAT_VERSION)) ? readdirSync(folderOf(FORMAT_VERSION)) : [];
  await goldenDirectory(folderOf(FORMAT_VERSION), () => ({ "shape.json": shape }), {
    inputs: inputs.filter((name) => name !== "shape.json"),
  });
});

function publicationOf(bundle: unknown, plan: unknown): unknown {
  const hash = "a".repeat(64);
  const projectId = `prj_${"0".repeat(20)}`;
  const releaseId = `rel_${"0".repeat(20)}`;
  const by = { approvedBy: "ana@example.com", approvedAt: "2026-01-02T03:04:05.678Z", signature: hash };
  const hashes = { baseHash: null, bundleHash: hashOf(bundle), planHash: hashOf(plan) };
  return { projectId, releaseId, bundle, plan, approval: { projectId, releaseId, consents: [], ...hashes, ...by } };
}
