// A project that has as many pending deliveries as its operator allows: its events wait for the endpoints that don't
// take theirs, the others get them as before, and nothing is lost.
import { afterEach, expect, it } from "vitest";
import { createSecretBox } from "../identity/secret-box.ts";
import { kek } from "../modes/testing/cell.ts";
import { Backlog } from "./backlog.ts";
import { defaultWebhookLimits } from "./rules.ts";
import { openSharedBody, sealOwnBody } from "./stored-body.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  ticket:
    fields: { title: text }
    permissions:
      admin: { all: true }
`;
const PENDING_MAX = 20;
const TICKETS = 40;

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

const count = async (text: string): Promise<number> => Number((await hooked?.work.sql(text))?.[0]?.["n"]);
const pending = (endpoint: string): Promise<number> =>
  count(`SELECT count(*) AS n FROM plinth.webhook_deliveries WHERE status = 'pending' AND endpoint_id = '${endpoint}'`);
const noted = (): Promise<number> => count("SELECT count(*) AS n FROM plinth.webhook_fan_outs");

async function open(limits: Partial<typeof defaultWebhookLimits> = { pendingMax: PENDING_MAX }) {
  hooked = await openHooked(blueprint, () => ({}), { webhookLimits: { ...defaultWebhookLimits, ...limits } });
  const { call, receiver, work } = hooked;
  const endpoint = async (path: string): Promise<string> =>
    (await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/${path}`, events: ["ticket.*"] })).id;
  const [live, dead] = [await endpoint("live"), await endpoint("dead")];
  const pause = (on: boolean): Promise<unknown> =>
    work.sql(`UPDATE plinth.webhook_endpoints SET open_until = ${on ? "'infinity'" : "NULL"} WHERE id = '${dead}'`);
  const titlesOf = (path: string): readonly string[] =>
    receiver.received
      .filter((one) => one.path === `/${path}`)
      .map(({ body }) => JSON.parse(body).record.title as string);
  await pause(true);
  return { ...hooked, live, dead, pause, titlesOf };
}

it("an endpoint that takes nothing keeps at most half of the room, and gets every event once it takes them", async () => {
  const { createTicket, dead, pause, titlesOf, call } = await open();
  const titles = Array.from({ length: TICKETS }, (_, at) => `ticket ${at}`);
  for (const title of titles) await createTicket(title);
  await expect.poll(() => new Set(titlesOf("live")).size, { timeout: 20_000 }).toBe(TICKETS);
  await expect.poll(() => pending(dead), { timeout: 20_000 }).toBeLessThanOrEqual(PENDING_MAX / 2);
  expect((await call("GET", `/v1/webhook-endpoints/${dead}`)).behind_since).toMatch(/^\d{4}-/);
  expect(await noted()).toBeGreaterThan(0);
  await pause(false);
  await expect.poll(() => new Set(titlesOf("dead")).size, { timeout: 30_000 }).toBe(TICKETS);
  await expect.poll(() => pending(dead), { timeout: 20_000 }).toBe(0);
  expect(titlesOf("dead")).toHaveLength(TICKETS);
  expect(titlesOf("live")).toHaveLength(TICKETS);
  await expect.poll(noted, { timeout: 20_000 }).toBe(0);
  expect((await call("GET", `/v1/webhook-endpoints/${dead}`)).behind_since).toBeNull();
}, 90_000);

it("bytes of bodies are limited in the same way", async () => {
  const { createTicket, dead, titlesOf } = await open({ pendingBytesMax: 400_000 });
  for (let at = 0; at < 10; at++) await createTicket(`${at} ${"x".repeat(60_000)}`);
  await expect.poll(() => new Set(titlesOf("live")).size, { timeout: 20_000 }).toBe(10);
  expect(await pending(dead)).toBeLessThanOrEqual(4);
  expect(await count("SELECT sum(bytes) AS n FROM plinth.webhook_bodies b WHERE b.deliveries > 1")).toBeLessThan(
    900_000,
  );
}, 60_000);

it("a disabled endpoint is behind no more, and holds no events", async () => {
  const { createTicket, dead, titlesOf, call } = await open();
  for (let at = 0; at < TICKETS; at++) await createTicket(`ticket ${at}`);
  await expect.poll(() => titlesOf("live").length, { timeout: 20_000 }).toBe(TICKETS);
  await call("PATCH", `/v1/webhook-endpoints/${dead}`, { enabled: false });
  await createTicket("the last");
  await expect.poll(noted, { timeout: 20_000 }).toBe(0);
  expect(await count(`SELECT count(*) AS n FROM plinth.webhook_endpoints WHERE behind_from IS NOT NULL`)).toBe(0);
}, 60_000);

it("a delivery that was stored with its own body can be read and replayed", async () => {
  const { createTicket, work, call, live, titlesOf } = await open({});
  await createTicket("stored before");
  await expect.poll(() => titlesOf("live"), { timeout: 20_000 }).toEqual(["stored before"]);
  const [row] = await work.sql(
    `SELECT d.id, b.id AS body_id, b.body FROM plinth.webhook_deliveries d JOIN plinth.webhook_bodies b ON b.id = d.body_id
     WHERE d.endpoint_id = $1`,
    [live],
  );
  const box = createSecretBox(kek);
  const body = openSharedBody(box, work.projectId, String(row?.["body_id"]), String(row?.["body"]));
  await expect
    .poll(async () => (await call("GET", `/v1/webhook-deliveries/${row?.["id"]}`)).status, { timeout: 20_000 })
    .toBe("delivered");
  await work.sql("UPDATE plinth.webhook_deliveries SET body = $2, body_id = NULL WHERE id = $1", [
    row?.["id"],
    sealOwnBody(box, work.projectId, String(row?.["id"]), body),
  ]);
  expect((await call("GET", `/v1/webhook-deliveries/${row?.["id"]}`)).body.record.title).toBe("stored before");
  await call("POST", `/v1/webhook-deliveries/${row?.["id"]}/replay`, {});
  await expect.poll(() => titlesOf("live"), { timeout: 20_000 }).toEqual(["stored before", "stored before"]);
}, 60_000);

it("however many endpoints take nothing, another one finds room", () => {
  const backlog = new Backlog({ pendingMax: 1_000, pendingBytesMax: 1e9 }, { deliveries: 0, bytes: 0 }, new Map());
  const fill = (endpoint: string): number => {
    for (let held = 0; ; held++) {
      if (!backlog.hasRoom(endpoint)) return held;
      backlog.add(endpoint, 100, true);
    }
  };
  expect(fill("first")).toBe(500);
  expect(fill("second")).toBe(250);
  // All at once, as events reach them.
  const all = Array.from({ length: 200 }, (_, at) => `endpoint ${at}`);
  for (let event = 0; event < 500; event++)
    for (const one of all) if (backlog.hasRoom(one)) backlog.add(one, 100, true);
  expect(backlog.hasRoom("healthy")).toBe(true);
  expect(backlog.all.deliveries).toBeLessThan(1_000);
});
