// The applications of docs/examples, each used as its people use it: real requests to a real cell, with one project
// each. The examples' own tests of rules run when they are published; this file tests how several people work together.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, type Reply, signUp } from "./api.ts";
import { type BareCell, startBareCell } from "./published-cell.ts";

let database: TestDatabase;
let cell: BareCell;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startBareCell(database.url);
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

interface Person {
  readonly id: string;
  readonly as: Caller;
}

interface App {
  readonly visitor: Caller;
  readonly admin: Caller;
  readonly person: (name: string) => Promise<Person>;
}

async function open(name: string): Promise<App> {
  const project = await cell.addProject(name);
  await project.publish(readFileSync(resolve(import.meta.dirname, `../docs/examples/${name}.yaml`), "utf8"));
  const [publishable, secret] = [await project.makeKey("publishable"), await project.makeKey("secret")];
  return {
    visitor: callerOf(cell.origin, publishable),
    admin: callerOf(cell.origin, secret),
    person: (who) => signUp(cell.origin, publishable, `${who}@example.com`),
  };
}

/** Returns the record of a reply that must be a success. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
function done(reply: Reply): any {
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body?.data ?? null;
}

const ids = (reply: Reply): string[] => done(reply).map((one: { id: string }) => one.id);

/** Creates an organization of the first person; the others join it. */
async function organizationOf(
  owner: Person,
  members: readonly (readonly [Person, string])[],
  name: string,
): Promise<string> {
  const { id } = done(await owner.as.post("/v1/organizations", { name }));
  for (const [{ as, id: userId }, role] of members) {
    const { email } = done(await as.get("/v1/users/me"));
    expect(userId).not.toBe("");
    const { token } = done(await owner.as.post(`/v1/organizations/${id}/invitations`, { email, role }));
    done(await as.post("/v1/organizations/accept-invitation", { token, choose: true }));
  }
  return id;
}

test("conduit: an article is written, published, liked once, discussed, and withdrawn", async () => {
  const { visitor, person } = await open("conduit");
  const [ana, ben] = [await person("ana"), await person("ben")];
  const tag = done(await ana.as.post("/v1/resources/tags", { name: "postgres" }));
  const sent = { title: "Rows and rules", description: "d", body: "# Hello", tags: [tag.id] };
  const article = done(await ana.as.post("/v1/resources/articles", sent));
  expect(article).toMatchObject({ slug: "rows-and-rules", status: "published", author_id: ana.id });
  const path = `/v1/resources/articles/${article.id}`;
  expect((await ben.as.post(`${path}/transitions/withdraw`, {})).status).toBe(403);
  done(await ana.as.post(`${path}/transitions/withdraw`, {}));
  expect((await visitor.get(path)).status).toBe(404);
  expect((await ben.as.post(`${path}/transitions/publish`, {})).status).toBe(404);
  done(await ana.as.post(`${path}/transitions/publish`, {}));
  expect(ids(await visitor.get("/v1/resources/articles"))).toEqual([article.id]);

  const like = { article_id: article.id };
  done(await ben.as.post("/v1/resources/favorites", like));
  expect((await ben.as.post("/v1/resources/favorites", like)).status).toBe(409);
  const comment = done(await ben.as.post("/v1/resources/comments", { ...like, body: "Thank you" }));
  expect(ids(await visitor.get(`/v1/resources/comments?article_id=${article.id}`))).toEqual([comment.id]);
  expect((await ana.as.delete(`/v1/resources/comments/${comment.id}`)).status).toBe(204);

  done(await ana.as.post(`${path}/transitions/withdraw`, {}));
  expect((await visitor.get(path)).status).toBe(404);
  expect((await ben.as.post("/v1/resources/comments", { ...like, body: "Still there?" })).status).toBeGreaterThan(400);
});

