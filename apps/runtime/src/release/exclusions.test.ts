// An exclusion that is added to existing records, executed by the runner. Wherever it is stopped, it ends the same. If
// clients write overlapping records meanwhile, it stops before the switch and leaves nothing behind.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import type { ProjectId, Publication } from "@plinth/bundle";
import { compileModel, proposeChange } from "@plinth/compiler";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inspectSchema } from "./drift.ts";
import { openRunner, publicationOf, type Runner } from "./testing/runner.ts";

let runner: Runner;
let tag = 0;

beforeAll(async () => {
  runner = await openRunner();
});
afterAll(() => runner?.close());

function modelOf(options = ""): Model {
  const { model, diagnostics } = checkBlueprint(`project: desk
modules: [auth, users, roles]
entities:
  booking:
${options}    fields:
      room: string
      first: int
      last: int
    permissions:
      admin: { all: true }
`);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const before = modelOf();
const after = modelOf("    exclude: { once: { same: [room], overlap: [first, last] } }\n");

function publication(projectId: ProjectId, from: Model | null, to: Model): Publication {
  const live = from === null ? null : { model: from, bundle: compileModel(from) };
  const proposed = proposeChange({ before: live, after: to, setAside: [], tag: `t${++tag}`, author: "person" });
  expect(proposed.refused).toEqual([]);
  return publicationOf(projectId, proposed.bundle, live?.bundle ?? null, proposed.plan.steps);
}

async function liveProject(): Promise<ProjectId> {
  const projectId = await runner.newProject();
  expect((await runner.deploy(publication(projectId, null, before))).error).toBeNull();
  await runner.sql(
    projectId,
    `insert into {schema}.bookings (id, room, first, last)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'a', n * 10, n * 10 + 10 from generate_series(1, 1500) n`,
  );
  return projectId;
}

const book = (projectId: ProjectId, first: number): Promise<unknown> =>
  runner.sql(
    projectId,
    `insert into {schema}.bookings (id, room, first, last) values (gen_random_uuid(), 'a', ${first}, ${first + 1})`,
  );

const drift = async (projectId: ProjectId): Promise<unknown> => (await inspectSchema(runner.pool, projectId))?.drift;

it("ends the same wherever it was stopped", async () => {
  const { plan } = publication(await runner.newProject(), before, after);
  const stops = [...plan.steps.map(({ id }) => ({ id, batch: 0 })), { id: "guard", batch: 2 }];
  for (const { id, batch } of stops) {
    const projectId = await liveProject();
    const change = publication(projectId, before, after);
    await runner.receive(change);
    let batches = 0;
    const broken = runner.migrator({
      beforeStep: async (stepId) => {
        if (stepId === id) throw new Error("killed");
      },
      beforeBatch: async () => {
        if (++batches === batch) throw new Error("killed");
      },
    });
    broken.start(change.releaseId);
    await broken.idle();
    await broken.stop();
    const next = runner.migrator();
    next.start(change.releaseId);
    await next.idle();
    await next.stop();
    expect(await runner.status(change), id).toMatchObject({ status: "active", error: null, finished: true });
    expect(await drift(projectId), id).toEqual([]);
    for (const first of [15, 15_005]) await expect(book(projectId, first)).rejects.toMatchObject({ code: "23P01" });
  }
});

it("fails before the switch if overlapping records were written meanwhile, and leaves nothing behind", async () => {
  const projectId = await liveProject();
  const change = publication(projectId, before, after);
  await runner.receive(change);
  const migrator = runner.migrator({
    beforeBatch: async () => {
      if ((await runner.sql(projectId, "select 1 from {schema}.bookings where first = 14005")).length === 0)
        await book(projectId, 14_005);
    },
  });
  migrator.start(change.releaseId);
  await migrator.idle();
  await migrator.stop();
  const status = await runner.status(change);
  expect(status).toMatchObject({ status: "failed" });
  expect(status.error).toContain("Records that overlap were written during the deployment");

  const again = await runner.deploy(publication(projectId, before, after));
  expect(again).toMatchObject({ status: "failed" });
  expect(again.error).toContain("overlap with an earlier one");

  const other = modelOf("    label: Booking\n    index: [[first]]\n");
  expect((await runner.deploy(publication(projectId, before, other))).error).toBeNull();
  expect(await drift(projectId)).toEqual([]);
  await book(projectId, 14_005);
});
