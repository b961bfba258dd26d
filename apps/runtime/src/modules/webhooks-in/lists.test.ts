// Requests that contain several events, as HubSpot and SendGrid send them: each item is a separate event, stored once
// under its own key.
import { createHmac, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: crm
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  seen:
    fields: { what: string, big: bigint? }
    permissions: { admin: { all: true } }
webhooks:
  in:
    hubspot:
      verify: { scheme: hmac-sha256, header: x-sign }
      each: body
      type: item.subscriptionType
      dedupe: item.eventId
      events: { contact.creation: contact.made }
    changes:
      verify: { scheme: hmac-sha256, header: x-sign }
      each: body
      type: item.subscriptionType
      events: { contact.change: contact.changed }
    nested:
      verify: { scheme: hmac-sha256, header: x-sign }
      each: body.data.events
      type: body.kind
      events: { batch: contact.made }
    mail: { verify: sendgrid, type: item.event, events: { delivered: contact.made } }
    mail_as_one: { verify: sendgrid, type: body.0.event, events: { delivered: contact.made } }
workflows:
  note:
    on: contact.made
    actions:
      - record.create: { with: { entity: seen, what: x } }
  remember:
    on: contact.changed
    when: event.data.eventId == "9007199254740993"
    actions:
      - record.create: { with: { entity: seen, what: "contact \${{ event.data.eventId }}", big: "\${{ event.data.eventId }}" } }
      - event.emit: { with: { name: contact.known, payload: { id: "\${{ event.data.eventId }}" } } }
      - wait: { delay: 1s }
      - id: later
        action: record.create
        with: { entity: seen, what: "later \${{ event.data.eventId }}" }
events:
  contact.known: { payload: { id: string } }
`;
const SECRET = "a secret of the service";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

let hooks: HooksCell;
beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  for (const source of ["hubspot", "changes", "nested"])
    await hooks.call("/v1/webhooks/secrets", { source, secret: SECRET });
  const secret = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  for (const source of ["mail", "mail_as_one"]) await hooks.call("/v1/webhooks/secrets", { source, secret });
});
afterAll(() => hooks.close());

const send = (source: string, body: string) =>
  hooks.send(source, { body, headers: { "x-sign": createHmac("sha256", SECRET).update(body).digest("hex") } });

function sendMail(source: string, body: string) {
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = signBytes("sha256", Buffer.from(time + body), privateKey).toString("base64");
  const name = "x-twilio-email-event-webhook";
  return hooks.send(source, { body, headers: { [`${name}-signature`]: signature, [`${name}-timestamp`]: time } });
}

const kept = async (source: string) =>
  (await hooks.work.sql(
    "SELECT status, reason, type, event, repeats FROM plinth.inbound_requests WHERE source = $1 ORDER BY id",
    [source],
  )) as readonly Record<string, unknown>[];
/** The events as they are stored: numbers with their digits. */
const emitted = async (): Promise<readonly string[]> => {
  const rows = await hooks.work.sql(
    `SELECT data::text AS data FROM plinth.outbox WHERE name = 'contact.made'
     UNION ALL SELECT data::text FROM {schema}.workers__events WHERE name = 'contact.made' ORDER BY 1`,
  );
  return rows.map((row) => String(row["data"]));
};
const item = (eventId: string, type = "contact.creation", more = "") =>
  `{"eventId": ${eventId}, "subscriptionType": "${type}"${more}}`;

it("each item becomes an event once, with its digits; unmapped items are stored, and replayed separately", async () => {
  const first = `[${item("9007199254740993")}, ${item("9007199254740992", "contact.deletion")}, ${item("1")}, ${item("1")}]`;
  expect((await send("hubspot", first)).status).toBe(200);
  const rows = [
    { status: "accepted", reason: null, type: "contact.creation", event: "contact.made", repeats: 0 },
    { status: "unmapped", reason: "unmapped", type: "contact.deletion", event: null, repeats: 0 },
    { status: "accepted", reason: null, type: "contact.creation", event: "contact.made", repeats: 0 },
  ];
  expect(await kept("hubspot")).toEqual(rows);
  await expect.poll(async () => (await emitted()).length).toBe(2);
  expect((await emitted()).join()).toContain("9007199254740993");
  // The provider repeats the request, with one more item at the end.
  expect((await send("hubspot", `${first.slice(0, -1)}, ${item("2")}]`)).status).toBe(200);
  expect((await kept("hubspot")).map((row) => row["repeats"])).toEqual([1, 1, 1, 0]);
  await expect.poll(async () => (await emitted()).length).toBe(3);
  const requests = await hooks.call("/v1/webhooks/requests?source=hubspot&status=accepted");
  const whole = await hooks.call(`/v1/webhooks/requests/${requests.at(-1).id}`);
  expect(JSON.parse(whole.body)).toMatchObject({ subscriptionType: "contact.creation" });
  expect(whole.body).toContain("9007199254740993");
  await hooks.call(`/v1/webhooks/requests/${requests[0].id}/replay`, {});
  await expect.poll(async () => (await emitted()).length).toBe(4);
});

it("a workflow gets all digits of a number that JavaScript would round", async () => {
  const sent = `[${item("9007199254740993", "contact.change", ', "n": 12')}, ${item("9007199254740992", "contact.change")}]`;
  expect((await send("changes", sent)).status).toBe(200);
  const seen = () => hooks.work.sql("SELECT what, big::text AS big FROM {schema}.seens WHERE what <> 'x' ORDER BY 1");
  await expect.poll(seen, { timeout: 15_000 }).toEqual([
    { what: "contact 9007199254740993", big: "9007199254740993" },
    { what: "later 9007199254740993", big: null },
  ]);
});

it("an item that can't be an event's data doesn't stop the others", async () => {
  const before = (await emitted()).length;
  const sent = `[${item("10")}, ${item("11", "contact.creation", ', "name": "\\u0000"')}, ${item("12")}]`;
  expect((await send("hubspot", sent)).status).toBe(200);
  expect((await kept("hubspot")).slice(-3).map((row) => row["reason"])).toEqual([null, "unreadable", null]);
  await expect.poll(async () => (await emitted()).length).toBe(before + 2);
});

it("a replay skips requests that can't be an event's data, each time", async () => {
  const sent = [item("20", "later"), item("21", "later", ', "name": "\\u0000"'), item("22", "later")];
  expect((await send("hubspot", `[${sent.join()}]`)).status).toBe(200);
  // As if they had come before the live version.
  await hooks.work.sql("UPDATE plinth.inbound_requests SET type = 'contact.creation' WHERE type = 'later'");
  const replay = () => hooks.call("/v1/webhooks/requests/replay", { source: "hubspot" });
  expect(await replay()).toEqual({ requests: 2, has_more: false });
  expect(await replay()).toEqual({ requests: 0, has_more: false });
  const [unreadable] = await hooks.work.sql(
    "SELECT id FROM plinth.inbound_requests WHERE source = 'hubspot' AND reason = 'unreadable' ORDER BY id DESC LIMIT 1",
  );
  const again = hooks.call(`/v1/webhooks/requests/${unreadable?.["id"]}/replay`, {});
  await expect(again).rejects.toMatchObject({ code: "conflict" });
});

it("an item that is nested too deeply is stored, and doesn't stop the others", async () => {
  const before = (await emitted()).length;
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const sent = `[${item("30")}, ${item("31", "contact.creation", `, "deep": ${deep}`)}, ${item("32")}]`;
  expect((await send("hubspot", sent)).status).toBe(200);
  expect((await kept("hubspot")).slice(-3).map((row) => row["reason"])).toEqual([null, "unreadable", null]);
  await expect.poll(async () => (await emitted()).length).toBe(before + 2);
});

it("a request without a list, with an empty one or with one that is too long is one request", async () => {
  const before = (await kept("hubspot")).length;
  for (const body of ["{}", "[]"]) expect((await send("hubspot", body)).status).toBe(200);
  const long = `[${Array.from({ length: 2_001 }, (_, at) => item(String(5_000 + at))).join(",")}]`;
  expect((await send("hubspot", long)).status).toBe(200);
  const rows = (await kept("hubspot")).slice(before);
  expect(rows.map((row) => row["reason"])).toEqual(["unmapped", "unmapped", "too_many"]);
  const most = `[${Array.from({ length: 2_000 }, (_, at) => item(String(9_000 + at), "other")).join(",")}]`;
  expect((await send("hubspot", most)).status).toBe(200);
  expect((await kept("hubspot")).length).toBe(before + 3 + 2_000);
});

it("a list inside the body takes its type from the body; without an id, an item is identified by its content", async () => {
  const before = (await emitted()).length;
  expect((await send("nested", '{"kind":"batch","data":{"events":[{"a":1},{"a":1},{"a":2}]}}')).status).toBe(200);
  expect((await send("nested", '{"kind":"batch","data":{"events":[{"a":2},{"a":3}]}}')).status).toBe(200);
  expect((await kept("nested")).map((row) => row["repeats"])).toEqual([0, 1, 0]);
  await expect.poll(async () => (await emitted()).length).toBe(before + 3);
});

it("SendGrid's lists are known; a source that uses the first item's type doesn't change", async () => {
  const before = (await emitted()).length;
  const events = `[{"event":"delivered","sg_event_id":"a"},{"event":"open","sg_event_id":"b"},{"event":"delivered","sg_event_id":"c"}]`;
  for (const source of ["mail", "mail_as_one"]) expect((await sendMail(source, events)).status).toBe(200);
  expect((await kept("mail")).map((row) => row["type"])).toEqual(["delivered", "open", "delivered"]);
  expect((await kept("mail_as_one")).map((row) => row["type"])).toEqual(["delivered"]);
  await expect.poll(async () => (await emitted()).length).toBe(before + 3);
});