test("tracker: a team works through an issue, and nobody outside sees it", async () => {
  const { person } = await open("tracker");
  const [ana, ben, eve] = [await person("ana"), await person("ben"), await person("eve")];
  await organizationOf(ana, [[ben, "member"]], "Acme");
  await organizationOf(eve, [], "Other");
  const team = done(await ana.as.post("/v1/resources/teams", { name: "Web", code: "WEB" }));
  expect((await ben.as.post("/v1/resources/teams", { name: "Ops", code: "OPS" })).status).toBe(403);
  expect((await ana.as.post("/v1/resources/teams", { name: "Bad", code: "web" })).status).toBe(422);
  const issue = done(await ben.as.post("/v1/resources/issues", { team_id: team.id, title: "It crashes" }));
  const path = `/v1/resources/issues/${issue.id}`;
  expect((await eve.as.get(path)).status).toBe(404);
  expect((await ben.as.post(`${path}/transitions/start`, {})).status).toBe(422);
  done(await ben.as.patch(path, { assignee_id: ben.id, priority: "high", due_on: "2020-02-29" }));
  expect(ids(await ben.as.get("/v1/resources/issues/mine"))).toEqual([issue.id]);
  expect(ids(await ana.as.get("/v1/resources/issues/overdue?q=crash"))).toEqual([issue.id]);
  expect(done(await ana.as.get(`/v1/resources/teams/${team.id}`))).toMatchObject({ open_issues: 1 });
  for (const edge of ["start", "finish"]) done(await ben.as.post(`${path}/transitions/${edge}`, {}));
  expect((await ben.as.post(`${path}/transitions/start`, {})).status).toBe(409);
  expect(ids(await ben.as.get("/v1/resources/issues/mine"))).toEqual([]);
  expect(done(await ana.as.get(`/v1/resources/teams/${team.id}`))).toMatchObject({ open_issues: 0 });
  const remark = done(await ana.as.post("/v1/resources/remarks", { issue_id: issue.id, body: "Well done" }));
  expect(done(await ben.as.get(path))).toMatchObject({ remarks_count: 1 });
  expect((await ben.as.patch(`/v1/resources/remarks/${remark.id}`, { body: "Mine" })).status).toBe(403);
  expect((await ben.as.delete(path)).status).toBe(204);
  expect((await ana.as.get(path)).status).toBe(404);
  expect(done(await ben.as.post(`${path}/restore`, {}))).toMatchObject({ id: issue.id, status: "done" });
});

test("invoicing: an invoice is written, issued and paid, and can't be changed afterwards", async () => {
  const { person } = await open("invoicing");
  const [ana, ben] = [await person("ana"), await person("ben")];
  await organizationOf(ana, [[ben, "member"]], "Acme");
  const address = { street: "Main 1", city: "Berlin", country: "DE" };
  const customer = done(await ben.as.post("/v1/resources/customers", { name: "Shop", address }));
  const invoice = done(await ben.as.post("/v1/resources/invoices", { customer_id: customer.id }));
  expect(invoice.number).toBeNull();
  const path = `/v1/resources/invoices/${invoice.id}`;
  const line = { invoice_id: invoice.id, text: "Work", quantity: "2.50", price: "80.00" };
  const whole = { customer_id: customer.id, lines: [{ text: "Work", quantity: "1.00", price: "50.00" }] };
  const draft = done(await ben.as.post("/v1/resources/invoices", whole));
  expect(draft).toMatchObject({ net: "50", lines: [{ text: "Work", net: "50" }] });
  const written = done(await ben.as.post("/v1/resources/lines", line));
  expect(Number(written.net)).toBe(200);
  expect((await ben.as.post("/v1/resources/lines", { ...line, quantity: "0.00" })).status).toBe(422);
  expect((await ben.as.post(`${path}/transitions/issue`, {})).status).toBe(422);
  const days = { issued_on: "2026-05-04", due_on: "2026-05-18" };
  expect((await ben.as.patch(path, { ...days, due_on: "2026-05-01" })).status).toBe(422);
  done(await ben.as.patch(path, days));
  expect(done(await ben.as.post(`${path}/transitions/issue`, {})).number).toBe("INV-1");
  expect((await ben.as.patch(path, { note: "late" })).status).toBe(403);
  expect((await ben.as.patch(`/v1/resources/lines/${written.id}`, { price: "1.00" })).status).toBe(403);
  expect(done(await ben.as.get(path))).toMatchObject({ net: "200", gross: "238", open_amount: "238" });
  done(await ben.as.post("/v1/resources/payments", { invoice_id: invoice.id, amount: "238.00" }));
  expect(done(await ben.as.get(path))).toMatchObject({ open_amount: "0" });
  expect((await ben.as.post(`${path}/transitions/pay`, {})).status).toBe(403);
  expect(done(await ana.as.post(`${path}/transitions/pay`, {}))).toMatchObject({ status: "paid" });
});

