// Projects that an older version of Plinth deployed: served, changed and deployed again; and one that a newer version
// deployed. The bundles are genuine: the versions that released their format wrote them.
import { readFileSync } from "node:fs";
import path from "node:path";
import { checkBlueprint, type Model } from "@plinth/blueprint";
import {
  type Bundle,
  FORMAT_VERSION,
  hashApiKey,
  hashOf,
  type MigrationPlan,
  newApiKey,
  newId,
  type ProjectId,
  readStoredBundle,
  signApproval,
} from "@plinth/bundle";
import { proposeChange } from "@plinth/compiler";
import { createLogger } from "@plinth/service";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cellId, cellSecret, controlSigner, createTestDatabase, type TestDatabase } from "../modes/testing/cell.ts";
import { webConfigOf } from "../modes/testing/web-config.ts";
import { startWeb, type WebService } from "../modes/web.ts";
import { bundleOf } from "./stored-release.ts";
import { cellTemplate } from "./testing/cell-template.ts";

const folder = path.join(import.meta.dirname, "../../../../packages/bundle/src/upgrades/testdata");

interface Released {
  readonly text: string;
  readonly bundle: unknown;
  readonly plan: { readonly steps: readonly unknown[] };
}

let database: TestDatabase;
let db: pg.Pool;
let service: WebService;
const logs: Record<string, unknown>[] = [];

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  db = new pg.Pool({ connectionString: database.url, max: 2 });
  await start();
});
afterAll(async () => {
  await service?.stop();
  await db?.end();
  await database?.drop();
});

/** For the tables, a new start is the same as a new version of Plinth: nothing is in memory. */
async function start(): Promise<void> {
  await service?.stop();
  const config = {
    ...webConfigOf(database.url),
    rateLimit: { perSecond: 1_000, burst: 1_000 },
    apiDomain: null,
    logLevel: "info",
  } as const;
  const destination = { write: (line: string) => void logs.push(JSON.parse(line)) };
  service = await startWeb(config, createLogger({ name: "test", destination }));
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly body: any;
}

async function call(url: string, method: string, bearer: string, body?: unknown): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${bearer}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

class Project {
  readonly id: ProjectId = newId("prj");
  readonly key = newApiKey("secret");

  readonly slug: string;

  constructor(slug: string) {
    this.slug = slug;
  }

  static async open(slug: string): Promise<Project> {
    const project = new Project(slug);
    expect((await project.internal("PUT", "", { slug })).status).toBeLessThan(300);
    const key = { hash: hashApiKey(project.key), kind: "secret", role: "admin", name: "test", expiresAt: null };
    expect((await project.internal("PUT", `/keys/${newId("key")}`, key)).status).toBeLessThan(300);
    return project;
  }

  internal(method: string, rest: string, body?: unknown): Promise<Answer> {
    return call(`${service.internalUrl}/internal/projects/${this.id}${rest}`, method, cellSecret, body);
  }

  api(method: string, route: string, body?: unknown): Promise<Answer> {
    return call(`${service.apiUrl}${route}`, method, this.key, body);
  }

