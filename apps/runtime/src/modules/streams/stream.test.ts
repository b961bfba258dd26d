// The stream of an entity's changes: who can follow it, from which position, and that all web processes send the same.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStreamCell, type Person, type StreamCell } from "./testing/stream-cell.ts";

const TEXT = `project: desk
modules: [auth, users, roles, audit_logs]
entities:
  ticket:
    realtime: true
    fields:
      title: string
      status: enum[open, done] = open
      note: string?
      code: string? internal
      labels: refs(label)
      others: refs(label) as(other_tickets)
      note_size: computed(size(note))
    permissions:
      admin: { all: true }
      user:
        create: true
        read: { allow: created_by == current_user.id, fields: [title, status, created_by, labels, note_size] }
        update: created_by == current_user.id
        delete: created_by == current_user.id
  sheet:
    realtime: true
    audit: all
    fields: { name: string }
    permissions: { admin: { all: true } }
  label:
    fields: { name: string, open: bool = true }
    permissions: { admin: { all: true }, user: { read: open } }
  letter:
    fields: { text: string }
    permissions: { admin: { all: true } }
`;

let desk: StreamCell;
let ana: Person;
let ben: Person;
beforeAll(async () => {
  desk = await openStreamCell(TEXT);
  ana = await desk.signUp("ana@example.com");
  ben = await desk.signUp("ben@example.com");
}, 60_000);
afterAll(async () => {
  await desk?.close();
});

const tickets = "/v1/resources/tickets";

