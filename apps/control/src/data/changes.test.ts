// Live changes with a real cell: where they begin, that none is missed between two calls, and that the next call is refused after
// a person has lost access.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  codeOf,
  createWorld,
  goLive,
  join,
  recordRequests,
  type Somebody,
  type World,
} from "../testing/control-plane.ts";
import type { FollowedEntity, RecordChange, RecordChanges } from "./api.ts";

const DESK = `project: desk
modules: [auth, users, roles]
entities:
  ticket:
    realtime: true
    fields: { title: string }
    permissions: { admin: { all: true } }
  note:
    realtime: true
    fields: { text: string }
    permissions: { admin: { all: true } }
  plain:
    fields: { text: string }
    permissions: { admin: { all: true } }
`;

let world: World;
let owner: Somebody;
let viewer: Somebody;
let organizationId: string;
let projectId: string;
let send: (method: string, path: string, body?: unknown) => Promise<Response>;

beforeAll(async () => {
  world = await createWorld({ cell: true });
  [owner, viewer] = [await world.signUp("owner"), await world.signUp("viewer")];
  organizationId = owner.organizationId;
  await join(owner, viewer, organizationId, "viewer");
  projectId = (await owner.client.projects.create.mutate({ organizationId, slug: "desk" })).id;
  await goLive(owner, projectId, DESK);
  send = await recordRequests(world, owner, projectId);
}, 60_000);
afterAll(() => world?.stop());

const changes = (entities: readonly FollowedEntity[], by = owner): Promise<RecordChanges> =>
  by.client.data.changes.query({ projectId, entities: [...entities] });
const made = async (path: string, body: unknown): Promise<string> =>
  ((await (await send("POST", path, body)).json()) as { data: { id: string } }).data.id;

it("begins immediately, and continues after the last answer", async () => {
  const begun = await changes([{ entity: "ticket" }, { entity: "note" }], viewer);
  expect(begun.changes).toEqual([]);
  expect(begun.entities.map(({ entity, after }) => [entity, typeof after])).toEqual([
    ["ticket", "string"],
    ["note", "string"],
  ]);
  const ticket = await made("tickets", { title: "one" });
  const note = await made("notes", { text: "n" });
  await send("PATCH", `tickets/${ticket}`, { title: "two" });
  await send("DELETE", `tickets/${ticket}`);
  const seen: RecordChange[] = [];
  // Each entity has its own order: the end of one doesn't show the end of the other.
  const hasEnded = (): boolean =>
    seen.some(({ kind }) => kind === "gone") && seen.some(({ entity }) => entity === "note");
  for (let next = begun.entities; !hasEnded(); ) {
    const answer = await changes(next, viewer);
    seen.push(...answer.changes);
    next = answer.entities;
  }
  expect(seen).toContainEqual({
    entity: "note",
    kind: "created",
    id: note,
    record: expect.objectContaining({ text: "n" }),
  });
  // The content of a record that is now hidden or deleted is no longer sent.
  expect(seen.filter(({ entity }) => entity === "ticket")).toEqual([{ entity: "ticket", kind: "gone", id: ticket }]);
}, 30_000);

it("answers while it waits, as soon as something has changed", async () => {
  const begun = await changes([{ entity: "ticket" }]);
  const started = performance.now();
  const waiting = changes(begun.entities);
  const id = await made("tickets", { title: "soon" });
  expect((await waiting).changes).toMatchObject([{ entity: "ticket", kind: "created", id, record: { title: "soon" } }]);
  expect(performance.now() - started).toBeLessThan(5_000);
}, 30_000);

it("splits many changes into several answers, without missing or repeating one", async () => {
  let next = (await changes([{ entity: "note" }])).entities;
  const write = async (text: string): Promise<void> => {
    while (!(await send("POST", "notes", { text })).ok) await sleep(500);
  };
  const wanted = Array.from({ length: 450 }, (_, i) => `n${i}`);
  for (let i = 0; i < wanted.length; i += 10) {
    await Promise.all(wanted.slice(i, i + 10).map(write));
  }
  const seen: unknown[] = [];
  while (seen.length < wanted.length) {
    const answer = await changes(next);
    expect(answer.changes.length).toBeGreaterThan(0);
    seen.push(...answer.changes.map(({ record }) => record?.text));
    next = answer.entities;
  }
  expect(seen.toSorted()).toEqual(wanted.toSorted());
}, 60_000);

it("refuses entities that can't be followed, and callers without access", async () => {
  expect(await codeOf(changes([{ entity: "plain" }]))).toBe("NOT_FOUND");
  const begun = await changes([{ entity: "ticket" }], viewer);
  const me = (await viewer.client.me.get.query()).person;
  await owner.client.organizations.removeMember.mutate({ organizationId, personId: me.id });
  expect(await codeOf(changes(begun.entities, viewer))).toBe("NOT_FOUND");
}, 30_000);
