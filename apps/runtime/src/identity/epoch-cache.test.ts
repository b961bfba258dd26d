// The cache of credentials is limited in bytes, and the many entries of one project never displace the few of another.
import { createPool, inTransaction } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestCell } from "../modes/testing/cell.ts";
import {
  createTestDatabase,
  makeLiveProject,
  makeProject,
  openTestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { bumpEpoch, followEpoch } from "./epoch.ts";
import { createEpochCache } from "./epoch-cache.ts";

let database: TestDatabase;
let cell: TestCell;
const clock = (): number => performance.now();

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

describe("the cache of credentials", () => {
  it("is limited in bytes, evicts from the largest project first, and forgets a project as a whole", async () => {
    const cache = createEpochCache<string>({
      epoch: cell.epoch,
      clock,
      bytesMax: 1_000_000,
      weigh: (value) => value.length,
      ttlMs: 60_000,
      load: async (key) => ({ projectId: key.split("/")[0] as string, value: "x".repeat(5_000) }),
    });
    const known = (prefix: string, count: number): number =>
      Array.from({ length: count }, (_, i) => cache.peek(`${prefix}/${i}`)).filter((value) => value !== undefined)
        .length;
    for (let i = 0; i < 5; i++) await cache.get(`small/${i}`);
    for (let i = 0; i < 1_000; i++) await cache.get(`large/${i}`);
    await cell.epoch.refresh();
    expect(known("small", 5)).toBe(5);
    expect(known("large", 1_000)).toBeLessThan(200);
    expect(known("large", 1_000)).toBeGreaterThan(150);
    cache.forget("large");
    expect([known("small", 5), known("large", 1_000)]).toEqual([5, 0]);
  });
});

describe("the epoch of a project that is no longer remembered", () => {
  it("is that of the last forgotten one, so that no revocation is missed", async () => {
    const pool = createPool({ connectionString: database.url, max: 1, applicationName: "test" });
    const logger = createLogger({ name: "test", level: "silent" });
    const ids = [await makeProject(cell), await makeProject(cell), await makeProject(cell)] as const;
    const epoch = await followEpoch({ pool, logger, clock, changedMax: 2 });
    try {
      const start = epoch.current();
      for (const id of ids) {
        await inTransaction(cell.pool, (client) => bumpEpoch(client, id));
        await epoch.refresh();
      }
      expect(ids.map((id) => epoch.of(id) - start)).toEqual([1, 2, 3]);
      expect(epoch.of("prj_never_changed")).toBe(epoch.of(ids[0]));
    } finally {
      await epoch.stop();
      await pool.end();
    }
  });
});

describe("signing keys", () => {
  it("are read once for simultaneous callers, and again after they were forgotten", async () => {
    const { projectId } = await makeLiveProject(cell);
    const [one, same] = await Promise.all([cell.signingKeys.of(projectId), cell.signingKeys.of(projectId)]);
    expect(one).toBe(same);
    expect(await cell.signingKeys.of(projectId)).toBe(one);
    cell.signingKeys.forget(projectId);
    expect(await cell.signingKeys.of(projectId)).not.toBe(one);
    expect(await cell.signingKeys.of("prj_00000000000000000000")).toEqual([]);
  });
});