describe("a stream", () => {
  it("sends changes in their order, in each web process", async () => {
    const streams = await Promise.all([
      desk.follow("resource=tickets", desk.adminKey, { at: 0 }),
      desk.follow("resource=ticket", desk.adminKey, { at: 1 }),
    ]);
    const { id } = await desk.call("POST", tickets, desk.adminKey, { title: "a", note: "n" });
    await desk.call("PATCH", `${tickets}/${id}`, desk.adminKey, { title: "b" });
    await desk.call("DELETE", `${tickets}/${id}`, desk.adminKey);
    for (const stream of streams) {
      const events = await stream.until(1);
      await stream.untilEvent("gone");
      expect(events.at(-1)).toMatchObject({ event: "gone", data: { id } });
      expect(JSON.stringify(events.at(-1))).not.toContain("title");
      expect(JSON.stringify(events)).not.toContain('"code"');
      stream.leave();
    }
  });

  it("sends each change with the values that it wrote", async () => {
    const stream = await desk.follow("resource=tickets", desk.adminKey);
    const { id } = await desk.call("POST", tickets, desk.adminKey, { title: "1" });
    for (const title of ["2", "3", "4"]) await desk.call("PATCH", `${tickets}/${id}`, desk.adminKey, { title });
    const events = await stream.until(4);
    expect(events.map(({ event, data }) => [event, data.record.title, data.record.version])).toEqual([
      ["created", "1", 1],
      ["updated", "2", 2],
      ["updated", "3", 3],
      ["updated", "4", 4],
    ]);
    const stored = await desk.call("GET", `${tickets}/${id}`, desk.adminKey);
    expect(events.at(-1)?.data.record).toEqual(stored);
    stream.leave();
  });

  it("only sends users their own records, with the fields that they can read", async () => {
    const [hers, his] = await Promise.all([
      desk.follow("resource=tickets", ana.token),
      desk.follow("resource=tickets", ben.token, { at: 1 }),
    ]);
    const { id } = await desk.call("POST", tickets, ana.token, { title: "hers", note: "n" });
    const [created] = await hers.until(1);
    expect(created?.data).toEqual({
      id,
      record: { id, title: "hers", status: "open", labels: [], note_size: 1, created_by: ana.id },
    });
    await desk.call("POST", tickets, ben.token, { title: "his" });
    await his.until(1);
    expect(his.events.map(({ data }) => data.record.title)).toEqual(["his"]);
    expect(hers.events.length).toBe(1);
    hers.leave();
    his.leave();
  });

  it("sends a user nothing about an invisible change", async () => {
    const label = async (open: boolean): Promise<string> =>
      (await desk.call("POST", "/v1/resources/labels", desk.adminKey, { name: "l", open })).id;
    const [seen, hidden] = [await label(true), await label(false)];
    const [hers, all] = await Promise.all([
      desk.follow("resource=tickets", ana.token),
      desk.follow("resource=tickets", desk.adminKey),
    ]);
    const { id } = await desk.call("POST", tickets, ana.token, { title: "0", note: "a" });
    const change = (values: object): Promise<unknown> => desk.call("PATCH", `${tickets}/${id}`, desk.adminKey, values);
    for (const values of [{ note: "b" }, { code: "c" }, { labels: [hidden] }, { others: [seen] }, { title: "0" }])
      await change("code" in values ? { note: "c" } : values);
    await change({ labels: [hidden, seen] });
    await change({ note: "longer" });
    await change({ title: "1", note: "d" });
    await all.until(9);
    await hers.until(4);
    // What she sees: the label, the length of the note, the title.
    expect(hers.events.map(({ event, data: { record } }) => [event, record.title, record.note_size])).toEqual([
      ["created", "0", 1],
      ["updated", "0", 1],
      ["updated", "0", 6],
      ["updated", "1", 1],
    ]);
    expect(JSON.stringify(hers.events)).not.toContain(hidden);
    hers.leave();
    all.leave();
  });

  it("continues after the last received event, in another process too", async () => {
    const stream = await desk.follow("resource=tickets", desk.adminKey);
    await desk.call("POST", tickets, desk.adminKey, { title: "before" });
    await stream.until(1);
    stream.leave();
    const missed = ["m1", "m2", "m3"];
    for (const title of missed) await desk.call("POST", tickets, desk.adminKey, { title });
    const again = await desk.follow("resource=tickets", desk.adminKey, { lastId: stream.lastId(), at: 1 });
    await desk.call("POST", tickets, desk.adminKey, { title: "after" });
    const events = await again.until(4);
    expect(events.map(({ data }) => data.record.title)).toEqual([...missed, "after"]);
    again.leave();
  });

  it("can be filtered by a field's value: a record that no longer matches is gone", async () => {
    const stream = await desk.follow("resource=tickets&status=open", desk.adminKey);
    await desk.call("POST", tickets, desk.adminKey, { title: "done", status: "done" });
    const { id } = await desk.call("POST", tickets, desk.adminKey, { title: "open" });
    // A change is only sent with its content while the record still matches.
    await stream.until(1);
    await desk.call("PATCH", `${tickets}/${id}`, desk.adminKey, { status: "done" });
    await stream.until(2);
    await desk.call("PATCH", `${tickets}/${id}`, desk.adminKey, { title: "still done" });
    await desk.call("PATCH", `${tickets}/${id}`, desk.adminKey, { status: "open" });
    await stream.until(3);
    expect(stream.events.map(({ event, data }) => [event, data.id])).toEqual([
      ["created", id],
      ["gone", id],
      ["updated", id],
    ]);
    stream.leave();
  });

  it("begins with a resync if it can't continue", async () => {
    for (const lastId of ["nonsense", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]) {
      const stream = await desk.follow("resource=tickets", desk.adminKey, { lastId });
      expect(stream.events.map(({ event }) => event)).toEqual(["resync"]);
      stream.leave();
    }
  });

  it("asks proxies to pass it on unchanged and without delay", async () => {
    const cut = new AbortController();
    const url = `${desk.webs[0]?.apiUrl}/v1/events/stream?resource=tickets`;
    const headers = { authorization: `Bearer ${desk.adminKey}`, "accept-encoding": "gzip, br" };
    const reply = await fetch(url, { headers, signal: cut.signal });
    cut.abort();
    expect(reply.headers.get("cache-control")).toBe("no-store, no-transform");
    expect(reply.headers.get("x-accel-buffering")).toBe("no");
    expect(reply.headers.get("content-encoding")).toBe(null);
  });

  it("leaves a row in the audit log for the shown records, if reads are audited", async () => {
    const stream = await desk.follow("resource=sheets", desk.adminKey);
    const { id } = await desk.call("POST", "/v1/resources/sheets", desk.adminKey, { name: "f" });
    await stream.until(1);
    const rows = await desk.sql("SELECT actor_kind, changes FROM {schema}.audit_log WHERE operation = 'stream'");
    expect(rows).toEqual([{ actor_kind: "key", changes: { ids: [id] } }]);
    stream.leave();
  });

  it("is refused with invalid parameters", async () => {
    const statusOf = async (query: string, token = desk.adminKey): Promise<number> =>
      (await desk.follow(query, token)).status;
    expect(await statusOf("")).toBe(400);
    expect(await statusOf("resource=letters")).toBe(400);
    expect(await statusOf("resource=tickets&colour=red")).toBe(400);
    expect(await statusOf("resource=tickets&code=x")).toBe(400);
    expect(await statusOf("resource=tickets&note=x", ana.token)).toBe(403);
    expect(await statusOf("resource=tickets", desk.publicKey)).toBe(403);
    expect(await statusOf("resource=tickets", "plk_sec_nothing")).toBe(401);
  });
});
