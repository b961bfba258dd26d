// A small part of the contract fuzzer, and a proof that it finds deviations.

import type { JsonObject } from "@plinth/testkit";
import { createTestDatabase, isLongRun, sampleOf, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Failure, type FuzzOptions, fuzz } from "./fuzz/fuzz.ts";
import { openTarget } from "./fuzz/target.ts";
import { type BareCell, startBareCell } from "./published-cell.ts";

const common = ["200", "201", "401", "404", "422"];
/** A small sample can lack one of them. */
const rare = ["204", "403"];
const { runs: cases, seed } = sampleOf(400, 4_000);

let database: TestDatabase;
let cell: BareCell;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startBareCell(database.url);
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

test.each(["market-square", "conduit", "invoicing"])(
  "%s answers as its OpenAPI document says",
  async (project) => {
    const target = await openTarget(cell, project);
    const { failures, statuses } = await fuzz({ ...target, cases, seed });
    expect(failures).toEqual([]);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(isLongRun ? [...common, ...rare] : common));
  },
  180_000,
);

test("an API that differs from its document is found", async () => {
  const target = await openTarget(cell, "parcel-desk");
  const found = async (changed: Partial<FuzzOptions>): Promise<ReadonlySet<Failure["check"]>> => {
    const { failures } = await fuzz({ ...target, ...changed, cases: 400, seed: 11 });
    return new Set(failures.map(({ check }) => check));
  };
  expect(await found({})).toEqual(new Set());

  const withoutStatus = changed(target.document, (operation) => delete operation.responses["201"]);
  expect(await found({ document: withoutStatus })).toEqual(new Set(["outside"]));

  const [, me] = target.known[0] ?? [];
  expect(await found({ foreign: [me ?? ""] })).toEqual(new Set(["leak"]));
}, 180_000);

/** The document, with each operation that creates records changed. */
function changed(document: JsonObject, change: (operation: Described) => void): JsonObject {
  const copy = structuredClone(document);
  for (const { post } of Object.values(copy["paths"] as unknown as Record<string, { post?: Described }>))
    if (post?.responses["201"]) change(post);
  return copy;
}

interface Described {
  readonly responses: Record<string, unknown>;
}
