// A change of state uses an edge, by its own route or by an update: the same permission, the same requirements, the
// same values set by the service, the same line in the audit log.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: moving-orders
modules: [auth, users, roles, audit_logs]
roles:
  clerk: { inherits: user }
  auditor: { inherits: user }
entities:
  customer:
    fields: { name: string }
    permissions:
      clerk: { all: true }
  order:
    fields:
      title: string
      status: enum[draft, open, paid, void] = draft
      note: string?
      paid_at: datetime?
      settled_by: user_ref?
      seen_by: string?
      reason: string?
      customer_id: ref(customer)?
      secret_note: string? pii
    transitions:
      status:
        initial: draft
        submit: { from: draft, to: open }
        pay: { from: open, to: paid, require: [note] }
        refund: { from: paid, to: void }
        cancel: { from: [draft, open, paid], to: void, require: [note] }
    permissions:
      user:
        create: true
        read: true
        update: { allow: true, set: { seen_by: '"anybody"' } }
        "transition:submit": title != "stuck"
        "transition:pay":
          allow: new.note == null || new.note != "no"
          set: { paid_at: now, settled_by: current_user.id, secret_note: '"paid: " + input.note', seen_by: '"payer"' }
        "transition:refund": { allow: old.reason == "broken", set: { reason: '"refunded"' } }
        "transition:cancel": { allow: true, set: { reason: '"cancelled"' } }
      auditor:
        "transition:submit": true
