// Compares the whole data plane with a model of it: a real runtime serves generated blueprints and gets random
// requests. Each answer, each row and each audit row must be what the language's text says. `RUNS` (blueprints), `SEED`
// and `REQUESTS` (for each blueprint) choose other and longer runs.
import {
  createTestDatabase,
  type JsonObject,
  Random,
  readDocument,
  sampleOf,
  type TestDatabase,
} from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateBlueprint } from "./generated-blueprint.ts";
import { makePeople } from "./generated-people.ts";
import { type Counts, newCounts, Traffic } from "./generated-traffic.ts";
import { newWorld } from "./generated-world.ts";
import { type BareCell, startBareCell } from "./published-cell.ts";

const { runs: blueprints, seed } = sampleOf(3, 12);
/** The blueprints of two days are different ones. */
const firstSeed = seed * 100;
const requestsEach = Number(process.env["REQUESTS"] ?? 250);
/** Projects that are served at the same time: one is compared while another waits for a reply. */
const AT_ONCE = 2;

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

async function runOne(seed: number, counts: Counts): Promise<void> {
  const { text, model } = generateBlueprint(seed);
  const project = await cell.addProject(`differential-${seed}`);
  await project.publish(text);
  const { people, organizations, callers, admin } = await makePeople(cell.origin, project, model);
  const document = await fetch(`${cell.origin}/v1/openapi.json`, { headers: admin.headers });
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    const traffic = new Traffic(
      {
        origin: cell.origin,
        schema: project.schema,
        client,
        world: newWorld(model, people, organizations),
        callers,
        api: readDocument((await document.json()) as JsonObject),
        random: new Random(seed),
      },
      counts,
    );
    for (let i = 0; i < requestsEach; i++) {
      await traffic.request();
      // Later disagreements are usually consequences of the first.
      if (counts.disagreements.length === 0) continue;
      counts.disagreements.push(`in blueprint ${seed}, request ${i}`);
      return;
    }
  } finally {
    await client.end();
  }
}

test("the service gives the same answers as a model of the language", async () => {
  const started = performance.now();
  const all: Counts[] = [];
  const seeds = Array.from({ length: blueprints }, (_, i) => firstSeed + i);
  const worker = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const counts = newCounts();
      all.push(counts);
      await runOne(seed, counts);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const sum = (of: (counts: Counts) => Record<string, number>): Record<string, number> => {
    const total: Record<string, number> = {};
    for (const counts of all)
      for (const [name, count] of Object.entries(of(counts))) total[name] = (total[name] ?? 0) + count;
    return total;
  };
  const requests = all.reduce((total, counts) => total + counts.requests, 0);
  const disagreements = all.flatMap((counts) => counts.disagreements);
  console.log(
    `${blueprints} blueprints from seed ${firstSeed}, ${requests} requests in ${Math.round((performance.now() - started) / 1000)} s: ` +
      `${JSON.stringify(sum((counts) => counts.byOperation))}, by status ${JSON.stringify(sum((counts) => counts.byStatus))}`,
  );
  expect(disagreements, disagreements.join("\n")).toEqual([]);
}, 3_600_000);
