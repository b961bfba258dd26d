// Ways of losing sight of a record through what it belongs to: its parents, shares, and organizations. Within a second
// the stream sends `gone`, `resync` or the reason for its end, and nothing that is hidden by then. Owners, roles and
// credentials: `sight.test.ts`.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { openStreamCell, type Person, type StreamCell } from "./testing/stream-cell.ts";
import type { TestStream } from "./testing/test-stream.ts";

const TEXT = `project: desk
modules: [auth, users, roles, organizations, audit_logs]
entities:
  region:
    fields: { name: string, open: bool = true }
    permissions: { admin: { all: true }, user: { read: true } }
  folder:
    soft_delete: true
    fields: { name: string, region_id: ref(region) }
    permissions: { admin: { all: true }, user: { read: true } }
  paper:
    realtime: true
    fields: { text: string, folder_id: ref(folder) }
    permissions:
      admin: { all: true }
      user: { read: folder.region.open }
  letter:
    realtime: true
    fields: { text: string }
    permissions:
      admin: { all: true }
      user: { read: "shares.exists(s, s.user_id == current_user.id)" }
  share:
    fields: { letter_id: ref(letter), user_id: user_ref }
    permissions: { admin: { all: true }, user: { read: true } }
  task:
    realtime: true
    org_scoped: true
    fields: { text: string }
    permissions:
      admin: { all: true }
      user: { read: "member(org_id, admin)" }
`;
/** Sight changes within this time. */
const SOON_MS = 1_000;
const SECRET = "the hidden text";

