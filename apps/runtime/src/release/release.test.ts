// Releases on a real database: what is refused, how a plan runs, what a kill leaves, how replicas learn about it.
import { createHmac } from "node:crypto";
import {
  hashOf,
  newControlKeys,
  newId,
  type ProjectId,
  type Publication,
  readControlSigner,
  signApproval,
  type UnsignedApproval,
} from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { tenantNames } from "@plinth/postgres";
import { createFaultProxy } from "@plinth/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestCell } from "../modes/testing/cell.ts";
import {
  cellSecret,
  controlSigner,
  createTestDatabase,
  deploy,
  makeLiveProject,
  makeProject,
  modelOf,
  openTestCell,
  publicationOf,
  read,
  type TestDatabase,
  trust,
} from "../modes/testing/cell.ts";
import { inspectRelease } from "./inspect.ts";
import { receiveRelease } from "./receive.ts";
import { servedPart } from "./shared-bundles.ts";
import { cellTemplate } from "./testing/cell-template.ts";
import { statement } from "./testing/runner.ts";

let database: TestDatabase;
let cell: TestCell;
const v1 = compileModel(modelOf(["title"]));
const v2 = compileModel(modelOf(["title", "body?"]));

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

const receive = (publication: Publication): Promise<unknown> =>
  receiveRelease({ ...trust, pool: cell.pool, read }, publication.projectId, Buffer.from(JSON.stringify(publication)));

async function releasesOf(projectId: string): Promise<number> {
  const { rows } = await cell.pool.query("SELECT count(*)::int AS n FROM plinth.releases WHERE project_id = $1", [
    projectId,
  ]);
  return rows[0].n;
}

/** Signed like by control, with some changes. */
function signedAnew(publication: Publication, changes: Partial<UnsignedApproval>, now = Date.now()): Publication {
  const { signature: _, ...rest } = publication.approval;
  return { ...publication, approval: signApproval({ ...(rest as UnsignedApproval), ...changes }, controlSigner, now) };
}

/** As control signed before it had a key of its own. */
function signedOfOld({ approval, ...publication }: Publication): Publication {
  const { projectId, releaseId, baseHash, bundleHash, planHash, consents, approvedBy, approvedAt } = approval;
  const agreed = { projectId, releaseId, baseHash, bundleHash, planHash, consents, approvedBy, approvedAt };
  const sorted = Object.fromEntries(Object.entries(agreed).sort(([a], [b]) => (a < b ? -1 : 1)));
  const signature = createHmac("sha256", cellSecret).update(JSON.stringify(sorted)).digest("hex");
  return { ...publication, approval: { ...agreed, signature } };
}