  /** Deploys like control; waits for the end. */
  async deploy(bundle: unknown, plan: unknown, baseHash: string | null): Promise<string> {
    const releaseId = newId("rel");
    const bound = { projectId: this.id, releaseId, baseHash, bundleHash: hashOf(bundle), planHash: hashOf(plan) };
    const by = { consents: [], approvedBy: "ana@example.com", approvedAt: new Date().toISOString() };
    const approval = signApproval({ cell: cellId, name: this.slug, ...bound, ...by }, controlSigner, Date.now());
    const received = await this.internal("POST", "/releases", {
      projectId: this.id,
      releaseId,
      bundle,
      plan,
      approval,
    });
    expect(received.status).toBe(202);
    for (;;) {
      const { body } = await this.internal("GET", `/releases/${releaseId}`);
      if (body.finished) {
        expect(body).toMatchObject({ status: "active", error: null });
        return releaseId;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const released = (format: number, name: string): Released =>
  JSON.parse(readFileSync(path.join(folder, `format-${format}`, `${name}.json`), "utf8"));

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

/** Like control: the base is the stored bundle in the newest format, with the hash of the original bytes. */
function changeFrom(then: Released, text: string): { bundle: Bundle; plan: MigrationPlan; baseHash: string } {
  const base = readStoredBundle(then.bundle);
  if (!base.ok) throw new Error(JSON.stringify(base.problems));
  const before = { model: modelOf(then.text), bundle: base.value };
  const { bundle, plan, refused } = proposeChange({
    before,
    after: modelOf(text),
    setAside: [],
    tag: "t1",
    author: "person",
  });
  expect(refused).toEqual([]);
  return { bundle, plan, baseHash: hashOf(then.bundle) };
}

describe("a project of format 1", () => {
  const then = released(1, "market-square");

  it("is served after an update, changed by its API, and deployed again in the newest format", async () => {
    const project = await Project.open("old-market");
    await project.deploy(then.bundle, then.plan, null);
    await db.query("DELETE FROM plinth.catalogues WHERE project_id = $1", [project.id]);
    await start();

    const listing = { title: "Bicycle", price: 120, status: "active" };
    const made = await project.api("POST", "/v1/resources/listings", listing);
    expect(made).toMatchObject({ status: 201, body: { data: listing } });
    const id: string = made.body.data.id;
    const inquiry = { listing_id: id, name: "Bo", email: "bo@example.com", message: "Still there?" };
    expect((await project.api("POST", "/api/inquiries", inquiry)).status).toBe(201);
    // The foreign key restricts: a record with references stays.
    expect((await project.api("DELETE", `/api/listings/${id}`)).body).toMatchObject({ code: "reference_restricted" });
    const other = await project.api("POST", "/v1/resources/listings", { title: "Lamp", price: 9 });
    expect((await project.api("DELETE", `/api/listings/${other.body.data.id}`)).status).toBe(204);

    // The stored text is the approved one.
    const { rows } = await db.query("SELECT bundle, bundle_hash FROM plinth.releases WHERE project_id = $1", [
      project.id,
    ]);
    expect(hashOf(JSON.parse(rows[0].bundle))).toBe(rows[0].bundle_hash);
    expect(JSON.parse(rows[0].bundle).format).toBe(1);

    const next = then.text.replace("price: int\n", "price: int\n      colour: string?\n");
    const { bundle, plan, baseHash } = changeFrom(then, next);
    await project.deploy(bundle, plan, baseHash);
    const red = await project.api("POST", "/v1/resources/listings", { ...listing, colour: "red" });
    expect(red).toMatchObject({ status: 201, body: { data: { colour: "red" } } });
    expect((await project.api("GET", `/v1/resources/listings/${id}`)).body.data).toMatchObject({
      ...listing,
      colour: null,
    });
    expect((await project.internal("GET", "/schema")).body.drift).toEqual([]);
    // The tables now have the newest format: rules are indexes, and the statements handle deletes instead of keys.
    const physical = await db.query(
      `SELECT contype, confdeltype, conname FROM pg_constraint
       WHERE connamespace = $1::regnamespace AND (contype = 'u' OR contype = 'f' AND confdeltype NOT IN ('a', 'c'))`,
      [`t_${project.id.slice(4)}`],
    );
    expect(physical.rows).toEqual([]);
  });

  it("keeps its unique rules while their indexes are rebuilt", async () => {
    const fields = released(1, "field-types");
    const project = await Project.open("old-fields");
    await project.deploy(fields.bundle, fields.plan, null);
    await start();
    const { bundle, plan, baseHash } = changeFrom(fields, fields.text);
    await project.deploy(bundle, plan, baseHash);
    const { rows } = await db.query(
      "SELECT indexname FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE 'CREATE UNIQUE%' AND indexname NOT LIKE '%__pkey' ORDER BY 1",
      [`t_${project.id.slice(4)}`],
    );
    expect(rows.map(({ indexname }) => indexname)).toEqual([
      "boxes__label__key",
      "sessions__refresh_hash__key",
      "users__email__key",
    ]);
    // From here on, nothing is left to upgrade.
    const again = proposeChange({
      before: { model: modelOf(fields.text), bundle },
      after: modelOf(fields.text),
      setAside: [],
      tag: "t2",
      author: "person",
    });
    expect(again.plan.steps).toEqual([]);
  });
});

describe("a project of format 3 that an earlier version deployed", () => {
  it("reads no child in a rule while somebody writes it, without a new deployment", async () => {
    const then = released(3, "rules-over-children");
    const project = await Project.open("old-books");
    await project.deploy(then.bundle, then.plan, null);
    await start();
    const make = async (plural: string, values: object): Promise<string> => {
      const { status, body } = await project.api("POST", `/api/${plural}`, values);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.data.id;
    };
    const invoice = await make("invoices", { agreed: 1 });
    await make("lines", { invoice_id: invoice, amount: 1 });
    const issue = () => project.api("POST", `/v1/resources/invoices/${invoice}/transitions/issue`);
    const client = await db.connect();
    try {
      await client.query(`BEGIN; SET LOCAL search_path TO "t_${project.id.slice(4)}"`);
      // A line that is being added, as its own writer does it.
      await client.query("SELECT FROM invoices WHERE id = $1 FOR NO KEY UPDATE", [invoice]);
      await client.query("INSERT INTO lines (id, invoice_id, amount) VALUES (gen_random_uuid(), $1, 5)", [invoice]);
      const issued = issue();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND clock_timestamp() - query_start > interval '50 ms'`;
      await vi.waitFor(async () => expect((await db.query(waiting)).rowCount).toBeGreaterThan(0), 10_000);
      await client.query("COMMIT");
      expect((await issued).status).toBe(403);
      await db.query(`DELETE FROM "t_${project.id.slice(4)}".lines WHERE amount = 5`);
      expect((await issue()).status).toBe(200);
    } finally {
      client.release();
    }
  });
});

describe("a project of a newer format", () => {
  it("answers 503, logs the reason once, and doesn't affect the others", async () => {
    const [newer, other] = [await Project.open("from-the-future"), await Project.open("of-today")];
    const then = released(1, "market-square");
    for (const project of [newer, other]) await project.deploy(then.bundle, then.plan, null);
    const future = { ...(then.bundle as object), format: FORMAT_VERSION + 1 };
    await db.query("UPDATE plinth.releases SET bundle = $2 WHERE project_id = $1", [newer.id, JSON.stringify(future)]);
    await start();
    logs.length = 0;
    for (let i = 0; i < 3; i++) {
      const answer = await newer.api("GET", "/api/listings");
      expect(answer).toMatchObject({
        status: 503,
        body: {
          code: "unavailable",
          detail: expect.stringMatching(/This version of Plinth can't read the release/),
        },
      });
      expect(answer.headers.get("retry-after")).toBe("30");
      expect((await other.api("GET", "/api/listings")).status).toBe(200);
    }
    // The poll must not consider it a changed release.
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    const said = logs.filter(({ projectId, msg }) => projectId === newer.id && msg === "a release is not served");
    expect(said).toMatchObject([
      { level: "error", err: { message: expect.stringMatching(/format \d+ is not supported: the newest .* is \d+/) } },
    ]);

    // A newer version is back: the release is served again.
    await db.query("UPDATE plinth.releases SET bundle = $2 WHERE project_id = $1", [
      newer.id,
      JSON.stringify(then.bundle),
    ]);
    await start();
    expect((await newer.api("GET", "/api/listings")).status).toBe(200);
  });

  it("is distinguished from something that is no bundle at all", () => {
    expect(() => bundleOf("{")).toThrow(/can't be read: no JSON/);
    expect(() => bundleOf("{}")).toThrow(/format undefined is not supported/);
  });
});