`;

let cell: TestCell;
let project: TestProject;
let ana: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  ana = await cell.addUser("ana", project, ["owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
});
afterAll(() => cell?.close());

type Row = Record<string, unknown>;
const path = "/v1/resources/orders";

async function order(state: "draft" | "open" | "paid" = "draft", values: Row = {}): Promise<string> {
  const { json, text } = await cell.send("ana", "POST", path, { title: "t", note: "n", ...values });
  expect(json.data?.status, text).toBe("draft");
  const edges = { draft: [], open: ["submit"], paid: ["submit", "pay"] }[state];
  for (const edge of edges) {
    expect((await cell.send("ana", "POST", `${path}/${json.data.id}/transitions/${edge}`)).status).toBe(200);
  }
  return json.data.id;
}

/** Makes the same change by both routes. Returns the results of each, without parts that must differ. */
async function both(state: "draft" | "open" | "paid", edge: string, to: string, values: Row = {}) {
  const results = [];
  for (const route of ["transition", "update"] as const) {
    const id = await order(state, values);
    const before = await cell.fingerprint(project);
    const reply =
      route === "transition"
        ? await cell.send("ana", "POST", `${path}/${id}/transitions/${edge}`)
        : await cell.send("ana", "PATCH", `${path}/${id}`, { status: to });
    if (reply.status !== 200) expect(await cell.fingerprint(project)).toBe(before);
    const [last] = await cell.rows(
      project,
      "select operation, changes from {schema}.audit_log where record_id = $1 order by id desc limit 1",
      [id],
    );
    results.push({ reply, last: last as { operation: string; changes: Row } });
  }
  return results as [Result, Result];
}

interface Result {
  readonly reply: Awaited<ReturnType<TestCell["send"]>>;
  readonly last: { readonly operation: string; readonly changes: Row };
}

describe("an update that moves the state", () => {
  test("sets the edge's values, and is audited as the edge", async () => {
    const [transition, update] = await both("open", "pay", "paid");
    for (const { reply, last } of [transition, update]) {
      expect(reply.status, reply.text).toBe(200);
      expect(reply.json.data).toMatchObject({ status: "paid", settled_by: ana, version: 3 });
      expect(Math.abs(Date.parse(reply.json.data.paid_at) - Date.now())).toBeLessThan(60_000);
      expect(last.operation).toBe("transition:pay");
      expect(last.changes).toMatchObject({
        status: ["open", "paid"],
        settled_by: [null, ana],
        paid_at: [null, expect.any(String)],
      });
    }
    // The values that the update's own grant sets are written too, unless the edge sets them itself.
    expect(transition.last.changes).toMatchObject({ seen_by: [null, "payer"] });
    expect(update.last.changes).toMatchObject({ seen_by: [null, "payer"] });
    expect(Object.keys(update.last.changes).sort()).toEqual(Object.keys(transition.last.changes).sort());
  });

  test("uses the edge's value instead of the caller's", async () => {
    const id = await order("open");
    const sent = { status: "paid", settled_by: null, paid_at: "2001-01-01T00:00:00Z", note: "sent", secret_note: "x" };
    const { json, text } = await cell.send("ana", "PATCH", `${path}/${id}`, sent);
    expect(json.data, text).toMatchObject({ status: "paid", settled_by: ana, note: "sent", secret_note: "paid: sent" });
    expect(json.data.paid_at).not.toContain("2001");
    const log = await cell.rows(project, "select changes from {schema}.audit_log where record_id = $1", [id]);
    expect(log.at(-1)?.changes).toMatchObject({ note: ["n", "sent"], secret_note: [null, "[masked]"] });
  });

  test("can name a field that the edge sets and the caller can't read", async () => {
    const { rows } = await cell.pool.query(`select gen_random_uuid() as id`);
    const id = await order("open");
    const sent = { status: "paid", settled_by: rows[0].id };
    expect((await cell.send("ana", "PATCH", `${path}/${id}`, sent)).json.data).toMatchObject({ settled_by: ana });
  });

  test("is refused if its rule refuses, if a value is missing, and if there is no edge", async () => {
    const refusals = [
      ["draft", "submit", "open", { title: "stuck" }, [403, 409]],
      ["open", "pay", "paid", { note: null }, [422, 422]],
      ["open", "pay", "paid", { note: "no" }, [403, 409]],
      ["draft", "pay", "paid", {}, [409, 409]],
      ["draft", "cancel", "void", { note: null }, [422, 422]],
    ] as const;
    for (const [state, edge, to, values, statuses] of refusals) {
      const results = await both(state, edge, to, values);
      expect(
        results.map(({ reply }) => reply.status),
        `${edge} ${JSON.stringify(values)}`,
      ).toEqual(statuses);
    }
  });

  test("uses the first of two edges that is allowed", async () => {
    const moves = [
      [{ reason: "broken" }, "refunded", "transition:refund"],
      [{ reason: "whim" }, "cancelled", "transition:cancel"],
    ] as const;
    for (const [values, reason, operation] of moves) {
      const id = await order("paid", values);
      const { json, text } = await cell.send("ana", "PATCH", `${path}/${id}`, { status: "void" });
      expect(json.data, text).toMatchObject({ status: "void", reason });
      const log = await cell.rows(project, "select operation from {schema}.audit_log where record_id = $1", [id]);
      expect(log.map((row) => row.operation)).toContain(operation);
    }
  });

  test("that names the state it has sets nothing of an edge", async () => {
    const id = await order("open");
    const { json, text } = await cell.send("ana", "PATCH", `${path}/${id}`, { status: "open", title: "same" });
    expect(json.data, text).toMatchObject({ status: "open", paid_at: null, seen_by: "anybody" });
    const log = await cell.rows(project, "select operation, changes from {schema}.audit_log where record_id = $1", [
      id,
    ]);
    expect(log.at(-1)).toEqual({
      operation: "update",
      changes: { status: ["open", "open"], title: ["t", "same"], seen_by: [null, "anybody"] },
    });
  });

  test("succeeds for one of several simultaneous callers", async () => {
    const id = await order("open");
    const replies = await Promise.all(
      [1, 2, 3].map(() => cell.send("ana", "PATCH", `${path}/${id}`, { status: "paid" })),
    );
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200]);
    const log = await cell.rows(project, "select operation from {schema}.audit_log where record_id = $1", [id]);
    expect(log.filter((row) => row.operation === "transition:pay")).toHaveLength(1);
  });
});
