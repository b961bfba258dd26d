// The applications of docs/examples, each used as its people use it: real requests to a real cell, one project for each. What an
// example's own tests say of rules is run when it is published; here is what happens when several people work together.
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

/** The record of a reply that has to be a success. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
function done(reply: Reply): any {
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body?.data ?? null;
}

const ids = (reply: Reply): string[] => done(reply).map((one: { id: string }) => one.id);

/** An organization of the first, whom the others join. */
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
  expect(article).toMatchObject({ slug: "rows-and-rules", status: "draft", author_id: ana.id });
  const path = `/v1/resources/articles/${article.id}`;
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
  done(await ben.as.patch(path, { assignee_id: ben.id, priority: "high" }));
  for (const edge of ["start", "finish"]) done(await ben.as.post(`${path}/transitions/${edge}`, {}));
  expect((await ben.as.post(`${path}/transitions/start`, {})).status).toBe(409);
  const remark = done(await ana.as.post("/v1/resources/remarks", { issue_id: issue.id, body: "Well done" }));
  expect((await ben.as.patch(`/v1/resources/remarks/${remark.id}`, { body: "Mine" })).status).toBe(403);
  expect((await ben.as.delete(path)).status).toBe(204);
  expect((await ana.as.get(path)).status).toBe(404);
  expect(done(await ben.as.post(`${path}/restore`, {}))).toMatchObject({ id: issue.id, status: "done" });
});

test("invoicing: an invoice is written, issued, paid, and changes no more", async () => {
  const { person } = await open("invoicing");
  const [ana, ben] = [await person("ana"), await person("ben")];
  await organizationOf(ana, [[ben, "member"]], "Acme");
  const address = { street: "Main 1", city: "Berlin", country: "DE" };
  const customer = done(await ben.as.post("/v1/resources/customers", { name: "Shop", address }));
  const invoice = done(await ben.as.post("/v1/resources/invoices", { customer_id: customer.id }));
  expect(invoice.number).toMatch(/^INV-\d+$/);
  const path = `/v1/resources/invoices/${invoice.id}`;
  const line = { invoice_id: invoice.id, text: "Work", quantity: "2.50", price: "80.00" };
  const written = done(await ben.as.post("/v1/resources/lines", line));
  expect(Number(written.net)).toBe(200);
  expect((await ben.as.post("/v1/resources/lines", { ...line, quantity: "0.00" })).status).toBe(422);
  expect((await ben.as.post(`${path}/transitions/issue`, {})).status).toBe(422);
  const days = { issued_on: "2026-05-04", due_on: "2026-05-18" };
  expect((await ben.as.patch(path, { ...days, due_on: "2026-05-01" })).status).toBe(422);
  done(await ben.as.patch(path, days));
  done(await ben.as.post(`${path}/transitions/issue`, {}));
  expect((await ben.as.patch(path, { note: "late" })).status).toBe(403);
  expect((await ben.as.patch(`/v1/resources/lines/${written.id}`, { price: "1.00" })).status).toBe(403);
  done(await ben.as.post("/v1/resources/payments", { invoice_id: invoice.id, amount: "238.00" }));
  expect((await ben.as.post(`${path}/transitions/pay`, {})).status).toBe(403);
  expect(done(await ana.as.post(`${path}/transitions/pay`, {}))).toMatchObject({ status: "paid" });
});

test("chat: who is in a room reads and writes there; who leaves it doesn't", async () => {
  const { person } = await open("chat");
  const [ana, ben, eve] = [await person("ana"), await person("ben"), await person("eve")];
  const room = done(await ana.as.post("/v1/resources/rooms", { name: "Club" }));
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
  done(await ben.as.patch(`/v1/resources/messages/${hello.id}`, { body: "Hello all" }));
  expect((await ana.as.patch(`/v1/resources/messages/${hello.id}`, { body: "x" })).status).toBe(403);
  expect((await ben.as.delete(`/v1/resources/participants/${seat.id}`)).status).toBe(204);
  expect(ids(await ben.as.get("/v1/resources/messages"))).toEqual([]);
});
