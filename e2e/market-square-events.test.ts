// The events of the specification's classified ads, with each part in a separate process: an owner's webhooks only
// contain what the owner can read, and followers see listings appear and disappear as the rules say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Change, createClient } from "@plinth/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, signUp } from "./api.ts";
import { type DeployedProject, type Installation, startInstallation } from "./installation.ts";
import { endpointAt, type Outside, receivedAt, startOutside } from "./outside/start.ts";

const text = readFileSync(join(import.meta.dirname, "../docs/examples/market-square.yaml"), "utf8");
const soon = { timeout: 20_000, interval: 100 };
const person = { name: "Cara", email: "cara@example.com" };

let plinth: Installation;
let receiver: Outside;
let project: DeployedProject;
let admin: Caller;
let visitor: Caller;
let ana: { readonly id: string; readonly as: Caller };
let ben: { readonly id: string; readonly as: Caller };

beforeAll(async () => {
  [plinth, receiver] = await Promise.all([startInstallation(), startOutside("receiver")]);
  project = await plinth.deploy("market-square", text);
  admin = callerOf(plinth.apiUrl, project.keys.secret);
  visitor = callerOf(plinth.apiUrl, project.keys.publishable);
  ana = await signUp(plinth.apiUrl, project.keys.publishable, "ana@example.com");
  ben = await signUp(plinth.apiUrl, project.keys.publishable, "ben@example.com");
  await endpointAt(receiver, admin, "/ana", { events: ["listing.*", "inquiry.*"], user_id: ana.id });
  await endpointAt(receiver, admin, "/public", { events: ["listing.*"], role: "public" });
}, 180_000);

afterAll(async () => {
  await Promise.all([receiver, plinth].map((each) => each?.stop()));
});

async function listingOf({ as }: { readonly as: Caller }, fields: object = {}): Promise<string> {
  const made = await as.post("/api/listings", { title: "Oak table", price: 120, ...fields });
  expect(made.status, made.text).toBe(201);
  return made.body.data.id;
}

const namesAt = async (path: string, about: string): Promise<readonly string[]> =>
  (await receivedAt(receiver, path, about)).map(({ event }) => event.name);

test("the whole example is served, without a warning", () => {
  expect(project.warnings).toEqual([]);
});

test("an owner gets the events of inquiries about their listings only", async () => {
  const [hers, his] = [await listingOf(ana, { status: "active" }), await listingOf(ben, { status: "active" })];
  for (const listing_id of [his, hers]) {
    const made = await visitor.post("/api/inquiries", { listing_id, message: "Is it still there?", ...person });
    expect(made.status, made.text).toBe(201);
  }
  const inquiries = async () =>
    (await receivedAt(receiver, "/ana", "Is it still there?")).map(({ verified, event }) => [verified, event.record]);
  await expect.poll(inquiries, soon).toMatchObject([[true, { listing_id: hers, ...person }]]);
  // Everybody can know that an active listing exists, but not who asks about it.
  expect(await namesAt("/ana", his)).toEqual(["listing.created"]);
});

test("an endpoint with the role public gets the events of a listing while it is active", async () => {
  const id = await listingOf(ana);
  await ana.as.patch(`/api/listings/${id}`, { status: "active" });
  await ana.as.patch(`/api/listings/${id}`, { price: 90 });
  await ana.as.patch(`/api/listings/${id}`, { status: "sold" });
  await ana.as.delete(`/api/listings/${id}`);
  const all = ["listing.created", "listing.updated", "listing.updated", "listing.updated", "listing.deleted"];
  await expect.poll(async () => (await namesAt("/ana", id)).toSorted(), soon).toEqual(all.toSorted());
  const seen = await receivedAt(receiver, "/public", id);
  // Nobody can know its values from before it became visible.
  const told = seen.map(({ event }) => [event.name, event.record.price, event.old]);
  expect(told.toSorted()).toEqual([
    ["listing.updated", 120, null],
    ["listing.updated", 90, { price: 120 }],
  ]);
});

test("a receiver that was down gets the missed events later, each once", async () => {
  await receiver.put("/fake/status", { status: 503 });
  const id = await listingOf(ana);
  await expect.poll(async () => (await receivedAt(receiver, "/ana", id)).length, soon).toBe(1);
  await receiver.put("/fake/status", { status: 204 });
  // The second attempt comes five seconds after the first.
  await expect
    .poll(async () => (await receivedAt(receiver, "/ana", id)).map(({ status }) => status), soon)
    .toEqual([503, 204]);
  const [first, second] = await receivedAt(receiver, "/ana", id);
  expect(second?.id).toBe(first?.id);
  const { body } = await admin.get("/v1/webhook-deliveries?limit=1");
  expect(body.data).toMatchObject([{ event: "listing.created", status: "delivered", attempts: 2 }]);
});

test("a follower of listings sees them appear and disappear as the rules say, across a restart", async () => {
  const live = await plinth.deploy(
    "market-live",
    text.replace("market-square", "market-live").replace("listing:\n", "listing:\n    realtime: true\n"),
  );
  const owner = await signUp(plinth.apiUrl, live.keys.publishable, "ana@example.com");
  const client = createClient({ project: "market-live", apiKey: live.keys.publishable, baseUrl: plinth.apiUrl });
  const seen: string[] = [];
  const tell = (change: Change<Readonly<Record<string, unknown>>>): void => {
    if (change.type === "ready" || change.type === "resync") seen.push(change.type);
    else seen.push(`${change.type} ${change.type === "gone" ? "" : change.record["title"]}`.trim());
  };
  const subscription = client.entity("listing").subscribe({ onChange: tell });
  try {
    await expect.poll(() => seen, soon).toEqual(["ready"]);
    const id = await listingOf(owner);
    await owner.as.patch(`/api/listings/${id}`, { status: "active" });
    await owner.as.patch(`/api/listings/${id}`, { title: "Oak desk" });
    await expect.poll(() => seen, soon).toEqual(["ready", "updated Oak table", "updated Oak desk"]);
    await plinth.kill("web");
    await plinth.start("web");
    await owner.as.patch(`/api/listings/${id}`, { status: "sold" });
    await expect.poll(() => seen.slice(3).filter((one) => one !== "ready" && one !== "resync"), soon).toEqual(["gone"]);
  } finally {
    subscription.close();
  }
});
