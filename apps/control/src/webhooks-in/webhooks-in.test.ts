// A project's inbound webhooks in the console, with a real cell: sources, secrets that nobody can read, requests with the reasons
// of refusals, and actions, which are in control's log without a secret.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf, createWorld, goLive, join, type Somebody, type World } from "../testing/control-plane.ts";

const SHOP = `project: shop
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  order:
    fields: { name: string }
    permissions:
      admin: { all: true }
webhooks:
  in:
    github: { verify: github, type: headers.x-github-event, events: { push: code.pushed } }
`;
const SECRET = "a secret of the shop's repository";

let world: World;
let owner: Somebody;
let viewer: Somebody;
let projectId: string;
let plainId: string;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  [owner, viewer] = [await world.signUp("owner"), await world.signUp("viewer")];
  const { organizationId } = owner;
  await join(owner, viewer, organizationId, "viewer");
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "shop" })).id;
  plainId = (await owner.client.projects.create.mutate({ organizationId, slug: "plain" })).id;
  await goLive(owner, projectId, SHOP);
  const plain = SHOP.slice(0, SHOP.indexOf("webhooks:\n")).replace(" webhooks,", "");
  await goLive(owner, plainId, plain.replace("project: shop", "project: plain"));
});

afterAll(() => world.stop());

it("an owner adds and removes the secrets of a source; a viewer only sees that they exist", async () => {
  const { inbound } = owner.client;
  const source = { name: "github", verify: "github", enabled: false, secrets: [], events: { push: "code.pushed" } };
  expect(await viewer.client.inbound.sources.query({ projectId })).toMatchObject([source]);
  const sent = { projectId, source: "github", secret: SECRET };
  expect(await codeOf(viewer.client.inbound.addSecret.mutate(sent))).toBe("FORBIDDEN");
  expect(await codeOf(inbound.addSecret.mutate({ ...sent, source: "stripe" }))).toBe("NOT_FOUND");
  const first = await inbound.addSecret.mutate(sent);
  const second = await inbound.addSecret.mutate({ ...sent, overlapHours: 24 });
  const seen = await viewer.client.inbound.sources.query({ projectId });
  expect(seen).toMatchObject([
    { enabled: true, secrets: [{ id: first.id, expiresAt: expect.stringContaining("T") }, { expiresAt: null }] },
  ]);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  const of = { projectId, secretId: second.id };
  expect(await codeOf(viewer.client.inbound.removeSecret.mutate(of))).toBe("FORBIDDEN");
  expect(await inbound.removeSecret.mutate(of)).toEqual({ id: second.id });
  expect(await codeOf(inbound.removeSecret.mutate(of))).toBe("NOT_FOUND");
});

async function deliver(event: string, secret: string): Promise<number> {
  const body = JSON.stringify({ event, ref: "refs/heads/main" });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const { status } = await fetch(`${world.apiUrl}/hooks/${projectId}/github`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-github-event": event, "x-hub-signature-256": signature },
    body,
  });
  return status;
}

it("people see requests and reasons of refusals; only those who can change the project see the content", async () => {
  const { inbound } = owner.client;
  expect(await deliver("push", SECRET)).toBe(200);
  expect(await deliver("star", SECRET)).toBe(200);
  expect(await deliver("push", "another secret")).toBe(404);
  const page = await viewer.client.inbound.requests.query({ projectId });
  expect(page?.data).toMatchObject([
    { source: "github", status: "refused", reason: "bad_signature", event: null },
    { status: "unmapped", type: "star" },
    { status: "accepted", type: "push", event: "code.pushed", repeats: 0 },
  ]);
  const [, , pushed] = page?.data ?? [];
  const of = { projectId, requestId: pushed?.id ?? "" };
  expect(await codeOf(viewer.client.inbound.request.query(of))).toBe("FORBIDDEN");
  expect(await inbound.request.query(of)).toMatchObject({ body: expect.stringContaining("refs/heads/main") });
  expect((await inbound.requests.query({ projectId, status: "unmapped" }))?.data).toHaveLength(1);
  const asked = { projectId, source: "github" };
  expect(await inbound.replayUnmapped.mutate(asked)).toEqual({ requests: 0, hasMore: false });
  expect(await codeOf(viewer.client.inbound.replayUnmapped.mutate(asked))).toBe("FORBIDDEN");
  expect(await codeOf(viewer.client.inbound.replay.mutate(of))).toBe("FORBIDDEN");
  const { rows } = await world.pool.query("SELECT * FROM control.audit WHERE action LIKE 'inbound%'");
  expect(rows.length).toBeGreaterThan(3);
  expect(JSON.stringify(rows)).not.toContain(SECRET);
});

it("a project without the module has none", async () => {
  expect(await owner.client.inbound.sources.query({ projectId: plainId })).toBe(null);
  expect(await owner.client.inbound.requests.query({ projectId: plainId })).toBe(null);
});
