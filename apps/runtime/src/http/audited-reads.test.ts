// Entities with `audit: all`: the audit log names each record that a reply shows, even as part of another record. A
// request that only looks into such records leaves a line without ids. A write that shows its record needs no second
// line.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: clinic
modules: [auth, users, roles, audit_logs]
roles: { clerk: {} }
entities:
  patient:
    audit: all
    fields:
      name: string
      code: string? unique
    permissions:
      user: { read: true, create: true, update: true }
      clerk: { update: true }
      admin: { all: true }
  visit:
    fields:
      place: string
      patient_id: ref(patient)
      before_id: ref(visit)?
    permissions:
      user: { read: true, create: true, update: true, delete: true }
      admin: { all: true }
  finding:
    audit: all
    fields:
      visit_id: ref(visit)
      text: string
      weight: int = 0
      released: bool = true
    permissions:
      user: { read: released, create: true, update: true, delete: true }
      admin: { all: true }
`;

interface Line {
  readonly operation: string;
  readonly entity: string;
  readonly record_id: string | null;
  readonly changes: unknown;
}

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("clerk", project, keyPrincipal("key_clerk", ["clerk"]));
  cell.addCaller("visitor", project, keyPrincipal("key_public", []));
  await cell.addUser("ana", project, ["user"]);
});
afterAll(() => cell?.close());

const get = (path: string): Promise<TestReply> => cell.send("ana", "GET", path);

async function make(path: string, body: object): Promise<string> {
  const { status, json, text } = await cell.send("admin", "POST", `/api/${path}`, body);
  if (status !== 201) throw new Error(text);
  return json.data.id;
}

/** The lines of the audit log since the last call. */
async function lines(): Promise<readonly Line[]> {
  const found = await cell.rows(
    project,
    "select operation, entity, record_id, changes from {schema}.audit_log order by id",
  );
  await cell.rows(project, "truncate {schema}.audit_log");
  return found as unknown as readonly Line[];
}

/** `finding expand: <ids>`, sorted. */
async function reads(): Promise<readonly string[]> {
  return (await lines())
    .map(({ entity, operation, record_id, changes }) => {
      const ids = record_id ?? (changes as { ids?: readonly string[] } | null)?.ids?.toSorted().join(",") ?? "none";
      return `${entity} ${operation}: ${ids}`;
    })
    .sort();
}

let patients: readonly [string, string];
let visits: readonly [string, string, string];
let findings: readonly [string, string, string, string];

beforeEach(async () => {
  await cell.rows(project, "truncate {schema}.patients, {schema}.visits, {schema}.findings cascade");
  patients = [await make("patients", { name: "Pat", code: "p" }), await make("patients", { name: "Quinn" })];
  const first = await make("visits", { place: "Rome", patient_id: patients[0] });
  const second = await make("visits", { place: "Oslo", patient_id: patients[1], before_id: first });
  const third = await make("visits", { place: "Bern", patient_id: patients[0] });
  visits = [first, second, third];
  findings = [
    await make("findings", { visit_id: first, text: "a", weight: 3 }),
    await make("findings", { visit_id: first, text: "b", weight: 2 }),
    await make("findings", { visit_id: second, text: "c", weight: 1 }),
    await make("findings", { visit_id: first, text: "hidden", released: false }),
  ];
  await lines();
});

const joined = (...ids: readonly string[]): string => ids.toSorted().join(",");

describe("records that are part of another one", () => {
  test("are named where one record is read", async () => {
    const { status, json } = await get(`/api/visits/${visits[0]}?expand=findings,patient&fields=place,findings.text`);
    expect(status).toBe(200);
    expect(json.data.findings.map(({ text }: { text: string }) => text).sort()).toEqual(["a", "b"]);
    expect(await reads()).toEqual([
      `finding expand: ${joined(findings[0], findings[1])}`,
      `patient expand: ${patients[0]}`,
    ]);
  });

  test("are named once for a page, without those of the record after it", async () => {
    const { json } = await get("/api/visits?expand=findings,patient&sort=place&limit=2");
    expect(json.data.map(({ place }: { place: string }) => place)).toEqual(["Bern", "Oslo"]);
    expect(json.data[1].findings).toHaveLength(1);
    expect(await reads()).toEqual([`finding expand: ${findings[2]}`, `patient expand: ${joined(...patients)}`]);
  });

  test("are named up to the limit of a list within the record", async () => {
    const some = "expand[findings][where]=%7B%22weight%22:%7B%22gte%22:2%7D%7D&expand[findings][sort]=-weight";
    const { json } = await get(`/api/visits?place=Rome&expand=findings&expand[findings][limit]=1&${some}`);
    expect(json.data[0].findings).toMatchObject([{ text: "a" }]);
    expect(await reads()).toEqual([`finding expand: ${findings[0]}`]);
  });

  test("are named below records that are not audited, at any depth", async () => {
    const query = "expand=visits.findings,visits.before.findings&expand[visits][where]=%7B%22place%22:%22Oslo%22%7D";
    const { json, text } = await get(`/api/patients/${patients[1]}?${query}`);
    expect(json.data.visits[0].before.findings, text).toHaveLength(2);
    expect(await reads()).toEqual([
      `finding expand: ${joined(findings[0], findings[1], findings[2])}`,
      `patient read: ${patients[1]}`,
    ]);
  });

  test("are named in addition to the records that contain them, if those are audited too", async () => {
    const { json } = await get("/api/findings?expand=visit.patient&sort=text&limit=1&count=exact");
    expect(json).toMatchObject({ data: [{ text: "a", visit: { patient: { name: "Pat" } } }], page: { count: 3 } });
    expect(await reads()).toEqual([`finding list: ${findings[0]}`, `patient expand: ${patients[0]}`]);
  });

  test("are not named if none is shown", async () => {
    expect((await get(`/api/visits/${visits[2]}?expand=findings`)).json.data.findings).toEqual([]);
    expect((await get("/api/visits?place=Nowhere&expand=findings,patient&count=exact")).json.page.count).toBe(0);
    expect((await get(`/api/visits/${crypto.randomUUID()}?expand=findings`)).status).toBe(404);
    expect(await reads()).toEqual([]);
  });

  test("are named if the record is found by its key", async () => {
    await get("/api/patients/by/code/p?expand=visits.findings");
    const named = [`finding expand: ${joined(findings[0], findings[1])}`, `patient read: ${patients[0]}`];
    expect(await reads()).toEqual(named);
  });

  test("stay hidden and unnamed for callers who can't read them", async () => {
    const refused = await cell.send("visitor", "GET", `/api/visits/${visits[0]}?expand=findings`);
    expect(refused.status).toBe(403);
    expect(await lines()).toEqual([]);
  });
});

describe("a request that looks into such records", () => {
  test.each([
    ["a filter", "/api/visits?findings.weight[gte]=1"],
    ["a filter in `where`", "/api/visits?where=%7B%22not%22:%7B%22findings%22:%7B%22weight%22:1%7D%7D%7D"],
    ["a filter of an aggregate", "/api/visits/aggregate?select=count&findings.weight=1"],
    ["a count", "/api/visits?findings.weight=1&count=exact&limit=1"],
    [
      "a filter within an expansion",
      "/api/visits?expand=before.visits&expand[before.visits][where]=%7B%22findings%22:%7B%22weight%22:1%7D%7D",
    ],
  ])("by %s leaves a line without ids", async (_, path) => {
    const { status, text } = await get(path);
    expect(status, text).toBe(200);
    expect(await reads()).toEqual(["finding filter: none"]);
  });

  test.each([
    ["an order", "/api/visits?sort=patient.name"],
    ["an order within an expansion", `/api/visits?expand=visits&expand[visits][sort]=patient.name`],
    ["groups", "/api/visits/aggregate?select=count&group_by=patient.name"],
  ])("by %s leaves a line without ids", async (_, path) => {
    const { status, text } = await get(path);
    expect(status, text).toBe(200);
    expect(await reads()).toEqual(["patient filter: none"]);
  });

  test("of the list's own entity leaves a second line", async () => {
    await get("/api/patients?visits.patient.name=Pat&fields=id");
    expect(await reads()).toEqual(["patient filter: none", `patient list: ${patients[0]}`]);
  });

  test("and shows them leaves both lines", async () => {
    await get("/api/visits?findings.weight=1&expand=findings");
    expect(await reads()).toEqual([`finding expand: ${findings[2]}`, "finding filter: none"]);
  });
});

describe("the record that a write shows", () => {
  const write = async (method: string, path: string, body?: object): Promise<TestReply> => {
    const reply = await cell.send("ana", method, path, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply;
  };

  test.each([
    ["all of the record", ""],
    ["some of its fields", "?fields=name"],
  ])("only has the line of the write: %s", async (_, query) => {
    const { json } = await write("POST", `/api/patients${query === "" ? "" : "?fields=id,name"}`, { name: "Rhea" });
    await write("PATCH", `/api/patients/${json.data.id}${query}`, { name: "Rea" });
    await write("PATCH", `/api/patients/by/code/p${query}`, { name: "Patricia" });
    await write("PUT", `/api/patients/by/code/p${query}`, { name: "Pat" });
    const update = `patient update: ${patients[0]}`;
    const expected = [`patient create: ${json.data.id}`, `patient update: ${json.data.id}`, update, update];
    expect(await reads()).toEqual(expected.toSorted());
  });

  test("with other records in it leaves a line for those", async () => {
    await write("PATCH", `/api/patients/${patients[0]}?expand=visits.findings`, { name: "Patricia" });
    const shown = `finding expand: ${joined(findings[0], findings[1])}`;
    expect(await reads()).toEqual([shown, `patient update: ${patients[0]}`]);
  });

  test("with nested records leaves one line for each", async () => {
    const visit = { place: "Lima", findings: [{ text: "d" }] };
    const { json } = await write("POST", "/api/patients", { name: "Rhea", visits: [visit] });
    const [visited] = json.data.visits;
    expect(await reads()).toEqual([
      `finding create: ${visited.findings[0].id}`,
      `patient create: ${json.data.id}`,
      `visit create: ${visited.id}`,
    ]);
  });

  test("counts as a read if the write changes nothing", async () => {
    for (const query of ["", "?fields=name"]) {
      await write("PATCH", `/api/patients/${patients[0]}${query}`, {});
      expect(await reads()).toEqual([`patient read: ${patients[0]}`]);
      await write("PUT", `/api/patients/by/code/p${query}`, {});
      expect(await reads()).toEqual([`patient read: ${patients[0]}`]);
      await write("PATCH", `/api/patients/${patients[0]}${query}`, { visits: { create: [{ place: "Lima" }] } });
      expect(await reads()).toEqual([`patient read: ${patients[0]}`, expect.stringContaining("visit create")]);
    }
  });

  test("leaves no line if the caller can't read it", async () => {
    const reply = await cell.send("clerk", "PATCH", `/api/patients/${patients[0]}`, {});
    expect([reply.status, reply.json.data]).toEqual([200, { id: patients[0] }]);
    const kept = { "idempotency-key": "nothing-of-it" };
    expect((await cell.send("clerk", "PATCH", `/api/patients/${patients[0]}`, {}, kept)).status).toBe(200);
    expect(await lines()).toEqual([]);
  });

  test("leaves a line each time the request is repeated", async () => {
    const again = { "idempotency-key": "a-second-time" };
    for (const replayed of [null, "true"]) {
      const reply = await cell.send("ana", "PATCH", `/api/patients/${patients[0]}`, {}, again);
      expect([reply.status, reply.headers.get("idempotency-replayed")]).toEqual([200, replayed]);
      expect(reply.json.data.name).toBe("Pat");
    }
    expect(await reads()).toEqual([`patient read: ${patients[0]}`, `patient read: ${patients[0]}`]);
  });
});
