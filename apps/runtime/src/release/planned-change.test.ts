// A change of every class as the compiler plans it, executed by the runner, stopped before every third of its steps.
// After each of them, the end is the same schema with the same values, no drift, and nothing left to plan.
import { checkBlueprint, type Model, renamesOf } from "@plinth/blueprint";
import { compileModel, proposeChange } from "@plinth/compiler";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inspectSchema } from "./drift.ts";
import { openRunner, publicationOf, type Runner } from "./testing/runner.ts";

const permissions = "    permissions:\n      admin: { all: true }\n";
const BEFORE = `project: desk
modules: [auth, users, roles]
entities:
  listing:
    fields:
      title: string
      price: int
      rating: string
      note: text?
      code: string?
      status: enum[draft, active, old] = draft
${permissions}  tag:
    fields:
      name: string
${permissions}`;
const AFTER = `project: desk
modules: [auth, users, roles]
entities:
  offer:
    was: listing
    unique: [[code]]
    fields:
      headline: string(1, 80) was(title)
      price: decimal(12,2)
      rating: int
      code: string
      label: string(1, 200) fill(headline)
      number: sequence(N-)
      size: string = "m"
      status: enum[draft, active] = draft
      owner_id: ref(owner_card)?
${permissions}  owner_card:
    fields:
      name: string
    seed:
      - { name: first }
${permissions}`;

let runner: Runner;
let before: Model;
let after: Model;

beforeAll(async () => {
  runner = await openRunner();
  before = modelOf(BEFORE);
  after = modelOf(AFTER);
});
afterAll(() => runner?.close());

function modelOf(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  const errors = diagnostics.filter((each) => each.severity === "error");
  if (model === null || errors.length > 0) throw new Error(JSON.stringify(errors));
  return model;
}

function change() {
  const live = { model: before, bundle: compileModel(before) };
  const proposed = proposeChange({ before: live, after, setAside: [], tag: "t1", author: "person" });
  expect(proposed.refused).toEqual([]);
  return { live, ...proposed };
}

async function liveProject() {
  const projectId = await runner.newProject();
  const { bundle, plan } = proposeChange({ before: null, after: before, setAside: [], tag: "t0", author: "person" });
  expect((await runner.deploy(publicationOf(projectId, bundle, null, plan.steps))).error).toBeNull();
  await runner.sql(
    projectId,
    `insert into {schema}.listings (id, title, price, rating, note, code, status)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 't' || n, n, n::text, 'kept ' || n, 'c' || n, 'active'
     from generate_series(1, 700) n`,
  );
  return projectId;
}

async function endOf(projectId: string): Promise<unknown> {
  const { rows } = await runner.pool.query(
    "SELECT entries::text FROM plinth.catalogues WHERE project_id = $1 ORDER BY recorded_at DESC LIMIT 1",
    [projectId],
  );
  const offers = await runner.sql(
    projectId as never,
    `select count(*)::int, sum(price)::text as price, sum(rating)::int as rating, min(headline), max(code), min(size),
     count(*) filter (where label = headline)::int as labelled, count(distinct number)::int as numbers
     from {schema}.offers`,
  );
  const cards = await runner.sql(projectId as never, "select name from {schema}.owner_cards");
  const { drift, setAside } = (await inspectSchema(runner.pool, projectId as never)) ?? {};
  const kept = (setAside ?? []).map(({ until: _, ...what }) => what);
  const { schema } = tenantNames(projectId);
  return { catalogue: rows[0].entries.replaceAll(schema, "schema"), offers, cards, drift, kept };
}

it("ends the same wherever it was stopped", async () => {
  const { live, bundle, plan } = change();
  const whole = await liveProject();
  const straight = await runner.deploy(publicationOf(whole, bundle, live.bundle, plan.steps));
  expect(straight).toMatchObject({ status: "active", error: null, finished: true });
  const expected = await endOf(whole);
  expect(expected).toMatchObject({
    offers: [{ count: 700, price: "245350.00", rating: 245_350, min: "m", max: "c99", labelled: 700, numbers: 700 }],
    cards: [{ name: "first" }],
    drift: [],
  });
  expect(
    (expected as { kept: { column: string | null; table: string }[] }).kept
      .map((what) => what.column ?? what.table)
      .sort(),
  ).toEqual(["note", "price", "rating", "tags"]);
  const phases = new Set(plan.steps.map((step) => `${step.phase} ${step.kind}`));
  expect(phases.size).toBeGreaterThanOrEqual(6);

  // The first of each phase and kind, and every third of the others: all of them take a minute and a half on a busy
  // machine.
  const seen = new Set<string>();
  const stops = plan.steps.filter(({ phase, kind }, index) => {
    const isNew = !seen.has(`${phase} ${kind}`);
    seen.add(`${phase} ${kind}`);
    return isNew || index % 3 === 0;
  });
  for (const { id } of stops) {
    const projectId = await liveProject();
    const publication = publicationOf(projectId, bundle, live.bundle, plan.steps);
    await runner.receive(publication);
    const broken = runner.migrator({
      beforeStep: async (stepId) => {
        if (stepId === id) throw new Error("killed");
      },
    });
    broken.start(publication.releaseId);
    await broken.idle();
    await broken.stop();
    const next = runner.migrator();
    next.start(publication.releaseId);
    await next.idle();
    await next.stop();
    expect(await runner.status(publication), id).toMatchObject({ status: "active", error: null, finished: true });
    expect(await endOf(projectId), id).toEqual(expected);
  }
  console.info(`${plan.steps.length} steps, stopped before ${stops.length} of them; ${[...phases].join(", ")}`);
}, 120_000);

it("leaves nothing to plan, and can be reverted with the data that was set aside", async () => {
  const { live, bundle, plan } = change();
  const projectId = await liveProject();
  await runner.deploy(publicationOf(projectId, bundle, live.bundle, plan.steps));
  const setAside = (await inspectSchema(runner.pool, projectId))?.setAside ?? [];
  const again = proposeChange({ before: { model: after, bundle }, after, setAside, tag: "t2", author: "person" });
  expect(again.plan.steps).toEqual([]);
  expect(renamesOf(after, after)).toEqual({ tables: {}, columns: {} });

  const [listing, tag] = before.entities;
  if (listing === undefined || tag === undefined) throw new Error("there are two entities");
  const title = listing.fields.map((field) => (field.name === "title" ? { ...field, was: "headline" } : field));
  const earlier = { ...before, entities: [{ ...listing, was: "offer", fields: title }, tag] };
  const back = proposeChange({
    before: { model: after, bundle },
    after: earlier,
    setAside,
    tag: "t3",
    author: "person",
  });
  expect(back.refused).toEqual([]);
  const status = await runner.deploy(publicationOf(projectId, back.bundle, bundle, back.plan.steps));
  expect(status).toMatchObject({ status: "active", error: null, finished: true });
  const rows = await runner.sql(
    projectId,
    "select count(*)::int, sum(price)::int as price, min(note) as note, max(title) as title from {schema}.listings",
  );
  expect(rows).toEqual([{ count: 700, price: 245_350, note: "kept 1", title: "t99" }]);
  expect((await inspectSchema(runner.pool, projectId))?.drift).toEqual([]);
}, 60_000);
