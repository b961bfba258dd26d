// State machines over HTTP: a state only changes along an edge, both by its route and by an update.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

let cell: TestCell;
let project: TestProject;
let other: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(wholeBlueprint);
  other = await cell.addProject(wholeBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("bob", project, ["owner", "user"]);
  await cell.addUser("sue", project, ["owner", "support", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("otherkey", other, keyPrincipal("key_other", ["admin"]));
});
afterAll(() => cell?.close());

const path = "/v1/resources/tickets";
const to = (id: string, edge: string): string => `${path}/${id}/transitions/${edge}`;

async function ticket(state: "draft" | "open" | "solved" | "closed" = "draft"): Promise<string> {
  const { json, status, text } = await cell.send("ana", "POST", path, { title: "t" });
  expect(status, text).toBe(201);
  const { id } = json.data;
  if (state !== "draft") expect((await cell.send("ana", "POST", to(id, "submit"))).status).toBe(200);
  if (state === "solved") expect((await cell.send("sue", "POST", to(id, "solve"), { answer: "a" })).status).toBe(200);
  if (state === "closed") expect((await cell.send("sue", "POST", to(id, "close"))).status).toBe(200);
  return id;
}

async function refused(status: number, code: string, request: Parameters<TestCell["send"]>): Promise<string> {
  const before = await cell.fingerprint(project);
  const reply = await cell.send(...request);
  expect([reply.status, reply.json?.code], reply.text).toEqual([status, code]);
  expect(await cell.fingerprint(project)).toBe(before);
  return reply.text;
}

describe("a transition", () => {
  test("moves the state, writes what it requires, and is audited under its name", async () => {
    const id = await ticket();
    const submitted = await cell.send("ana", "POST", to(id, "submit"), {}, { "x-request-id": "req-t" });
    expect(submitted.status, submitted.text).toBe(200);
    expect(submitted.json.data).toMatchObject({ id, status: "open", version: 2 });
    const solved = await cell.send("sue", "POST", to(id, "solve"), { answer: "Restart it" });
    expect(solved.json.data).toMatchObject({ status: "solved", answer: "Restart it", version: 3 });
    const rows = await cell.rows(
      project,
      "select operation, changes from {schema}.audit_log where record_id = $1 order by id",
      [id],
    );
    expect(rows.slice(1)).toEqual([
      { operation: "transition:submit", changes: { status: ["draft", "open"] } },
      { operation: "transition:solve", changes: { status: ["open", "solved"], answer: [null, "Restart it"] } },
    ]);
  });

  test("is 401, 403 or 404 for those who can't use it", async () => {
    const id = await ticket();
    await refused(401, "unauthenticated", [null, "POST", to(id, "submit")]);
    await refused(403, "forbidden", ["pub", "POST", to(id, "submit")]);
    await refused(403, "forbidden", ["ana", "POST", to(id, "solve"), { answer: "x" }]);
    await refused(403, "forbidden", ["sue", "POST", to(id, "submit")]);
    const missing = "018f0000-0000-7000-8000-000000000000";
    const same = { "x-request-id": "same" };
    const texts = [id, missing].map((each) =>
      refused(404, "not_found", ["bob", "POST", to(each, "submit"), undefined, same]),
    );
    expect(new Set(await Promise.all(texts)).size).toBe(1);
    expect(await refused(404, "not_found", ["bob", "POST", to("no-uuid", "submit")])).toContain("no-uuid is not an id");
    await refused(404, "not_found", ["otherkey", "POST", to(id, "close")]);
    await refused(404, "not_found", ["adminkey", "POST", to(id, "nowhere")]);
  });

  test("from another state is a 409 that names the state and the possible edges", async () => {
    const id = await ticket("open");
    const text = await refused(409, "transition_not_allowed", ["ana", "POST", to(id, "submit")]);
    expect(text).toContain("status is open");
    expect(text).not.toContain("solve");
    const draft = await ticket();
    expect(
      await refused(409, "transition_not_allowed", ["sue", "POST", to(draft, "solve"), { answer: "a" }]),
    ).toContain("status is draft; possible from there: submit");
    const closed = await ticket("closed");
    expect(await refused(409, "transition_not_allowed", ["sue", "POST", to(closed, "close")])).toContain(
      "no transition",
    );
  });

  test("without a required value is a 422 at the field", async () => {
    const id = await ticket("open");
    expect(await refused(422, "validation_failed", ["sue", "POST", to(id, "solve")])).toContain('"path":"/answer"');
    expect(await refused(422, "validation_failed", ["sue", "POST", to(id, "solve"), { answer: null }])).toContain(
      "/answer",
    );
  });

  test("takes no other field, and no query", async () => {
    const id = await ticket("open");
    const text = await refused(422, "validation_failed", ["sue", "POST", to(id, "solve"), { answer: "a", title: "x" }]);
    expect(text).toContain('"path":"/title"');
    await refused(422, "validation_failed", ["sue", "POST", to(id, "close"), { status: "closed" }]);
    await refused(400, "unknown_parameter", ["sue", "POST", `${to(id, "close")}?x=1`]);
    await refused(405, "method_not_allowed", ["sue", "GET", to(id, "close")]);
  });

  test("of two simultaneous callers succeeds for one", async () => {
    for (let round = 0; round < 10; round++) {
      const id = await ticket();
      const replies = await Promise.all([1, 2, 3].map(() => cell.send("ana", "POST", to(id, "submit"))));
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409]);
      const rows = await cell.rows(
        project,
        "select 1 from {schema}.audit_log where record_id = $1 and operation = 'transition:submit'",
        [id],
      );
      expect(rows).toHaveLength(1);
    }
  });
});

describe("an update", () => {
  test("only changes the state along an edge that the caller can use", async () => {
    const id = await ticket();
    await refused(409, "transition_not_allowed", ["ana", "PATCH", `${path}/${id}`, { status: "closed" }]);
    await refused(409, "transition_not_allowed", ["adminkey", "PATCH", `${path}/${id}`, { status: "solved" }]);
    await refused(409, "transition_not_allowed", ["sue", "PATCH", `${path}/${id}`, { status: "open" }]);
    const open = await cell.send("ana", "PATCH", `${path}/${id}`, { status: "open", title: "now" });
    expect(open.json.data, open.text).toMatchObject({ status: "open", title: "now" });
    expect(await refused(422, "validation_failed", ["sue", "PATCH", `${path}/${id}`, { status: "solved" }])).toContain(
      "/answer",
    );
    const solved = await cell.send("sue", "PATCH", `${path}/${id}`, { status: "solved", answer: "a" });
    expect(solved.json.data.status).toBe("solved");
    expect((await cell.send("adminkey", "PATCH", `${path}/${id}`, { status: "closed" })).json.data.status).toBe(
      "closed",
    );
  });

  test("can name the present state", async () => {
    const id = await ticket("open");
    const reply = await cell.send("ana", "PATCH", `${path}/${id}`, { status: "open", title: "same" });
    expect(reply.json.data, reply.text).toMatchObject({ status: "open", title: "same" });
  });
});

test("a record is created in the initial state", async () => {
  await refused(422, "validation_failed", ["adminkey", "POST", path, { title: "x", status: "open", owner_id: null }]);
  expect((await cell.send("ana", "POST", path, { title: "x", status: "draft" })).json.data.status).toBe("draft");
});
