// What people see of personal and secret values in events, runs, steps and notes: nothing, whatever names the values
// had on their way.
import { afterAll, beforeAll, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { type Receiver, startReceiver } from "../../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

const textOf = (url: string): string => `project: clinic
modules: [auth, users, roles, workers, audit_logs]
entities:
  patient:
    fields:
      label: string
      email: string pii
      born: date? pii
      remark: string internal = "hidden"
      pin: secret?
    permissions:
      admin: { all: true }
  letter:
    fields:
      subject: string
      receiver: string?
      code: secret?
    permissions:
      admin: { all: true }
events:
  letter.wanted:
    payload:
      to: string
      about: string
workflows:
  greet:
    on: patient.created
    steps:
      - id: noted
        action: audit.write
        with: { note: "Greeted \${{ record.email }} as \${{ record.label }}" }
      - id: aged
        action: audit.write
        with: { note: "Born in \${{ year(record.born) }}" }
      - id: found
        action: record.find
        with: { entity: patient, where: { email: "\${{ record.email }}" }, limit: 5 }
      - id: write
        action: record.create
        with: { entity: letter, subject: "For \${{ record.label }}", receiver: "\${{ record.email }}", code: "\${{ record.label }}" }
      - id: call
        action: http.request
        with: { url: "${url}/\${{ record.email }}", method: POST, body: { address: "\${{ record.email }}", name: "\${{ record.label }}" } }
      - id: told
        action: audit.write
        with: { note: "\${{ steps.call.body }}" }
      - id: each
        action: worker.run
        for_each: \${{ steps.found }}
        with: { worker: send, input: { address: "\${{ each.email }}", name: "\${{ each.label }}" } }
      - id: want
        action: event.emit
        with: { name: letter.wanted, payload: { to: "\${{ record.email }}", about: "\${{ record.label }}" } }
  answer:
    on: letter.wanted
    steps:
      - id: heard
        action: audit.write
        with: { note: { who: "\${{ event.data.to }}", what: "\${{ event.data.about }}" } }
workers:
  send:
    steps:
      - id: said
        action: audit.write
        with: { note: "To \${{ input.address }}" }
      - id: out
        action: record.create
        with: { entity: letter, subject: "Dear \${{ input.name }}", receiver: "\${{ input.address }}" }
`;

const EMAIL = "ada@example.com";
let cell: WorkCell;
let service: Receiver;
let key: string;
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
const get = async (path: string): Promise<any> => dataOf(await callModule(cell.cell, { method: "GET", path, key }));
const runOf = async (workflow: string) => {
  const [run] = await cell.sql("SELECT id FROM {schema}.workers__runs WHERE workflow = $1", [workflow]);
  return get(`/v1/runs/${run?.["id"]}`);
};

beforeAll(async () => {
  // It returns the data that it received, under its own names.
  service = await startReceiver(({ path }) => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      said: `Sent to ${EMAIL.toUpperCase()} as A1.`,
      lines: [path, JSON.stringify({ to: EMAIL })],
      [`for ${EMAIL}`]: "x",
      day: "1990-12-31",
      other: "bob@example.com",
    }),
  }));
  cell = await openWorkCell(textOf(service.url), {});
  ({ key } = await makeKey(cell.cell, cell.projectId, { role: "admin" }));
  const values = new Map([
    ["label", "A1"],
    ["email", EMAIL],
    ["born", "1990-12-31"],
    ["pin", "sealed:1234"],
  ]);
  await createRecord(await cell.request("patient"), crypto.randomUUID(), values);
  await cell.settled(20_000);
  expect(await cell.sql("SELECT DISTINCT status FROM {schema}.workers__runs")).toEqual([{ status: "completed" }]);
}, 60_000);
afterAll(async () => {
  await cell?.close();
  await service?.close();
});

it("a secret is in no event and no step at all, and internal fields are shown to nobody", async () => {
  const everything = await cell.sql(
    "SELECT to_jsonb(e)::text AS text FROM {schema}.workers__events e UNION ALL SELECT to_jsonb(s)::text FROM {schema}.workers__steps s",
  );
  expect(await cell.sql("SELECT pin, remark FROM {schema}.patients")).toEqual([
    { pin: "sealed:1234", remark: "hidden" },
  ]);
  expect(JSON.stringify(everything)).not.toContain("sealed:1234");
  const [write] = await cell.sql("SELECT input FROM {schema}.workers__steps WHERE path = 'write'");
  expect(write?.["input"]).toMatchObject({ subject: "For A1", code: "[masked]" });
});

it("an event's record is masked by its fields, and a step's event by the fields that it has read", async () => {
  const events = await cell.sql("SELECT id, name FROM {schema}.workers__events");
  const idOf = (name: string): unknown => events.find((event) => event["name"] === name)?.["id"];
  const created = await get(`/v1/events/${idOf("patient.created")}`);
  expect(created.record).toMatchObject({ label: "A1", email: "[masked]", born: "[masked]", remark: "[masked]" });
  const wanted = await get(`/v1/events/${idOf("letter.wanted")}`);
  expect(wanted.data).toEqual({ to: "[masked]", about: "A1" });
});