test("chat: members of a room read and write there, and former members can't", async () => {
  const { person } = await open("chat");
  const [ana, ben, eve] = [await person("ana"), await person("ben"), await person("eve")];
  const room = done(await ana.as.post("/v1/resources/rooms", { name: "Club" }));
  done(await eve.as.post("/v1/resources/rooms", { name: "Hall", visibility: "open" }));
  expect(ids(await ana.as.get("/v1/resources/rooms"))).toHaveLength(2);
  expect(ids(await ana.as.get("/v1/resources/rooms/mine"))).toEqual([room.id]);
  expect((await ben.as.get(`/v1/resources/rooms/${room.id}`)).status).toBe(404);
  done(await eve.as.patch(`/v1/users/${eve.id}`, { findable: false }));
  expect(ids(await ana.as.get("/v1/users")).sort()).toEqual([ana.id, ben.id].sort());
  const uninvited = { room_id: room.id, user_id: eve.id };
  expect((await ana.as.post("/v1/resources/participants", uninvited)).status).toBe(422);
  const seat = done(await ana.as.post("/v1/resources/participants", { room_id: room.id, user_id: ben.id }));
  const hello = done(await ben.as.post("/v1/resources/messages", { room_id: room.id, body: "Hello" }));
  const reply = { room_id: room.id, body: "Welcome", reply_to_id: hello.id };
  done(await ana.as.post("/v1/resources/messages", reply));
  expect((await eve.as.post("/v1/resources/messages", { room_id: room.id, body: "Hi" })).status).toBeGreaterThan(400);
  expect(ids(await eve.as.get("/v1/resources/messages"))).toEqual([]);
  expect(ids(await ben.as.get(`/v1/resources/messages?room_id=${room.id}`))).toHaveLength(2);
  expect(ids(await ben.as.get("/v1/resources/messages?q=hel"))).toEqual([hello.id]);
  expect(ids(await eve.as.get("/v1/resources/messages?q=hel"))).toEqual([]);
  expect(ids(await ben.as.get("/v1/resources/rooms/mine"))).toEqual([room.id]);
  done(await ben.as.patch(`/v1/resources/messages/${hello.id}`, { body: "Hello all" }));
  expect((await ana.as.patch(`/v1/resources/messages/${hello.id}`, { body: "x" })).status).toBe(403);
  expect((await ben.as.delete(`/v1/resources/participants/${seat.id}`)).status).toBe(204);
  expect(ids(await ben.as.get("/v1/resources/messages"))).toEqual([]);
});

