// A delete that marks some records and destroys others. For each record, its references decide which.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const access = "permissions: { admin: { all: true } }";
const blueprint = `
project: mixed-cascade
modules: [auth, users, roles, audit_logs]

entities:
  plant:
    soft_delete: true
    fields: { name: string? }
    ${access}
  crate:
    fields: { plant_id: ref(plant) on_delete(cascade) }
    ${access}
  good:
    soft_delete: true
    fields: { plant_id: ref(plant)? on_delete(cascade), crate_id: ref(crate)? on_delete(cascade) }
    ${access}
  hint:
    soft_delete: true
    fields: { good_id: ref(good) on_delete(cascade) }
    ${access}
  note:
    soft_delete: true
    fields: { plant_id: ref(plant) on_delete(cascade), crate_id: ref(crate)? on_delete(set_null) }
    ${access}
  rule:
    soft_delete: true
    fields: { plant_id: ref(plant) on_delete(cascade), crate_id: ref(crate)? on_delete(restrict) }
    ${access}
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
});
afterAll(() => cell?.close());

async function make(plural: string, values: object): Promise<string> {
  const reply = await cell.send("adminkey", "POST", `/v1/resources/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

async function send(method: string, path: string, status: number): Promise<void> {
  const reply = await cell.send("adminkey", method, `/v1/resources/${path}`);
  expect(reply.status, reply.text).toBe(status);
}

/** By record: `marked`, `living`, or null if it is gone. */
async function states(plural: string, ids: readonly string[]): Promise<readonly (string | null)[]> {
  const rows = await cell.rows(
    project,
    `select id, case when deleted_at is null then 'living' else 'marked' end as state from {schema}.${plural} where id = any($1)`,
    [ids],
  );
  return ids.map((id) => (rows.find((row) => row.id === id)?.state as string | undefined) ?? null);
}

test("a record that can be marked is marked, even if others of its entity are destroyed", async () => {
  const plant = await make("plants", {});
  const crate = await make("crates", { plant_id: plant });
  const goods = [
    await make("goods", { plant_id: plant }),
    await make("goods", { crate_id: crate }),
    await make("goods", { plant_id: plant, crate_id: crate }),
    await make("goods", {}),
  ];
  const hints: string[] = [];
  for (const good of goods) hints.push(await make("hints", { good_id: good }));
  await send("DELETE", `plants/${plant}`, 204);
  expect(await states("goods", goods)).toEqual(["marked", null, null, "living"]);
  expect(await states("hints", hints)).toEqual(["marked", null, null, "living"]);
  const audits = await cell.rows(
    project,
    "select record_id from {schema}.audit_log where operation = 'delete' and record_id = any($1)",
    [[plant, crate, ...goods, ...hints]],
  );
  expect(audits.map((row) => row.record_id).sort()).toEqual(
    [plant, crate, ...goods.slice(0, 3), ...hints.slice(0, 3)].sort(),
  );
  await send("POST", `plants/${plant}/restore`, 200);
  expect(await states("goods", goods)).toEqual(["living", null, null, "living"]);
  expect(await states("hints", hints)).toEqual(["living", null, null, "living"]);
});

test("a record that was marked before is only deleted with a destroyed one", async () => {
  const plant = await make("plants", {});
  const crate = await make("crates", { plant_id: plant });
  const goods = [await make("goods", { plant_id: plant }), await make("goods", { crate_id: crate })];
  for (const good of goods) await send("DELETE", `goods/${good}`, 204);
  await send("DELETE", `plants/${plant}`, 204);
  expect(await states("goods", goods)).toEqual(["marked", null]);
});

test("a marked record loses a reference to a destroyed one, or prevents its delete", async () => {
  const plant = await make("plants", {});
  const crate = await make("crates", { plant_id: plant });
  const note = await make("notes", { plant_id: plant, crate_id: crate });
  const rule = await make("rules", { plant_id: plant, crate_id: crate });
  const before = await cell.fingerprint(project);
  await send("DELETE", `plants/${plant}`, 409);
  expect(await cell.fingerprint(project)).toBe(before);
  await cell.rows(project, "update {schema}.rules set crate_id = null where id = $1", [rule]);
  await send("DELETE", `plants/${plant}`, 204);
  expect(await states("notes", [note])).toEqual(["marked"]);
  await send("POST", `plants/${plant}/restore`, 200);
  expect((await cell.send("adminkey", "GET", `/v1/resources/notes/${note}`)).json.data).toMatchObject({
    plant_id: plant,
    crate_id: null,
  });
});