it("a step's input and output are masked wherever they contain a personal value", async () => {
  const run = await runOf("greet");
  const steps = Object.fromEntries(run.steps.map((step: { path: string }) => [step.path, step]));
  expect(steps["noted"].input).toBe("[masked]");
  expect(steps["aged"].input).toBe("[masked]");
  expect(steps["found"].input).toEqual({ email: "[masked]" });
  expect(steps["found"].output).toMatchObject([{ label: "A1", email: "[masked]" }]);
  expect(steps["write"].output).toMatchObject({ subject: "For A1", receiver: "[masked]" });
  expect(steps["call"].input).toEqual({ method: "POST", url: "[masked]", body: { address: "[masked]", name: "A1" } });
  expect(steps["each/0"].input).toEqual({ address: "[masked]", name: "A1" });
  expect(steps["each/0"].output).toMatchObject({ subject: "Dear A1", receiver: "[masked]" });
  expect(steps["each"].output).toMatchObject([{ subject: "Dear A1", receiver: "[masked]" }]);
  expect(steps["want"].output).toEqual({ to: "[masked]", about: "A1" });
  expect(run.output).toEqual({ to: "[masked]", about: "A1" });
  expect(JSON.stringify(run)).not.toContain(EMAIL);
});

it("another service's answer is masked if it repeats a value that is masked elsewhere in the run", async () => {
  const { steps } = await runOf("greet");
  const call = steps.find((step: { path: string }) => step.path === "call");
  expect(call.output.body).toEqual({
    said: "Sent to [masked] as A1.",
    lines: ["/[masked]", '{"to":"[masked]"}'],
    "for [masked]": "x",
    day: "[masked]",
    other: "bob@example.com",
  });
});

it("so are error texts", async () => {
  const [run] = await cell.sql("SELECT id FROM {schema}.workers__runs WHERE workflow = 'greet'");
  const error = `{"code": "x", "message": "${encodeURIComponent(EMAIL)} is unknown to us"}`;
  await cell.sql("UPDATE {schema}.workers__runs SET error = $2 WHERE id = $1", [run?.["id"], error]);
  await cell.sql("UPDATE {schema}.workers__steps SET error = $2 WHERE run_id = $1 AND path = 'call'", [
    run?.["id"],
    error,
  ]);
  await cell.sql("UPDATE {schema}.workers__attempts SET error = $2 WHERE run_id = $1 AND path = 'call'", [
    run?.["id"],
    error,
  ]);
  const shown = await runOf("greet");
  expect(shown.error.message).toBe("[masked] is unknown to us");
  const text = JSON.stringify(shown);
  expect(text.match(/\[masked\] is unknown to us/g)).toHaveLength(3);
  expect(text).not.toContain("example.com is");
});

it("lists and queues contain no error text: only its code, and the step with its attempts", async () => {
  const [run] = await cell.sql("SELECT id FROM {schema}.workers__runs WHERE workflow = 'greet'");
  const error = `{"code": "http_404", "message": "${EMAIL} is unknown, says sealed:1234"}`;
  const id = run?.["id"];
  await cell.sql("UPDATE {schema}.workers__runs SET status = 'failed', error = $2 WHERE id = $1", [id, error]);
  await cell.sql(
    "UPDATE {schema}.workers__steps SET status = 'failed', attempts = 3, error = $2 WHERE run_id = $1 AND path = 'call'",
    [id, error],
  );
  const listed = await get("/v1/runs");
  const queues = await get("/v1/queues");
  await cell.sql("UPDATE {schema}.workers__runs SET status = 'completed' WHERE id = $1", [id]);
  await cell.sql("UPDATE {schema}.workers__steps SET status = 'completed' WHERE run_id = $1 AND path = 'call'", [id]);
  for (const shown of [listed, queues]) expect(JSON.stringify(shown)).not.toMatch(/example\.com|sealed|unknown/);
  const ran = listed.find(({ workflow }: { workflow: string }) => workflow === "greet");
  expect(ran.error).toEqual({ code: "http_404", step: "call", attempts: 3 });
  const greet = queues.queues.find(({ name }: { name: string }) => name === "greet");
  expect(greet.failures).toMatchObject([{ code: "http_404", status: "failed", step: "call", attempts: 3, count: 1 }]);
  expect(Object.keys(greet.failures[0])).not.toContain("message");
});

it("so are the input and output of the worker that was called", async () => {
  const run = await runOf("send");
  expect(run.input).toEqual({ address: "[masked]", name: "A1" });
  expect(run.output).toMatchObject({ subject: "Dear A1", receiver: "[masked]" });
  expect(JSON.stringify(run)).not.toContain(EMAIL);
});

it("a note in the audit log contains none of it either", async () => {
  const notes = await cell.sql(
    "SELECT changes->'note' AS note FROM {schema}.audit_log WHERE operation = 'note' ORDER BY id",
  );
  expect(notes.map(({ note }) => JSON.stringify(note)).sort()).toEqual([
    '"[masked]"',
    '"[masked]"',
    '"[masked]"',
    expect.stringContaining("Sent to [masked] as A1."),
    '{"who":"[masked]","what":"A1"}',
  ]);
});
