// A project's webhooks in the console, with a real cell: endpoints, their secret, which is shown once, deliveries, and actions,
// which are in control's log.
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeOf, createWorld, goLive, join, type Somebody, type World } from "../testing/control-plane.ts";

const PARCELS = `project: parcels
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  parcel:
    fields: { name: string }
    permissions:
      admin: { all: true }
`;

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
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "parcels" })).id;
  plainId = (await owner.client.projects.create.mutate({ organizationId, slug: "plain" })).id;
  await goLive(owner, projectId, PARCELS);
  await goLive(owner, plainId, PARCELS.replace("parcels", "plain").replace(" webhooks,", ""));
});

afterAll(() => world.stop());

it("an owner creates an endpoint, sees its secret once, tests, disables and deletes it; a viewer can read", async () => {
  const { webhooks } = owner.client;
  expect(await webhooks.endpoints.query({ projectId })).toEqual({ data: [], nextCursor: null });
  const sent = { projectId, url: "https://a.example/hook", events: ["parcel.*"] };
  expect(await codeOf(viewer.client.webhooks.create.mutate(sent))).toBe("FORBIDDEN");
  expect(await codeOf(webhooks.create.mutate({ ...sent, url: "http://a.example" }))).toBe("BAD_REQUEST");
  expect(await codeOf(webhooks.create.mutate({ ...sent, events: ["parcle.created"] }))).toBe("BAD_REQUEST");
  const made = await webhooks.create.mutate(sent);
  expect(made).toMatchObject({ enabled: true, role: "admin", secret: expect.stringMatching(/^whsec_/) });
  const seen = await viewer.client.webhooks.endpoints.query({ projectId });
  expect(seen?.data).toMatchObject([{ id: made.id, events: ["parcel.*"] }]);
  expect(JSON.stringify(seen)).not.toContain("whsec_");
  const of = { projectId, endpointId: made.id };
  expect((await webhooks.rotate.mutate(of)).secret).not.toBe(made.secret);
  const test = await webhooks.test.mutate(of);
  const page = await viewer.client.webhooks.deliveries.query({ projectId, endpointId: made.id });
  expect(page?.data).toMatchObject([{ id: test.id, event: "webhook.test", eventId: null }]);
  expect(await viewer.client.webhooks.delivery.query({ projectId, deliveryId: test.id })).toMatchObject({
    body: { name: "webhook.test", project: projectId },
  });
  const changes = { url: "https://b.example/hook", events: ["parcel.created"], description: "Shop" };
  expect(await codeOf(viewer.client.webhooks.update.mutate({ ...of, ...changes }))).toBe("FORBIDDEN");
  expect(await webhooks.update.mutate({ ...of, ...changes })).toMatchObject({ ...changes, payload: "full" });
  expect(await codeOf(webhooks.update.mutate({ ...of, url: "http://b.example" }))).toBe("BAD_REQUEST");
  expect(await webhooks.update.mutate({ ...of, payload: "thin" })).toMatchObject({ ...changes, payload: "thin" });
  expect(await webhooks.setEnabled.mutate({ ...of, enabled: false })).toMatchObject({ disabledReason: "by_admin" });
  expect(await codeOf(webhooks.replay.mutate({ projectId, deliveryId: test.id }))).toBe("CONFLICT");
  await webhooks.setEnabled.mutate({ ...of, enabled: true });
  expect(await webhooks.replayFailed.mutate({ ...of, since: "2026-01-01T00:00:00Z" })).toEqual({ deliveries: 1 });
  expect(await webhooks.remove.mutate(of)).toBe(null);
  expect((await webhooks.endpoints.query({ projectId }))?.data).toEqual([]);
});

it("a listener gets the due deliveries, and only an owner can pull them", async () => {
  const { webhooks } = owner.client;
  const made = await webhooks.create.mutate({ projectId, url: "http://10.0.0.1/hook", events: ["*"], listener: true });
  expect(Date.parse(made.listensUntil ?? "")).toBeGreaterThan(Date.now());
  const of = { projectId, endpointId: made.id };
  const { id } = await webhooks.test.mutate(of);
  const pull = { ...of, outcomes: [] };
  expect(await codeOf(viewer.client.webhooks.pull.mutate(pull))).toBe("FORBIDDEN");
  const [one, ...others] = await webhooks.pull.mutate(pull);
  expect(one).toMatchObject({ id, event: "webhook.test", attempt: 1, headers: { "webhook-id": `msg_${id}` } });
  expect(others).toEqual([]);
  const outcomes = [{ id, attempt: 1, status: 500, body: "no" }];
  expect(await webhooks.pull.mutate({ ...of, outcomes })).toEqual([]);
  expect(await webhooks.delivery.query({ projectId, deliveryId: id })).toMatchObject({
    status: "failed",
    tries: [{ status: 500, responseBody: "no" }],
  });
  await webhooks.remove.mutate(of);
});

it("a project without the module has none", async () => {
  expect(await owner.client.webhooks.endpoints.query({ projectId: plainId })).toBe(null);
  expect(await owner.client.webhooks.deliveries.query({ projectId: plainId })).toBe(null);
});
