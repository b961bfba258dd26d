// The classified ads of docs/examples, over HTTP: the public only sees active listings, an owner only edits their own,
// an admin can do everything, and a hidden record looks like a missing one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, signUp } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

let stack: DevStack;
let visitor: Caller;
let admin: Caller;
let ana: { id: string; as: Caller };
let ben: { id: string; as: Caller };

beforeAll(async () => {
  stack = await startDev("docs/examples/market-square.yaml");
  visitor = callerOf(stack.apiUrl, stack.keys.publishable);
  admin = callerOf(stack.apiUrl, stack.keys.secret);
  ana = await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com");
  ben = await signUp(stack.apiUrl, stack.keys.publishable, "ben@example.com");
});

afterAll(() => stack?.stop());

const missingId = "01890a5d-ac96-774b-bcce-b302099a8057";

async function listingOf(person: { as: Caller }, fields: object): Promise<string> {
  const reply = await person.as.post("/v1/resources/listings", { title: "Oak table", price: 120, ...fields });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data.id;
}

test("the public only sees active listings", async () => {
  const draft = await listingOf(ana, {});
  const active = await listingOf(ana, { status: "active" });
  const listed = await visitor.get("/api/listings?limit=100");
  const ids = listed.body.data.map((listing: { id: string }) => listing.id);
  expect(ids).toContain(active);
  expect(ids).not.toContain(draft);
  expect((await visitor.get(`/v1/resources/listings/${active}`)).status).toBe(200);
  expect((await visitor.get(`/v1/resources/listings/${draft}`)).status).toBe(404);
});

test("a hidden and a missing record get the same answer to every request", async () => {
  const hidden = await listingOf(ana, {});
  for (const ask of [
    (id: string) => ben.as.get(`/api/listings/${id}`),
    (id: string) => ben.as.patch(`/api/listings/${id}`, { price: 1 }),
    (id: string) => ben.as.delete(`/api/listings/${id}`),
  ]) {
    const [first, second] = await Promise.all([ask(hidden), ask(missingId)]);
    expect(first.status).toBe(404);
    const withoutIds = (text: string, id: string) => text.replaceAll(id, "ID").replace(/"request_id":"[^"]*"/, "");
    expect(withoutIds(first.text, hidden)).toBe(withoutIds(second.text, missingId));
  }
});

test("an owner only edits their own listings", async () => {
  const listing = await listingOf(ana, { status: "active" });
  expect((await ben.as.patch(`/api/listings/${listing}`, { price: 1 })).status).toBe(403);
  expect((await ben.as.delete(`/api/listings/${listing}`)).status).toBe(403);
  const changed = await ana.as.patch(`/api/listings/${listing}`, { price: 90 });
  expect(changed.body.data).toMatchObject({ id: listing, price: 90, version: 2 });
  expect((await ana.as.patch(`/api/listings/${listing}`, { created_by: ben.id })).status).toBe(403);
  expect((await ana.as.get(`/api/listings/${listing}`)).body.data.created_by).toBe(ana.id);
  expect((await ana.as.delete(`/api/listings/${listing}`)).status).toBe(204);
});

test("an admin can do everything", async () => {
  const listing = await listingOf(ana, {});
  expect((await admin.get(`/api/listings/${listing}`)).status).toBe(200);
  expect((await admin.patch(`/api/listings/${listing}`, { created_by: ben.id })).body.data.created_by).toBe(ben.id);
  expect((await ben.as.get(`/api/listings/${listing}`)).status).toBe(200);
  expect((await ana.as.get(`/api/listings/${listing}`)).status).toBe(404);
  expect((await admin.delete(`/api/listings/${listing}`)).status).toBe(204);
});

test("a visitor's inquiry is accepted, and the reply only contains its id", async () => {
  const inquiry = { name: "Cara", email: "cara@example.com", message: "Is it still there?" };
  const active = await listingOf(ana, { status: "active" });
  const reply = await visitor.post("/v1/resources/inquiries", { listing_id: active, ...inquiry });
  expect(reply.status).toBe(201);
  expect(Object.keys(reply.body.data)).toEqual(["id"]);
  expect((await visitor.get("/v1/resources/inquiries")).status).toBe(403);
  const seen = await ana.as.get(`/v1/resources/inquiries/${reply.body.data.id}`);
  expect(seen.body.data.message).toBe(inquiry.message);
  expect((await ben.as.get(`/v1/resources/inquiries/${reply.body.data.id}`)).status).toBe(404);
});

test("an inquiry about a hidden listing and one about a missing listing get the same refusal", async () => {
  const inquiry = { name: "Cara", email: "cara@example.com", message: "Is it still there?" };
  const hidden = await listingOf(ana, {});
  const replies = await Promise.all(
    [hidden, missingId].map((listing_id) => visitor.post("/v1/resources/inquiries", { listing_id, ...inquiry })),
  );
  for (const reply of replies) expect([reply.status, reply.body.errors[0].path]).toEqual([422, "/listing_id"]);
  expect(replies[0]?.body.errors).toEqual(replies[1]?.body.errors);
});