describe("what is received", () => {
  const tampered: readonly (readonly [string, (publication: Publication) => Publication])[] = [
    ["a bundle that was not approved", (p) => ({ ...p, bundle: { ...p.bundle, sdkTypes: "export {}" } })],
    ["a plan that was not approved", (p) => ({ ...p, plan: { steps: p.plan.steps.slice(1) } })],
    ["a forged approver", (p) => ({ ...p, approval: { ...p.approval, approvedBy: "eve@example.com" } })],
    ["an approval of another release", (p) => ({ ...p, releaseId: newId("rel") })],
    [
      "an approval signed by somebody else",
      (p) => {
        const { signature: _, ...rest } = p.approval;
        const stranger = readControlSigner(newControlKeys().privateKey);
        return { ...p, approval: signApproval(rest as UnsignedApproval, stranger, Date.now()) };
      },
    ],
    ["an approval for another cell", (p) => signedAnew(p, { cell: "another" })],
    ["an approval for another project", (p) => signedAnew(p, { projectId: newId("prj") })],
    ["an approval that has expired", (p) => signedAnew(p, {}, Date.now() - 11 * 60_000)],
    ["an approval that is signed with the shared secret, for a release that it doesn't know", signedOfOld],
  ];
  it.each(tampered)("refuses %s, and stores nothing", async (_, tamper) => {
    const projectId = await makeProject(cell);
    await expect(receive(tamper(publicationOf(projectId, v1, null)))).rejects.toMatchObject({ code: "forbidden" });
    expect(await releasesOf(projectId)).toBe(0);
  });

  it("continues a stored release with an old kind of approval, but never with a used one", async () => {
    const projectId = await makeProject(cell);
    const broken = publicationOf(projectId, v1, null, { steps: [statement("001", "SELECT 1/0")] });
    const statusOf = async () => (await inspectRelease(cell.pool, projectId, broken.releaseId))?.status;
    const fail = async (): Promise<void> => {
      cell.migrator.start(broken.releaseId);
      await cell.migrator.idle();
      expect(await statusOf()).toBe("failed");
    };
    // Stored by a cell of the previous version.
    await receive(broken);
    const old = signedOfOld(broken);
    await cell.pool.query("UPDATE plinth.releases SET approval = $2 WHERE id = $1", [
      broken.releaseId,
      JSON.stringify(old.approval),
    ]);
    await fail();
    await receive(old);
    expect(await statusOf()).toBe("received");
    await fail();
    const again = signedAnew(broken, {});
    await receive(again);
    expect(await statusOf()).toBe("received");
    // The answer was lost: a repeated request does no harm.
    await receive(again);
    await fail();
    for (const used of [again, signedAnew(broken, {}, Date.now() - 60_000), old]) {
      await expect(receive(used)).rejects.toMatchObject({ code: "forbidden" });
    }
    expect(await statusOf()).toBe("failed");
  });

  it("refuses another base than the live release", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    await expect(receive(publicationOf(projectId, v2, null))).rejects.toMatchObject({ code: "conflict" });
    await expect(receive(publicationOf(projectId, v2, v2))).rejects.toMatchObject({ code: "conflict" });
    expect((await deploy(cell, publicationOf(projectId, v2, bundle))).status).toBe("active");
  });

  it("refuses a second release while one is unfinished, and an id that belongs to other content", async () => {
    const projectId = await makeProject(cell);
    const first = publicationOf(projectId, v1, null);
    await receive(first);
    await expect(receive(publicationOf(projectId, v2, null))).rejects.toMatchObject({ code: "conflict" });
    const other = publicationOf(projectId, v2, null, undefined, first.releaseId);
    await expect(receive(other)).rejects.toMatchObject({ code: "conflict" });
    await expect(receive(first)).resolves.toEqual({ releaseId: first.releaseId });
    expect(await releasesOf(projectId)).toBe(1);
  });

  it("refuses another format, a broken shape, and a project that it doesn't know", async () => {
    const projectId = await makeProject(cell);
    const good = publicationOf(projectId, v1, null);
    const newer = { ...good, bundle: { ...good.bundle, format: 99 } } as unknown as Publication;
    await expect(receive(newer)).rejects.toMatchObject({ code: "validation_failed" });
    await expect(receive({ ...good, plan: {} } as unknown as Publication)).rejects.toMatchObject({
      code: "validation_failed",
    });
    await expect(receive(publicationOf(newId("prj"), v1, null))).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a plan", () => {
  it("runs under the owner role, each step with its row in the ledger", async () => {
    const { projectId } = await makeLiveProject(cell);
    const names = tenantNames(projectId);
    const { rows } = await cell.pool.query<{ owner: string }>(
      "SELECT DISTINCT tableowner AS owner FROM pg_tables WHERE schemaname = $1",
      [names.schema],
    );
    expect(rows).toEqual([{ owner: names.owner }]);
  });

  it("can't reach the cell's tables or another project", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    const other = await makeLiveProject(cell);
    for (const table of ["plinth.api_keys", `${tenantNames(other.projectId).schema}.users`]) {
      const plan = { steps: [statement("001", `DROP TABLE ${table} CASCADE`)] };
      const status = await deploy(cell, publicationOf(projectId, v2, bundle, plan));
      expect(status).toMatchObject({ status: "failed", steps: [{ status: "failed" }] });
      expect(status.error).toMatch(/permission denied|must be owner/);
    }
  });

  it("keeps the old release live when a step fails, and a corrected plan uses the completed steps", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    const good = publicationOf(projectId, v2, bundle).plan.steps;
    const broken = publicationOf(projectId, v2, bundle, { steps: [...good, statement("999-broken", "SELECT 1/0")] });
    const failed = await deploy(cell, broken);
    expect(failed.status).toBe("failed");
    expect(failed.error).toContain("division by zero");
    expect((await cell.registry.get(projectId))?.bundle).toEqual(servedPart(bundle));
    expect((await deploy(cell, publicationOf(projectId, v2, bundle))).status).toBe("active");
    expect((await cell.registry.get(projectId))?.bundle).toEqual(servedPart(v2));
  });

  it("gives way while a reader locks the table, and continues when it is free", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    const reader = await cell.pool.connect();
    await reader.query("BEGIN");
    await reader.query(`SELECT * FROM ${tenantNames(projectId).schema}.notes`);
    const publication = publicationOf(projectId, v2, bundle);
    await receive(publication);
    cell.migrator.start(publication.releaseId);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect((await inspectRelease(cell.pool, projectId, publication.releaseId))?.status).toBe("migrating");
    await reader.query("COMMIT");
    reader.release();
    await cell.migrator.idle();
    expect((await inspectRelease(cell.pool, projectId, publication.releaseId))?.status).toBe("active");
  });

  it("cleans up after a failed attempt of a step that can't run in a transaction", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    const create = statement("001-index", "CREATE INDEX CONCURRENTLY notes_by_title ON {schema}.notes (title)", {
      cleanup: "DROP INDEX IF EXISTS {schema}.notes_by_title",
    });
    const publication = publicationOf(projectId, v2, bundle, { steps: [create] });
    await receive(publication);
    // The state after a kill in the middle: the row says running, and the index exists.
    await cell.pool.query("UPDATE plinth.migration_ledger SET status = 'running' WHERE release_id = $1", [
      publication.releaseId,
    ]);
    const owner = await cell.pool.connect();
    await owner.query(`SET ROLE ${tenantNames(projectId).owner}`);
    await owner.query(`CREATE INDEX notes_by_title ON ${tenantNames(projectId).schema}.notes (title)`);
    await owner.query("RESET ROLE");
    owner.release();
    cell.migrator.start(publication.releaseId);
    await cell.migrator.idle();
    expect(await inspectRelease(cell.pool, projectId, publication.releaseId)).toMatchObject({ status: "active" });
  });

  // Guarantee 5: a deploy that is killed at any statement is resumed, and no step runs twice.
  it("is resumed by the next start after a stop between two steps", async () => {
    const projectId = await makeProject(cell);
    const publication = publicationOf(projectId, v1, null);
    await cell.close();
    const third = publication.plan.steps[2]?.id;
    const broken = await openTestCell(database, {
      beforeStep: async (stepId) => {
        if (stepId === third) throw new Error("killed");
      },
    });
    await receiveRelease({ ...trust, pool: broken.pool, read }, projectId, Buffer.from(JSON.stringify(publication)));
    broken.migrator.start(publication.releaseId);
    await broken.migrator.idle();
    const halfway = await inspectRelease(broken.pool, projectId, publication.releaseId);
    expect(halfway?.status).toBe("migrating");
    expect(halfway?.steps.map((each) => each.status).slice(0, 3)).toEqual(["done", "done", "pending"]);
    await broken.close();

    cell = await openTestCell(database);
    await expect
      .poll(async () => (await inspectRelease(cell.pool, projectId, publication.releaseId))?.status, { timeout: 5_000 })
      .toBe("active");
    const whole = await inspectRelease(cell.pool, projectId, publication.releaseId);
    expect(whole?.steps.slice(0, 2)).toEqual(halfway?.steps.slice(0, 2));
    expect(whole?.steps.every((each) => each.status === "done")).toBe(true);
  });
});