let desk: StreamCell;
let ana: Person;
beforeAll(async () => {
  desk = await openStreamCell(TEXT, { processes: 2 });
  ana = await desk.signUp("ana@example.com");
}, 60_000);
afterAll(async () => {
  await desk?.close();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const make = async (entity: string, body: unknown): Promise<string> =>
  (await desk.call("POST", `/v1/resources/${entity}`, desk.adminKey, body)).id;
const change = (path: string, body: unknown): Promise<unknown> =>
  desk.call("PATCH", `/v1/resources/${path}`, desk.adminKey, body);
const remove = (path: string): Promise<unknown> => desk.call("DELETE", `/v1/resources/${path}`, desk.adminKey);
const kinds = ({ events }: TestStream): readonly string[] => events.map(({ event }) => event);

/** Runs `lose`, and waits for the stream's event: it must be `wanted`, and the last one. */
async function loses(stream: TestStream, lose: () => Promise<unknown>, wanted: string): Promise<void> {
  const before = stream.events.length;
  await lose();
  await stream.until(before + 1, SOON_MS);
  await sleep(100);
  expect(kinds(stream).slice(before)).toEqual([wanted]);
  expect(JSON.stringify(stream.events)).not.toContain(SECRET);
}

async function paperIn(region: string): Promise<{ readonly folder: string; readonly paper: string }> {
  const folder = await make("folders", { name: "f", region_id: region });
  return { folder, paper: await make("papers", { text: "a", folder_id: folder }) };
}

it("a record that is moved to a hidden parent is gone, and its later changes are not sent", async () => {
  const [shown, hidden] = [await make("regions", { name: "a" }), await make("regions", { name: "b", open: false })];
  const elsewhere = await make("folders", { name: "g", region_id: hidden });
  const stream = await desk.follow("resource=papers", ana.token, { at: 1 });
  const { paper } = await paperIn(shown);
  await stream.until(1);
  await loses(stream, () => change(`papers/${paper}`, { folder_id: elsewhere, text: SECRET }), "gone");
  expect(stream.events.at(-1)?.data).toEqual({ id: paper });
  await change(`papers/${paper}`, { text: `${SECRET} again` });
  await sleep(500);
  expect(kinds(stream)).toEqual(["created", "gone"]);
  stream.leave();
});

it("a moved parent causes a resync, and so does a changed grandparent", async () => {
  const [shown, hidden] = [await make("regions", { name: "a" }), await make("regions", { name: "b", open: false })];
  const stream = await desk.follow("resource=papers", ana.token, { at: 1 });
  const { folder, paper } = await paperIn(shown);
  await stream.until(1);
  await loses(stream, () => change(`folders/${folder}`, { region_id: hidden }), "resync");
  await change(`papers/${paper}`, { text: SECRET });
  // The next change is sent once it has been judged, while the region still hides it.
  const behind = stream.events.length + 1;
  await paperIn(await make("regions", { name: "d" }));
  await stream.until(behind);
  await loses(stream, () => change(`regions/${hidden}`, { open: true, name: "c" }), "resync");
  await loses(stream, () => change(`regions/${hidden}`, { open: false }), "resync");
  stream.leave();
});

it("a softly deleted parent causes a resync, and so does its restore", async () => {
  const shown = await make("regions", { name: "a" });
  const { folder } = await paperIn(shown);
  const other = await make("folders", { name: "empty", region_id: shown });
  const stream = await desk.follow("resource=papers", ana.token, { at: 1 });
  await loses(stream, () => remove(`folders/${other}`), "resync");
  await loses(stream, () => desk.call("POST", `/v1/resources/folders/${other}/restore`, desk.adminKey), "resync");
  expect(folder).not.toBe(other);
  stream.leave();
});

it("a row that a rule looks up causes a resync when it is created, changed and deleted", async () => {
  const ben = await desk.signUp("ben@example.com");
  const letter = await make("letters", { text: SECRET });
  const stream = await desk.follow("resource=letters", ana.token, { at: 1 });
  let share = "";
  await loses(
    stream,
    async () => {
      share = await make("shares", { letter_id: letter, user_id: ana.id });
    },
    "resync",
  );
  await loses(stream, () => change(`shares/${share}`, { user_id: ben.id }), "resync");
  await loses(stream, () => change(`shares/${share}`, { user_id: ana.id }), "resync");
  await loses(stream, () => remove(`shares/${share}`), "resync");
  await change(`letters/${letter}`, { text: `${SECRET} again` });
  await sleep(500);
  expect(kinds(stream)).toEqual(["resync", "resync", "resync", "resync"]);
  stream.leave();
});

it("another role in the organization causes a resync, and its tasks are no longer sent", async () => {
  const owner = await desk.signUp("owner@example.com");
  const { id: organization } = await desk.call("POST", "/v1/organizations", owner.token, { name: "o" });
  const member = await desk.signUp("member@example.com");
  const path = `/v1/organizations/${organization}/members/${member.id}`;
  await desk.sql(
    "INSERT INTO {schema}.memberships (organization_id, user_id, role, chosen) VALUES ($1, $2, 'admin', true)",
    [organization, member.id],
  );
  await desk.call("POST", "/v1/organizations", owner.token, { name: "so that the membership is seen" });
  const stream = await desk.follow("resource=tasks", member.token, { at: 1 });
  await make("tasks", { text: "t", org_id: organization });
  await stream.until(1);
  await loses(stream, () => desk.call("PUT", path, owner.token, { role: "member" }), "resync");
  await make("tasks", { text: SECRET, org_id: organization });
  await sleep(500);
  expect(kinds(stream)).toEqual(["created", "resync"]);
  stream.leave();
});

it("a record can't be moved to another organization", async () => {
  const owner = await desk.signUp("mover@example.com");
  const { id: first } = await desk.call("POST", "/v1/organizations", owner.token, { name: "first" });
  const { id: second } = await desk.call("POST", "/v1/organizations", owner.token, { name: "second" });
  const task = await make("tasks", { text: "t", org_id: first });
  await expect(change(`tasks/${task}`, { org_id: second })).rejects.toThrow("immutable");
});

it("a stream in a named organization ends when its user is no longer a member", async () => {
  const owner = await desk.signUp("host@example.com");
  const { id: organization } = await desk.call("POST", "/v1/organizations", owner.token, { name: "o" });
  const guest = await desk.signUp("guest@example.com");
  await desk.sql(
    "INSERT INTO {schema}.memberships (organization_id, user_id, role, chosen) VALUES ($1, $2, 'admin', false)",
    [organization, guest.id],
  );
  await desk.call("POST", "/v1/organizations", owner.token, { name: "so that the membership is seen" });
  const stream = await desk.follow("resource=tasks", guest.token, { at: 1, organization });
  expect(stream.status).toBe(200);
  const path = `/v1/organizations/${organization}/members/${guest.id}`;
  await loses(stream, () => desk.call("DELETE", path, owner.token), "closed");
  expect(stream.events.at(-1)?.data.code).toBe("organization_forbidden");
  await expect.poll(stream.isEnded).toBe(true);
});

it("an idle stream sends a sign of life every 15 seconds", async () => {
  const cut = new AbortController();
  const url = `${desk.webs[0]?.apiUrl}/v1/events/stream?resource=letters`;
  const reply = await fetch(url, { headers: { authorization: `Bearer ${desk.adminKey}` }, signal: cut.signal });
  let text = "";
  void (async () => {
    for await (const part of (reply.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) text += part;
  })().catch(() => {});
  const real = performance.now.bind(performance);
  await expect.poll(() => text).toContain("event: ready");
  const begun = text;
  let shift = 0;
  vi.spyOn(performance, "now").mockImplementation(() => real() + shift);
  for (const beats of [1, 2, 3]) {
    shift += 15_000;
    await expect
      .poll(() => text.slice(begun.length), { timeout: 3_000 })
      .toMatch(new RegExp(`^(:\\n\\n|id: .*\\nevent: beat\\ndata: {}\\n\\n){${beats}}$`));
  }
  cut.abort();
});
