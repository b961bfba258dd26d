// Each way of losing sight of a followed record: within a second the stream says so, and never shows what is hidden by
// then.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweepChanges } from "../../jobs/change-retention.ts";
import { makeKey } from "../../modes/testing/cell.ts";
import { openStreamCell, type Person, type StreamCell } from "./testing/stream-cell.ts";

const textOf = (rule: string): string => `project: desk
modules: [auth, users, roles, organizations, audit_logs]
roles: { agent: {} }
entities:
  folder:
    fields: { name: string, open: bool = true, colour: string? }
    permissions:
      admin: { all: true }
      user: { create: true, read: true, update: created_by == current_user.id }
  paper:
    realtime: true
    soft_delete: true
    fields: { text: string, folder_id: ref(folder), owner_id: user_ref? }
    permissions:
      admin: { all: true }
      user: { create: true, read: ${rule}, update: owner_id == current_user.id, delete: owner_id == current_user.id }
  memo:
    realtime: true
    fields: { text: string }
    permissions:
      admin: { all: true }
      agent: { read: true }
  task:
    realtime: true
    org_scoped: true
    fields: { text: string }
    permissions:
      admin: { all: true }
      user: { create: true, read: member(org_id), update: member(org_id) }
`;
const TEXT = textOf("owner_id == current_user.id && folder.open");

/** Sight changes within this time. */
const SOON_MS = 1_000;
const SECRET = "the hidden text";

let desk: StreamCell;
let ana: Person;
let ben: Person;
let folder: string;
let people = 0;
const person = (): Promise<Person> => desk.signUp(`p${people++}@example.com`);
beforeAll(async () => {
  desk = await openStreamCell(TEXT, { processes: 2 });
  ana = await person();
  ben = await person();
  folder = (await desk.call("POST", "/v1/resources/folders", desk.adminKey, { name: "f" })).id;
}, 60_000);
afterAll(async () => {
  await desk?.close();
});

const paperOf = async (owner: Person, folderId = folder): Promise<string> =>
  (
    await desk.call("POST", "/v1/resources/papers", desk.adminKey, {
      text: "a",
      folder_id: folderId,
      owner_id: owner.id,
    })
  ).id;
const change = (path: string, body: unknown): Promise<unknown> => desk.call("PATCH", path, desk.adminKey, body);
const organizationOf = async (owner: Person): Promise<string> =>
  (await desk.call("POST", "/v1/organizations", owner.token, { name: "o" })).id;

describe("a record", () => {
  it("is gone when its owner changes, and appears for the new owner", async () => {
    const [hers, his] = await Promise.all([
      desk.follow("resource=papers", ana.token),
      desk.follow("resource=papers", ben.token, { at: 1 }),
    ]);
    const id = await paperOf(ana);
    await hers.until(1);
    await change(`/v1/resources/papers/${id}`, { owner_id: ben.id, text: SECRET });
    await hers.until(2, SOON_MS);
    await his.until(1, SOON_MS);
    expect(hers.events[1]).toMatchObject({ event: "gone", data: { id } });
    expect(JSON.stringify(hers.events)).not.toContain(SECRET);
    expect(his.events).toMatchObject([{ event: "updated", data: { id, record: { text: SECRET } } }]);
    hers.leave();
    his.leave();
  });

  it("is gone when it is softly deleted, judged by its old values, and returns", async () => {
    const [hers, his] = await Promise.all([
      desk.follow("resource=papers", ana.token),
      desk.follow("resource=papers", ben.token),
    ]);
    const id = await paperOf(ana);
    await hers.until(1);
    await desk.call("DELETE", `/v1/resources/papers/${id}`, desk.adminKey);
    await desk.call("POST", `/v1/resources/papers/${id}/restore`, desk.adminKey);
    await hers.until(3, 2 * SOON_MS);
    expect(hers.events.map(({ event }) => event)).toEqual(["created", "gone", "updated"]);
    expect(his.events).toEqual([]);
    hers.leave();
    his.leave();
  });

  it("is never sent with content that was hidden before it was sent", async () => {
    const stream = await desk.follow("resource=papers", ana.token);
    stream.leave();
    const id = await paperOf(ana);
    await change(`/v1/resources/papers/${id}`, { text: SECRET });
    await change(`/v1/resources/papers/${id}`, { owner_id: ben.id });
    const again = await desk.follow("resource=papers", ana.token, { lastId: stream.lastId(), at: 1 });
    await again.untilEvent("gone", SOON_MS);
    expect(again.events.map(({ event, data }) => [event, data.id])).toEqual([["gone", id]]);
    again.leave();
  });
});

