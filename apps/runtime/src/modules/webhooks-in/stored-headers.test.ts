// The secret of a source and the signatures of its requests are neither stored nor shown, whatever the names of their
// headers are. Those that an earlier version stored are not shown either, and are removed.
import { createHmac } from "node:crypto";
import { createLogger } from "@plinth/service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSecretBox } from "../../identity/secret-box.ts";
import { kek } from "../../modes/testing/cell.ts";
import { screenStored } from "./screen-stored.ts";
import { contextOf } from "./store.ts";
import { storedHeaders } from "./stored-headers.ts";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: headers
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  note:
    fields: { name: string }
    permissions: { admin: { all: true } }
webhooks:
  in:
    partner: { verify: { scheme: token, header: X-Partner }, dedupe: body.id }
    signed: { verify: { scheme: hmac-sha256, header: x-partner-proof }, dedupe: body.id }
    listed: { verify: { scheme: token, header: x-partner }, each: body.list, type: item.type, dedupe: item.id, events: { a: thing.happened } }
workflows:
  happened: { on: thing.happened, actions: [{ record.create: { with: { entity: note, name: happened } } }] }
`;
const SECRET = "the live secret of the partner";
const box = createSecretBox(kek);
const logger = createLogger({ name: "test", level: "silent" });

let hooks: HooksCell;
beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  for (const source of ["partner", "signed", "listed"]) {
    await hooks.call("/v1/webhooks/secrets", { source, secret: SECRET });
  }
});
afterAll(() => hooks.close());

async function contents(source: string) {
  const { cell, projectId } = hooks.work;
  const { rows } = await cell.pool.query<{ id: string; sealed: string }>(
    "SELECT id, sealed FROM plinth.inbound_requests WHERE source = $1 AND sealed IS NOT NULL ORDER BY id",
    [source],
  );
  return rows.map(({ id, sealed }) => box.open(sealed, contextOf(projectId, id)).toString());
}

describe("a stored request", () => {
  it("doesn't contain the secret in the declared header, however it is written", async () => {
    expect((await hooks.send("partner", { body: '{"id":1}', headers: { "X-PARTNER": SECRET } })).status).toBe(200);
    const [stored = ""] = await contents("partner");
    expect(stored).not.toContain(SECRET);
    const [{ id }] = await hooks.call("/v1/webhooks/requests?source=partner");
    const { headers, body } = await hooks.call(`/v1/webhooks/requests/${id}`);
    expect(body).toBe('{"id":1}');
    expect(headers).toHaveProperty("user-agent");
    expect(headers).not.toHaveProperty("x-partner");
  });

  it("doesn't contain the secret in any other header", async () => {
    const headers = { "x-partner": SECRET, "x-earlier": `Partner ${SECRET}`, referer: `https://a.test/?t=${SECRET}` };
    expect((await hooks.send("partner", { body: '{"id":2}', headers })).status).toBe(200);
    expect((await contents("partner")).join()).not.toContain(SECRET);
  });

  it("doesn't contain the signature of an own scheme", async () => {
    const body = '{"id":3}';
    const signature = createHmac("sha256", SECRET).update(body).digest("hex");
    expect((await hooks.send("signed", { body, headers: { "x-partner-proof": signature } })).status).toBe(200);
    expect(await contents("signed")).toHaveLength(1);
    expect((await contents("signed")).join()).not.toContain(signature);
  });

  it("of a list contains it in none of its items", async () => {
    const body = '{"list":[{"id":1,"type":"a"},{"id":2,"type":"a"}]}';
    expect((await hooks.send("listed", { body, headers: { "x-partner": SECRET } })).status).toBe(200);
    expect(await contents("listed")).toHaveLength(2);
    expect((await contents("listed")).join()).not.toContain(SECRET);
  });
});

describe("a request that an earlier version stored", () => {
  const HEADERS = { "x-partner": SECRET, "x-event": "a", "content-type": "application/json" };
  const store = async (id: string): Promise<void> => {
    const content = { headers: HEADERS, body: "", json: '{"id":9}' };
    const sealed = box.seal(Buffer.from(JSON.stringify(content)), contextOf(hooks.work.projectId, id));
    await hooks.work.cell.pool.query(
      `INSERT INTO plinth.inbound_requests (project_id, id, source, status, type, sealed)
       VALUES ($1, $2, 'earlier', 'unmapped', 'a', $3)`,
      [hooks.work.projectId, id, sealed],
    );
  };
  const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

  it("doesn't show the secret before it is removed, and loses it for good", async () => {
    for (let n = 1; n <= 45; n++) await store(idOf(n));
    const { headers } = await hooks.call(`/v1/webhooks/requests/${idOf(1)}`);
    expect(headers).toEqual({ "content-type": "application/json" });
    const { pool } = hooks.work.cell;
    expect(await screenStored({ pool, box, logger }, () => false)).toBe(45);
    const screened = await contents("earlier");
    expect(screened).toHaveLength(45);
    expect(screened.join()).not.toContain(SECRET);
    expect(JSON.parse(screened[0] ?? "")).toMatchObject({ json: '{"id":9}' });
    expect(await screenStored({ pool, box, logger }, () => false)).toBe(0);
  });

  it("that can't be opened doesn't keep the others from being screened", async () => {
    await store(idOf(100));
    await store(idOf(101));
    const { pool } = hooks.work.cell;
    await pool.query("UPDATE plinth.inbound_requests SET sealed = 'v1.lost.a.b' WHERE id = $1", [idOf(100)]);
    expect(await screenStored({ pool, box, logger }, () => false)).toBe(1);
  });

  it("leaves the newly stored ones as they are", async () => {
    const [{ id }] = await hooks.call("/v1/webhooks/requests?source=signed");
    const { headers } = await hooks.call(`/v1/webhooks/requests/${id}`);
    expect(headers).toHaveProperty("connection");
  });
});

it.each([
  "authorization",
  "x-partner-auth",
  "cookie",
  "paypal-transmission-sig",
  "verif-hash",
  "x-api-key",
  "x-password",
  "x-original-url",
  "x-forwarded-uri",
])("the header %s is not stored, whatever the scheme is", (name) => {
  expect(storedHeaders({ [name]: "a", "x-event": "b" }, { scheme: "paypal" }, [])).toEqual({ "x-event": "b" });
});
