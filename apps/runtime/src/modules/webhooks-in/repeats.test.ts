// What counts as the same request: a captured one starts nothing again, whatever its unsigned headers are, and two
// genuine ones are both stored.
import { createHmac } from "node:crypto";
import { createUuidV7 } from "@plinth/service";
import twilio from "twilio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSecretBox } from "../../identity/secret-box.ts";
import { kek } from "../../modes/testing/cell.ts";
import { createInboundStore } from "./store.ts";
import { type HooksCell, openHooksCell } from "./testing/hooks.ts";

const TEXT = `project: repeats
modules: [auth, users, roles, workers, webhooks, audit_logs]
entities:
  note:
    fields: { name: string }
    permissions: { admin: { all: true } }
webhooks:
  in:
    github: { verify: github, type: headers.x-github-event, events: { push: code.pushed } }
    shopify: { verify: shopify, type: headers.x-shopify-topic, events: { orders/create: order.made, orders/paid: order.paid } }
    twilio: { verify: twilio }
    numbered: { verify: { scheme: token, header: x-token }, dedupe: body.id }
workflows:
  pushed: { on: code.pushed, actions: [{ record.create: { with: { entity: note, name: pushed } } }] }
  made: { on: order.made, actions: [{ record.create: { with: { entity: note, name: made } } }] }
  paid: { on: order.paid, actions: [{ record.create: { with: { entity: note, name: paid } } }] }
`;
const SECRET = "a secret of every source";
const BODY = '{"id":1}';

let hooks: HooksCell;
beforeAll(async () => {
  hooks = await openHooksCell(TEXT);
  for (const source of ["github", "shopify", "twilio", "numbered"])
    await hooks.call("/v1/webhooks/secrets", { source, secret: SECRET });
});
afterAll(() => hooks.close());

const hmac = (encoding: "hex" | "base64", body = BODY): string =>
  createHmac("sha256", SECRET).update(body).digest(encoding);
const notes = async (): Promise<unknown[]> => {
  await hooks.work.settled();
  return (await hooks.work.sql("SELECT name FROM {schema}.notes ORDER BY name")).map((row) => row["name"]);
};

it("GitHub's captured request with other ids takes effect once", async () => {
  const headers = { "x-hub-signature-256": `sha256=${hmac("hex")}`, "x-github-event": "push" };
  for (const id of ["a", "a", "b", "c"]) {
    const { status } = await hooks.send("github", { body: BODY, headers: { ...headers, "x-github-delivery": id } });
    expect(status).toBe(200);
  }
  expect(await notes()).toEqual(["pushed"]);
  expect(await hooks.call("/v1/webhooks/requests?source=github")).toMatchObject([{ repeats: 3 }]);
});

it("Shopify's topics of one body are separate events, each once", async () => {
  const send = (topic: string, id: string) =>
    hooks.send("shopify", {
      body: BODY,
      headers: { "x-shopify-hmac-sha256": hmac("base64"), "x-shopify-topic": topic, "x-shopify-webhook-id": id },
    });
  for (const [topic, id] of [
    ["orders/create", "a"],
    ["orders/paid", "b"],
    ["orders/create", "c"],
  ] as const)
    expect((await send(topic, id)).status).toBe(200);
  expect(await notes()).toEqual(["made", "paid", "pushed"]);
});

it("Twilio's requests of one body to two addresses are two", async () => {
  const send = (query: string) => {
    const url = `http://127.0.0.1:4000/hooks/${hooks.work.projectId}/twilio?${query}`;
    const signature = twilio.getExpectedTwilioSignature(SECRET, url, { CallSid: "CA1" });
    const headers = { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature };
    return hooks.send("twilio", { query, headers, body: "CallSid=CA1" });
  };
  for (const query of ["step=1", "step=2", "step=1"]) expect((await send(query)).status).toBe(200);
  expect(await hooks.call("/v1/webhooks/requests?source=twilio")).toMatchObject([{ repeats: 0 }, { repeats: 1 }]);
});

it("ids above 2^53 are compared digit by digit, as in Shopify's own examples", async () => {
  const send = (body: string) => hooks.send("numbered", { body, headers: { "x-token": SECRET } });
  for (const id of ["820982911946154508", "820982911946154509", "820982911946154508"])
    expect((await send(`{"id":${id},"list":["a"]}`)).status).toBe(200);
  expect(await hooks.call("/v1/webhooks/requests?source=numbered")).toMatchObject([{ repeats: 0 }, { repeats: 1 }]);
});

it("a signature that only covers a checksum of the body works for one body", async () => {
  const { cell, projectId } = hooks.work;
  const store = createInboundStore({ pool: cell.pool, box: createSecretBox(kek) });
  const release = await cell.registry.get(projectId);
  if (release === null) throw new Error("nothing is deployed");
  const newId = createUuidV7({ now: Date.now });
  const keep = (key: string, proof: string | null) =>
    store.keep(release, {
      ...{ id: newId(), source: "github", type: null, event: null, requestId: newId(), headers: {} },
      ...{ body: Buffer.from(key), json: null, key, proof },
    });
  expect(await keep("id 1", "transmission 1")).toBe("new");
  expect(await keep("id 1", "transmission 1")).toBe("repeated");
  expect(await keep("id 1", "transmission 2")).toBe("repeated");
  expect(await keep("id 2", "transmission 1")).toBe("reused");
  expect(await keep("id 3", null)).toBe("new");
});