describe("without an event on the record", () => {
  it("a changed parent causes a resync, but not a change that no rule reads", async () => {
    const stream = await desk.follow("resource=papers", ana.token, { at: 1 });
    const { id } = await desk.call("POST", "/v1/resources/folders", desk.adminKey, { name: "g" });
    await change(`/v1/resources/folders/${id}`, { colour: "red" });
    await paperOf(ana, id);
    expect((await stream.until(1)).map(({ event }) => event)).toEqual(["created"]);
    await change(`/v1/resources/folders/${id}`, { open: false });
    await stream.until(2, SOON_MS);
    expect(stream.events[1]?.event).toBe("resync");
    stream.leave();
  });

  it("a removed role ends a stream that needs it", async () => {
    const cy = await person();
    await desk.call("PUT", `/v1/users/${cy.id}/roles`, desk.adminKey, { roles: ["agent"] });
    const stream = await desk.follow("resource=memos", cy.token, { at: 1 });
    expect(stream.status).toBe(200);
    await desk.call("PUT", `/v1/users/${cy.id}/roles`, desk.adminKey, { roles: [] });
    expect((await stream.untilEvent("closed", SOON_MS)).data.code).toBe("forbidden");
    await expect.poll(stream.isEnded).toBe(true);
  });

  it("a new role causes a resync", async () => {
    const cy = await person();
    const stream = await desk.follow("resource=papers", cy.token, { at: 1 });
    await desk.call("PUT", `/v1/users/${cy.id}/roles`, desk.adminKey, { roles: ["admin"] });
    await stream.untilEvent("resync", SOON_MS);
    await paperOf(ana);
    await stream.untilEvent("created", SOON_MS);
    stream.leave();
  });

  it("a revoked membership ends or resyncs the stream, and no record of the organization is sent afterwards", async () => {
    const [owner, member] = [await person(), await person()];
    const organization = await organizationOf(owner);
    await desk.sql(
      "INSERT INTO {schema}.memberships (organization_id, user_id, role, chosen) VALUES ($1, $2, 'member', true)",
      [organization, member.id],
    );
    await desk.call("POST", "/v1/organizations", owner.token, { name: "bump" });
    const stream = await desk.follow("resource=tasks", member.token, { at: 1 });
    const task = { text: "t", org_id: organization };
    await desk.call("POST", "/v1/resources/tasks", desk.adminKey, task);
    await stream.untilEvent("created");
    await desk.call("DELETE", `/v1/organizations/${organization}/members/${member.id}`, owner.token);
    await stream.untilEvent("resync", SOON_MS);
    const told = stream.events.length;
    await desk.call("POST", "/v1/resources/tasks", desk.adminKey, { ...task, text: SECRET });
    await new Promise((resolve) => setTimeout(resolve, SOON_MS));
    expect(stream.events.length).toBe(told);
    stream.leave();
  });

  it("a revoked key ends the stream", async () => {
    const { key, keyId } = await makeKey(desk.cell, desk.projectId, { role: "admin" });
    const stream = await desk.follow("resource=papers", key, { at: 1 });
    await desk.cell.keys.revoke(desk.projectId, keyId);
    expect((await stream.untilEvent("closed", SOON_MS)).data.code).toBe("unauthenticated");
  });

  it("a revoked session ends the stream", async () => {
    const cy = await person();
    const stream = await desk.follow("resource=papers", cy.token, { at: 1 });
    const other = await desk.follow("resource=papers", ana.token, { at: 1 });
    await fetch(`${desk.webs[0]?.apiUrl}/v1/auth/sign-out`, {
      method: "POST",
      headers: { authorization: `Bearer ${desk.publicKey}`, "content-type": "application/json" },
      body: JSON.stringify({ refresh_token: cy.refreshToken }),
    });
    expect((await stream.untilEvent("closed", SOON_MS)).data.code).toBe("unauthenticated");
    expect(other.events).toEqual([]);
    other.leave();
  });

  it("another chosen organization causes a resync", async () => {
    const owner = await person();
    const first = await organizationOf(owner);
    const second = await organizationOf(owner);
    await desk.call("POST", `/v1/organizations/${first}/choose`, owner.token).catch(() => null);
    await desk.sql("UPDATE {schema}.memberships SET chosen = organization_id = $2 WHERE user_id = $1", [
      owner.id,
      first,
    ]);
    const stream = await desk.follow("resource=tasks", owner.token, { at: 1 });
    await desk.sql("UPDATE {schema}.memberships SET chosen = false WHERE user_id = $1", [owner.id]);
    await desk.sql("UPDATE {schema}.memberships SET chosen = true WHERE user_id = $1 AND organization_id = $2", [
      owner.id,
      second,
    ]);
    await organizationOf(ben);
    await stream.untilEvent("resync", 2 * SOON_MS);
    stream.leave();
  });

  it("deleted changes cause a resync", async () => {
    const stream = await desk.follow("resource=papers", desk.adminKey);
    await paperOf(ana);
    await stream.untilEvent("created");
    stream.leave();
    await paperOf(ana);
    await desk.sql("UPDATE plinth.changes SET at = at - interval '1 hour'");
    expect(await sweepChanges({ pool: desk.cell.pool, minutes: 15 })).toBeGreaterThan(0);
    const again = await desk.follow("resource=papers", desk.adminKey, { lastId: stream.lastId() });
    expect(again.events.map(({ event }) => event)).toEqual(["resync"]);
    again.leave();
  });

  it("deploying a stricter rule causes a resync, and the rule applies from then on", async () => {
    const [hers, kept] = await Promise.all([
      desk.follow("resource=papers", ana.token, { at: 1 }),
      desk.follow("resource=papers", desk.adminKey, { at: 0 }),
    ]);
    await desk.redeploy(textOf("owner_id == current_user.id && folder.open && text != 'x'"));
    await Promise.all([hers.untilEvent("resync", 2 * SOON_MS), kept.untilEvent("resync", 2 * SOON_MS)]);
    const before = hers.events.length;
    await desk.call("POST", "/v1/resources/papers", desk.adminKey, { text: "x", folder_id: folder, owner_id: ana.id });
    await kept.untilEvent("created", SOON_MS);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(hers.events.length).toBe(before);
    hers.leave();
    kept.leave();
  });
});
