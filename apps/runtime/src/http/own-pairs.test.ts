// Rules over a record's own many-to-many references: a write is judged and answered with the pairs that it writes;
// `old` has the previous pairs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: own-pairs
modules: [auth, users, roles, audit_logs]

entities:
  label:
    fields: { name: string }
    permissions:
      admin: { all: true }
      user: { read: true }

  letter:
    fields:
      title: string
      labels: refs(label)
      others: refs(letter) as(named_by)
    permissions:
      admin: { all: true }
      user:
        read: '!labels.exists(x, x.name == "secret")'
        create: '!labels.exists(x, x.name == "closed") && size(labels) < 3'
        update: '!old.labels.exists(x, x.name == "frozen") && !new.labels.exists(x, x.name == "closed") && !new.named_by.exists(x, x.title == "alone")'

  card:
    fields:
      title: string
      note: string?
      labels: refs(label)
    permissions:
      admin: { all: true }
      user:
        read: { allow: true, fields: [id, title] }
        create: true
        update: true
      reader:
        read: 'labels.exists(x, x.name == "open")'
        create: { allow: 'labels.exists(x, x.name == "open")', fields: [title, note, labels] }
        update: { allow: 'new.labels.exists(x, x.name == "open")', fields: [title, note, labels] }

roles:
  reader: { inherits: user }
`;

let cell: TestCell;
let project: TestProject;
const labels: Record<string, string> = {};

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  await cell.addUser("rita", project, ["reader", "user"]);
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  for (const name of ["open", "closed", "secret", "frozen", "plain"]) labels[name] = await make("labels", { name });
});
afterAll(() => cell?.close());

async function make(plural: string, values: object, as = "adminkey"): Promise<string> {
  const reply = await cell.send(as, "POST", `/v1/resources/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

const idsOf = (...names: readonly string[]): readonly string[] => names.map((name) => labels[name]!);

async function refused(request: Parameters<TestCell["send"]>): Promise<void> {
  const before = await cell.fingerprint(project);
  const reply = await cell.send(...request);
  expect([reply.status, reply.json?.code], reply.text).toEqual([403, "forbidden"]);
  expect(await cell.fingerprint(project)).toBe(before);
}

describe("a create", () => {
  const create = (names: readonly string[], as = "ana"): Parameters<TestCell["send"]> => [
    as,
    "POST",
    "/v1/resources/letters",
    { title: "t", labels: idsOf(...names) },
  ];

  test("is judged by the list that it sends", async () => {
    await refused(create(["closed"]));
    await refused(create(["plain", "open", "frozen"]));
    for (const names of [[], ["plain", "open"]]) expect((await cell.send(...create(names))).status).toBe(201);
    expect((await cell.send("ana", "POST", "/v1/resources/letters", { title: "t" })).status).toBe(201);
  });

  test("shows no record that the read rule hides", async () => {
    const reply = await cell.send(...create(["secret"]));
    expect([reply.status, reply.json.data], reply.text).toEqual([201, { id: expect.any(String) }]);
    expect((await cell.send("ana", "GET", `/v1/resources/letters/${reply.json.data.id}`)).status).toBe(404);
    expect((await cell.send(...create(["plain"]))).json.data).toMatchObject({ labels: idsOf("plain") });
  });
});

describe("an update", () => {
  const letter = (...names: readonly string[]): Promise<string> =>
    make("letters", { title: "t", labels: idsOf(...names) });
  const update = (id: string, values: object): Parameters<TestCell["send"]> => [
    "ana",
    "PATCH",
    `/v1/resources/letters/${id}`,
    values,
  ];

  test("is judged by the new list in `new`, and by the old one in `old`", async () => {
    const id = await letter("plain");
    await refused(update(id, { labels: idsOf("closed") }));
    const frozen = await letter("frozen");
    await refused(update(frozen, { labels: [] }));
    const closed = await letter("closed", "plain");
    await refused(update(closed, { title: "other" }));
    expect((await cell.send(...update(closed, { labels: idsOf("plain") }))).status).toBe(200);
    expect((await cell.send(...update(id, { labels: idsOf("frozen") }))).status).toBe(200);
    await refused(update(id, { labels: idsOf("plain") }));
  });

  test("shows no record that the read rule hides from now on, and one that it no longer hides", async () => {
    const id = await letter("plain");
    const hiding = await cell.send(...update(id, { labels: idsOf("secret") }));
    expect([hiding.status, hiding.json.data]).toEqual([200, { id }]);
    const shown = await cell.send(...update(id, { labels: idsOf("open") }));
    expect([shown.status, shown.json.data]).toMatchObject([200, { id, title: "t", labels: idsOf("open") }]);
  });

  test("is judged by the new list from its other side, if both sides are the same entity", async () => {
    const id = await make("letters", { title: "alone" });
    await refused(update(id, { others: [id] }));
    expect((await cell.send(...update(id, { others: [await letter()] }))).status).toBe(200);
  });
});

describe("a grant of fields", () => {
  test("opens fields according to the written list, in the body and in the reply", async () => {
    const path = "/v1/resources/cards";
    const opened = await cell.send("rita", "POST", path, { title: "t", note: "n", labels: idsOf("open") });
    expect([opened.status, opened.json.data]).toMatchObject([201, { title: "t", note: "n", labels: idsOf("open") }]);
    const closed = await cell.send("rita", "PATCH", `${path}/${opened.json.data.id}`, { labels: idsOf("plain") });
    expect([closed.status, closed.json.data]).toEqual([200, { id: opened.json.data.id, title: "t" }]);
    const again = await cell.send("rita", "PATCH", `${path}/${opened.json.data.id}`, { labels: idsOf("open") });
    expect(again.json.data).toMatchObject({ note: "n", labels: idsOf("open") });
  });
});
