// Workflows from a blueprint's text to their end, in each configuration of a cell: all modes in one process, a web
// process with a worker, and every mode in a separate process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase, freePort, type TestDatabase } from "@plinth/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { callerOf, signUp } from "./api.ts";
import { type BareCell, type RuntimeMode, startBareCell, until } from "./published-cell.ts";

const textOf = (example: string): string =>
  readFileSync(join(import.meta.dirname, `../docs/examples/${example}.yaml`), "utf8");
const text = textOf("refund-desk");

type Serving = "web" | "all";
/** The process that answers requests, and the other processes. */
const shapes: readonly (readonly [name: string, serving: Serving, modes: readonly RuntimeMode[]])[] = [
  ["all in one process", "all", []],
  ["a web process and a worker", "web", ["worker"]],
  ["five processes", "web", ["worker", "worker", "scheduler", "webhook"]],
];

let database: TestDatabase | null = null;
let children: { kill(signal: "SIGKILL"): unknown }[] = [];

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  await database?.drop();
  database = null;
});

async function start(serving: Serving, modes: readonly RuntimeMode[]): Promise<BareCell> {
  database = await createTestDatabase();
  const cell = await startBareCell(database.url, undefined, serving);
  children.push(cell.process);
  for (const mode of modes) {
    const [health, webhook] = [String(await freePort()), String(await freePort())];
    children.push(cell.start(mode, { PLINTH_HEALTH_PORT: health, PLINTH_WEBHOOK_PORT: webhook }));
  }
  return cell;
}

interface RunEntry {
  readonly id: string;
  readonly workflow: string;
  readonly status: string;
  readonly request_id: string;
}

async function runsOf(admin: ReturnType<typeof callerOf>): Promise<readonly RunEntry[]> {
  return (await admin.get("/v1/runs?limit=100")).body.data;
}

async function refund(admin: ReturnType<typeof callerOf>, amount: number): Promise<string> {
  const order = await admin.post("/v1/resources/orders", { total: 500 });
  const made = await admin.post("/v1/resources/refunds", { order_id: order.body.data.id, amount });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.data.id;
}

const statusOf = async (admin: ReturnType<typeof callerOf>, id: string): Promise<string> =>
  (await admin.get(`/api/refunds/${id}`)).body.data.status;

describe.each(shapes)("with %s", (_, serving, modes) => {
  test("a shipment gets its label, and the listeners of the label event run", async () => {
    const cell = await start(serving, modes);
    const project = await cell.addProject("parcel-desk");
    await project.publish(textOf("parcel-desk"));
    const admin = callerOf(cell.origin, await project.makeKey("secret"));
    const ana = await signUp(cell.origin, await project.makeKey("publishable"), "ana@example.com");
    const made = await ana.as.post("/v1/resources/shipments", { carrier: "ups" });
    expect(made.status, made.text).toBe(201);
    const { id } = made.body.data;
    await until(async () => (await ana.as.get(`/api/shipments/${id}`)).body.data.status === "purchased", 30);
    expect((await ana.as.get(`/api/shipments/${id}`)).body.data.tracking_number).toBe(`PD-${id}`);
    const mails = async (): Promise<readonly unknown[]> => (await admin.get("/v1/emails")).body.data;
    await until(async () => (await mails()).length === 1, 30);
    expect(await mails()).toMatchObject([{ subject: "Your receipt: shipment", to: ["ana@example.com"] }]);
    const runs = await runsOf(admin);
    expect(runs.map((run) => run.workflow).sort()).toEqual(["create_label", "label_ready"]);
    expect(new Set(runs.map((run) => run.request_id)).size).toBe(1);
  });

  test("a small refund is paid at once, and a large one after its approval", async () => {
    const cell = await start(serving, modes);
    const project = await cell.addProject("refund-desk");
    await project.publish(text);
    const admin = callerOf(cell.origin, await project.makeKey("secret"));

    const small = await refund(admin, 20);
    await until(async () => (await statusOf(admin, small)) === "paid", 30);
    await until(async () => (await runsOf(admin)).filter((run) => run.status === "completed").length === 3, 30);
    const runs = await runsOf(admin);
    expect(runs.map((run) => run.workflow).sort()).toEqual(["note", "pay_out", "settle"]);
    // Everything leads back to one request.
    expect(new Set(runs.map((run) => run.request_id)).size).toBe(1);
    const notes = await admin.get("/v1/audit-log?operation=note");
    expect(notes.body.data.map((row: { changes: { note: string } }) => row.changes.note)).toEqual(["Settled 20"]);

    const large = await refund(admin, 200);
    await until(async () => (await runsOf(admin)).some((run) => run.status === "waiting"), 30);
    const waiting = (await runsOf(admin)).find((run) => run.status === "waiting");
    expect(await statusOf(admin, large)).toBe("requested");
    // The requester has no such role, and could not approve their own request anyway.
    expect((await admin.post(`/v1/runs/${waiting?.id}/approve`, { step: "ask" })).status).toBe(403);
    expect((await admin.post(`/v1/runs/${waiting?.id}/cancel`, {})).status).toBe(202);
    await until(async () => (await runsOf(admin)).some((run) => run.status === "cancelled"), 30);
    expect(await statusOf(admin, large)).toBe("requested");
  });
});

test("without a worker, writes work and no event is lost until a worker starts", async () => {
  const cell = await start("web", []);
  const project = await cell.addProject("refund-desk");
  await project.publish(text);
  const admin = callerOf(cell.origin, await project.makeKey("secret"));
  const ids = await Promise.all(Array.from({ length: 10 }, (_, at) => refund(admin, at + 1)));
  children.push(cell.start("worker", { PLINTH_HEALTH_PORT: String(await freePort()) }));
  await until(
    async () => (await Promise.all(ids.map((id) => statusOf(admin, id)))).every((each) => each === "paid"),
    30,
  );
});
