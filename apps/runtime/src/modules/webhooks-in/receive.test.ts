// Inbound webhooks end to end: a blueprint's sources, over HTTP on a real listener and a real Postgres, with workflows
// behind them.
import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WorkCell } from "../../workflows/testing/work-cell.ts";
import { sweepInbound } from "./sweep.ts";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: shop
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  order:
    fields:
      payment_ref: string
      status: string
    permissions:
      admin: { all: true }
webhooks:
  in:
    stripe:
      verify: stripe
      type: body.type
      dedupe: body.id
      events: { payment_intent.succeeded: payment.succeeded }
    slack: { verify: slack, type: body.event.type, events: { message: chat.posted } }
workflows:
  paid:
    on: payment.succeeded
    actions:
      - record.create:
          with: { entity: order, payment_ref: "\${{ event.data.object.id }}", status: paid }
`;
const SECRET = "whsec_of_the_shop";

let hooks: HooksCell;
let work: WorkCell;
let url: string;
let nobody: string;
let call: HooksCell["call"];

beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  ({ work, url, call, publishable: nobody } = hooks);
});

afterAll(() => hooks.close());

const payment = (id: string, type = "payment_intent.succeeded"): string =>
  JSON.stringify({ id, type, data: { object: { id: `pi_${id}` } } });

async function send(body: string, { secret = SECRET, path = `/hooks/${work.projectId}/stripe`, headers = {} } = {}) {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret });
  return fetch(url + path, { method: "POST", body, headers: { "stripe-signature": signature, ...headers } });
}

const orders = () => work.sql("SELECT payment_ref FROM {schema}.orders ORDER BY 1");

/** What a stranger can see of an answer. */
async function toldBy(response: Response) {
  const { request_id: _, instance: __, ...problem } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, problem, type: response.headers.get("content-type") };
}

describe("a source", () => {
  it("without a secret answers like a missing source, and only stores that the request was refused", async () => {
    const missing = await toldBy(await send(payment("a"), { path: `/hooks/${work.projectId}/none` }));
    expect(missing.status).toBe(404);
    expect(await toldBy(await send(payment("a")))).toEqual(missing);
    expect(await toldBy(await send(payment("a"), { path: "/hooks/prj_00000000000000000000/stripe" }))).toEqual(missing);
    expect(await toldBy(await send(payment("a"), { path: "/hooks/x/y/z" }))).toEqual(missing);
    expect(await toldBy(await fetch(`${url}/hooks/${work.projectId}/stripe`))).toEqual(missing);
    expect(await call("/v1/webhooks/sources")).toMatchObject([
      { name: "slack", enabled: false, secrets: [] },
      { name: "stripe", enabled: false, verify: "stripe", url: expect.stringContaining(`/hooks/${work.projectId}/`) },
    ]);
    expect(await call("/v1/webhooks/requests")).toMatchObject([{ status: "refused", reason: "no_secret" }]);
  });

  it("is verified by each of its secrets, and by none that was removed", async () => {
    const { id } = await call("/v1/webhooks/secrets", { source: "stripe", secret: "whsec_first" });
    await call("/v1/webhooks/secrets", { source: "stripe", secret: SECRET });
    expect((await send(payment("b", "ping"), { secret: "whsec_first" })).status).toBe(200);
    expect((await send(payment("c", "ping"))).status).toBe(200);
    await call(`/v1/webhooks/secrets/${id}/remove`, {});
    expect((await send(payment("d", "ping"), { secret: "whsec_first" })).status).toBe(404);
    expect((await send(payment("d", "ping"))).status).toBe(200);
  });

  it("keeps the previous secrets during their overlap", async () => {
    const secret = { source: "slack", secret: "the first secret of slack" };
    const { id: first } = await call("/v1/webhooks/secrets", secret);
    const { id: second } = await call("/v1/webhooks/secrets", { ...secret, overlap_hours: 24 });
    const slack = async () => (await call("/v1/webhooks/sources"))[0];
    expect((await slack()).secrets).toMatchObject([
      { id: first, expires_at: expect.stringContaining("T") },
      { id: second, expires_at: null },
    ]);
    const { id: third } = await call("/v1/webhooks/secrets", { ...secret, overlap_hours: 0 });
    expect((await slack()).secrets).toMatchObject([{ id: third, expires_at: null }]);
    const stored = () => work.sql("SELECT id FROM plinth.inbound_secrets WHERE source = 'slack' ORDER BY id");
    expect(await stored()).toHaveLength(3);
    await sweepInbound({ pool: work.cell.pool, days: 30, rowsMax: 1_000 }, () => false);
    expect(await stored()).toEqual([{ id: third }]);
    await call(`/v1/webhooks/secrets/${third}/remove`, {});
    expect(await slack()).toMatchObject({ enabled: false, secrets: [] });
  });

  it("shows nobody its secrets, and stores none of them in plain text", async () => {
    expect(JSON.stringify(await call("/v1/webhooks/sources"))).not.toContain("whsec_");
    const rows = await work.sql(
      "SELECT sealed FROM plinth.inbound_secrets UNION ALL SELECT sealed FROM plinth.inbound_requests",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toMatch(/whsec_|payment_intent/);
    const lines = await work.sql(
      "SELECT operation, changes FROM {schema}.audit_log WHERE entity = 'webhook_secret' ORDER BY id",
    );
    const created = ["create", "create", "delete", "create", "create", "create", "delete"];
    expect(lines).toEqual(created.map((operation) => ({ operation, changes: {} })));
  });

  it("is for admins only, and accepts up to five valid secrets", async () => {
    const secret = { source: "slack", secret: "a secret of slack" };
    for (const path of ["/v1/webhooks/sources", "/v1/webhooks/requests"])
      await expect(call(path, undefined, nobody)).rejects.toMatchObject({ code: "forbidden" });
    await expect(call("/v1/webhooks/secrets", secret, nobody)).rejects.toMatchObject({ code: "forbidden" });
    await expect(call("/v1/webhooks/secrets", { ...secret, source: "none" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(call("/v1/webhooks/secrets", { ...secret, secret: "short" })).rejects.toMatchObject({
      code: "validation_failed",
    });
    for (let i = 0; i < 5; i++) await call("/v1/webhooks/secrets", secret);
    await expect(call("/v1/webhooks/secrets", secret)).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("a request", () => {
  it("starts the workflows of its event, once however often it comes", async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => send(payment("evt_1"))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await work.settled();
    expect(await orders()).toEqual([{ payment_ref: "pi_evt_1" }]);
    expect(await call("/v1/webhooks/requests")).toContainEqual(
      expect.objectContaining({ status: "accepted", event: "payment.succeeded", repeats: 4 }),
    );
  });

  it("that maps to nothing is stored and shown", async () => {
    expect((await send(payment("evt_2", "charge.disputed"))).status).toBe(200);
    const [first] = await call("/v1/webhooks/requests");
    expect(first).toMatchObject({ status: "unmapped", reason: "unmapped", type: "charge.disputed", event: null });
    await expect(call(`/v1/webhooks/requests/${first.id}/replay`, {})).rejects.toMatchObject({ code: "conflict" });
    const whole = await call(`/v1/webhooks/requests/${first.id}`);
    expect(whole).toMatchObject({ ...first, body: payment("evt_2", "charge.disputed"), body_base64: null });
    expect(Object.keys(whole.headers)).toContain("content-type");
    expect(Object.keys(whole.headers)).not.toContain("stripe-signature");
    await expect(call(`/v1/webhooks/requests/${first.id}`, undefined, nobody)).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("that was unmapped when it arrived becomes its event once when all such are replayed", async () => {
    expect((await send(payment("evt_20", "charge.later"))).status).toBe(200);
    const again = { source: "stripe" };
    expect(await call("/v1/webhooks/requests/replay", again)).toEqual({ requests: 0, has_more: false });
    // As if it had come before the live version.
    await work.sql("UPDATE plinth.inbound_requests SET type = 'payment_intent.succeeded' WHERE type = 'charge.later'");
    const later = { ...again, since: "2999-01-01T00:00:00Z" };
    expect(await call("/v1/webhooks/requests/replay", later)).toEqual({ requests: 0, has_more: false });
    expect(await call("/v1/webhooks/requests/replay", again)).toEqual({ requests: 1, has_more: false });
    expect(await call("/v1/webhooks/requests/replay", again)).toEqual({ requests: 0, has_more: false });
    await work.settled();
    expect(await orders()).toContainEqual({ payment_ref: "pi_evt_20" });
    await work.sql("DELETE FROM {schema}.orders WHERE payment_ref = 'pi_evt_20'");
    await work.sql("DELETE FROM plinth.inbound_requests WHERE replayed_at IS NOT NULL");
    await expect(call("/v1/webhooks/requests/replay", again, nobody)).rejects.toMatchObject({ code: "forbidden" });
    await expect(call("/v1/webhooks/requests/replay", { source: "none" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("is found by its source and its status, page by page", async () => {
    const unmapped = await call("/v1/webhooks/requests?source=stripe&status=unmapped&limit=1");
    expect(unmapped).toHaveLength(1);
    expect(unmapped[0]).toMatchObject({ source: "stripe", status: "unmapped" });
    expect(await call("/v1/webhooks/requests?source=none")).toEqual([]);
  });

  it("that Postgres can't store as JSON is stored anyway", async () => {
    expect((await send(payment("evt_3\u0000"))).status).toBe(200);
    const [first] = await call("/v1/webhooks/requests");
    expect(first).toMatchObject({ status: "unmapped", reason: "unreadable" });
  });

  it("that begins with a byte order mark is read, and a compressed one is stored as unreadable", async () => {
    expect((await send(`\ufeff${payment("evt_bom", "ping")}`)).status).toBe(200);
    expect((await call("/v1/webhooks/requests"))[0]).toMatchObject({ reason: "unmapped", type: "ping" });
    const body = gzipSync(payment("evt_gzip"));
    // Stripe's package only signs text, and a provider would sign what it sends.
    const at = Math.floor(Date.now() / 1_000);
    const signature = createHmac("sha256", SECRET).update(`${at}.`).update(body).digest("hex");
    const headers = { "stripe-signature": `t=${at},v1=${signature}`, "content-encoding": "gzip" };
    expect((await hooks.send("stripe", { body, headers })).status).toBe(200);
    expect((await call("/v1/webhooks/requests"))[0]).toMatchObject({ status: "unmapped", reason: "unreadable" });
    await work.sql(
      "DELETE FROM plinth.inbound_requests WHERE id IN (SELECT id FROM plinth.inbound_requests ORDER BY id DESC LIMIT 2)",
    );
  });

  it("is replayed by an admin, and by nobody else", async () => {
    const requests = await call("/v1/webhooks/requests");
    const { id } = requests.find(({ event }: { event: string | null }) => event === "payment.succeeded");
    await expect(call(`/v1/webhooks/requests/${id}/replay`, {}, nobody)).rejects.toMatchObject({ code: "forbidden" });
    expect(await call(`/v1/webhooks/requests/${id}/replay`, {})).toEqual({ event: "payment.succeeded" });
    await work.settled();
    expect(await orders()).toHaveLength(2);
  });

  it("is deleted when it is old, or when there are too many", async () => {
    const pool = work.cell.pool;
    const left = async () => (await work.sql("SELECT id FROM plinth.inbound_requests")).length;
    const before = await left();
    await work.sql(
      "UPDATE plinth.inbound_requests SET received_at = now() - interval '31 days' WHERE status = 'refused'",
    );
    expect(await sweepInbound({ pool, days: 30, rowsMax: 1_000 }, () => false)).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(before);
    await sweepInbound({ pool, days: 30, rowsMax: 2 }, () => false);
    const kept = await call("/v1/webhooks/requests");
    expect(kept.map(({ reason }: { reason: string | null }) => reason)).toEqual(["unreadable", "unmapped"]);
  });

  it("that is refused changes nothing, and is shown with the reason", async () => {
    expect((await send(payment("evt_9"), { secret: "whsec_wrong" })).status).toBe(404);
    const [first] = await call("/v1/webhooks/requests");
    expect(first).toMatchObject({ status: "refused", reason: "bad_signature", event: null });
    await work.settled();
    expect(await orders()).toHaveLength(2);
  });

  it("is accepted even if others send refused requests from the same network", async () => {
    for (let i = 0; i < 100; i++) expect((await send(payment("evt_8"), { secret: "whsec_wrong" })).status).toBe(404);
    expect((await send(payment("evt_8", "ping"))).status).toBe(200);
  });

  it("that is refused too often is limited, without affecting other sources", async () => {
    const path = `/hooks/${work.projectId}/slack`;
    const statuses = new Set<number>();
    for (let sent = 0; sent < 5_000 && !statuses.has(429); sent += 250) {
      const answers = await Promise.all(Array.from({ length: 250 }, () => send(payment("x"), { path })));
      for (const { status } of answers) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([404, 429]));
    expect((await send(payment("evt_10", "ping"))).status).toBe(200);
    const kept = await work.sql("SELECT count(*)::int AS n FROM plinth.inbound_requests WHERE source = 'slack'");
    expect(kept[0]?.["n"]).toBeLessThanOrEqual(50);
  }, 60_000);
});