describe("the registry", () => {
  it("shows a new release to another replica within a second, with LISTEN cut off", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    const proxy = await createFaultProxy({ target: database.url });
    const other = await openTestCell(database, { listenUrl: proxy.through(database.url) });
    proxy.cut();
    try {
      expect((await other.registry.get(projectId))?.bundle).toEqual(servedPart(bundle));
      await deploy(cell, publicationOf(projectId, v2, bundle));
      await expect
        .poll(async () => hashOf((await other.registry.get(projectId))?.bundle), { timeout: 1_000, interval: 20 })
        .toBe(hashOf(servedPart(v2)));
    } finally {
      await other.close();
      await proxy.close();
    }
  });

  it("serves no release that doesn't match its format", async () => {
    const { projectId } = await makeLiveProject(cell);
    await cell.pool.query(
      "UPDATE plinth.releases SET bundle = jsonb_set(bundle::jsonb, '{format}', '1')::text WHERE project_id = $1",
      [projectId],
    );
    const other = await openTestCell(database);
    try {
      await expect(other.registry.get(projectId)).rejects.toMatchObject({ code: "unavailable" });
      expect(other.registry.peek(projectId)).toBeUndefined();
    } finally {
      await other.close();
    }
  });

  it("keeps within its bytes: the least recently used project is evicted, and loaded again", async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await makeLiveProject(cell)).projectId);
    const bytesMax = await oneProjectsBytes(ids[0] as ProjectId);
    const small = await openTestCell(database, { cacheBytesMax: bytesMax + 4_000 });
    try {
      for (const id of ids) await small.registry.get(id);
      expect(small.registry.kept().projects).toBe(2);
      expect(small.registry.kept().bytes).toBeLessThanOrEqual(bytesMax + 4_000);
      expect(ids.map((id) => small.registry.peek(id) !== undefined)).toEqual([false, true, true]);
      expect((await small.registry.get(ids[0] as ProjectId))?.projectId).toBe(ids[0]);
    } finally {
      await small.close();
    }
  });

  it("answers null where nothing is deployed or nothing is known", async () => {
    expect(await cell.registry.get(await makeProject(cell))).toBeNull();
    expect(await cell.registry.get(newId("prj"))).toBeNull();
    expect(await cell.registry.nameOf(newId("prj"))).toBeNull();
  });

  it("never allows a bundle's limits above those of the operator", async () => {
    const { projectId } = await makeLiveProject(cell);
    const most = { requestsPerSecond: 7, burst: 8, bodyBytesMax: 2_048, pageMax: 9, statementMsMax: 300 };
    const strict = await openTestCell(database, { limitsMax: most });
    try {
      expect((await strict.registry.get(projectId))?.bundle.limits).toEqual(most);
      expect((await cell.registry.get(projectId))?.bundle.limits).toEqual(v1.limits);
    } finally {
      await strict.close();
    }
  });

  it("uses the name that control approved, from the switch on; another project may have it too", async () => {
    const { projectId, bundle } = await makeLiveProject(cell);
    const other = await makeProject(cell, "renamed");
    const renamed = compileModel({ ...modelOf(["title", "body?"]), project: "renamed" });
    expect((await deploy(cell, publicationOf(projectId, renamed, bundle))).status).toBe("active");
    expect((await cell.registry.get(projectId))?.slug).toBe("renamed");
    expect(await cell.registry.nameOf(other)).toBe("renamed");
  });
});

async function oneProjectsBytes(projectId: ProjectId): Promise<number> {
  const other = await openTestCell(database);
  try {
    await other.registry.get(projectId);
    return other.registry.kept().bytes;
  } finally {
    await other.close();
  }
}