test("clinic: a patient asks for an appointment, the desk confirms it, and findings are visible once they are released", async () => {
  const { person, admin } = await open("clinic");
  const [pat, doc, sam] = [await person("pat"), await person("doc"), await person("sam")];
  done(await admin.put(`/v1/users/${doc.id}/roles`, { roles: ["doctor"] }));
  done(await admin.put(`/v1/users/${sam.id}/roles`, { roles: ["desk"] }));
  done(await admin.patch(`/v1/users/${doc.id}`, { practises: true }));
  expect((await pat.as.patch(`/v1/users/${pat.id}`, { practises: true })).status).toBe(403);
  const born = { name: "Pia", born_on: "1990-05-01", phone: "+49301234567" };
  await expect
    .poll(
      async () => (await sam.as.post("/v1/resources/patients", { ...born, user_id: pat.id, doctor_id: doc.id })).status,
      {
        timeout: 5_000,
      },
    )
    .toBe(201);
  const [patient = ""] = ids(await pat.as.get("/v1/resources/patients"));
  const time = { starts_at: "2027-05-04T08:00:00Z", ends_at: "2027-05-04T08:30:00Z" };
  const asked = { patient_id: patient, doctor_id: doc.id, ...time };
  expect((await pat.as.post("/v1/resources/appointments", { ...asked, ends_at: time.starts_at })).status).toBe(422);
  const appointment = done(await pat.as.post("/v1/resources/appointments", asked));
  expect((await pat.as.post("/v1/resources/appointments", asked)).status).toBe(409);
  const path = `/v1/resources/appointments/${appointment.id}`;
  expect((await pat.as.post(`${path}/transitions/confirm`, {})).status).toBe(403);
  done(await sam.as.post(`${path}/transitions/confirm`, {}));
  expect(ids(await doc.as.get("/v1/resources/appointments/agenda"))).toEqual([appointment.id]);
  const text = { appointment_id: appointment.id, text: "All is well" };
  const finding = done(await doc.as.post("/v1/resources/findings", text));
  expect(ids(await pat.as.get("/v1/resources/findings"))).toEqual([]);
  expect((await sam.as.get("/v1/resources/findings")).body.data ?? []).toEqual([]);
  done(await doc.as.patch(`/v1/resources/findings/${finding.id}`, { released: true }));
  const [seen] = done(await pat.as.get("/v1/resources/findings"));
  expect(seen).toEqual({ id: finding.id, ...text });
  expect((await doc.as.patch(`/v1/resources/findings/${finding.id}`, { text: "Changed" })).status).toBe(403);
  done(await doc.as.post(`${path}/transitions/keep`, {}));
});

test("booking: one of several guests gets a room, and a room never has more guests than seats", async () => {
  const { visitor, person, admin } = await open("booking");
  const [ana, ben, eve] = [await person("ana"), await person("ben"), await person("eve")];
  done(await admin.put(`/v1/users/${ana.id}/roles`, { roles: ["host"] }));
  await expect
    .poll(async () => (await ana.as.post("/v1/resources/houses", { name: "Mill" })).status, { timeout: 5_000 })
    .toBe(201);
  const [house = ""] = ids(await visitor.get("/v1/resources/houses"));
  const room = done(await ana.as.post("/v1/resources/rooms", { house_id: house, name: "Blue", seats: 3 }));
  const night = { room_id: room.id, starts_at: "2040-05-04T18:00:00Z", ends_at: "2040-05-05T08:00:00Z" };
  const wanted = Array.from({ length: 30 }, (_, at) =>
    (at % 2 === 0 ? ben : eve).as.post("/v1/resources/stays", night),
  );
  const statuses = (await Promise.all(wanted)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 29 }, () => 409)]);
  const [stay] = done(await ana.as.get("/v1/resources/stays"));
  const guest = stay.guest_id === ben.id ? ben : eve;
  expect((await guest.as.post("/v1/resources/stays", { ...night, ends_at: night.starts_at })).status).toBe(422);
  const added = Array.from({ length: 30 }, (_, at) =>
    guest.as.post("/v1/resources/companions", { stay_id: stay.id, name: `Guest ${at}` }),
  );
  const companions = (await Promise.all(added)).map(({ status }) => status);
  expect(companions.filter((status) => status === 201)).toHaveLength(2);
  expect(done(await ana.as.get("/v1/resources/stays/upcoming"))).toMatchObject([{ id: stay.id, people: 3 }]);
  expect(new Set(companions)).toEqual(new Set([201, 403]));
  done(await ana.as.post(`/v1/resources/stays/${stay.id}/transitions/confirm`, {}));
  done(await guest.as.post(`/v1/resources/stays/${stay.id}/transitions/cancel`, {}));
  expect(ids(await ana.as.get("/v1/resources/stays/upcoming"))).toEqual([]);
  // A stay and its guests are one request, all or none of them.
  const party = (names: readonly string[]): object => ({ ...night, companions: names.map((name) => ({ name })) });
  expect((await eve.as.post("/v1/resources/stays", party(["Cleo", "Dan", "Flo"]))).status).toBe(403);
  expect(done(await eve.as.post("/v1/resources/stays", party(["Cleo", "Dan"])))).toMatchObject({ people: 3 });
});
