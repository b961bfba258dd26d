// Endpoints of many owners: each sees what its owner can see, with few statements.
import { Client } from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
      user_id: user_ref?
    permissions:
      user: { read: user_id == current_user.id || title == "for all" }
      admin: { all: true }
`;
const OWNERS = 200;

let hooked: Hooked | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await hooked?.close();
  hooked = null;
});

async function open(): Promise<Hooked> {
  hooked = await openHooked(blueprint);
  const { work, call, receiver } = hooked;
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["ticket.*"] });
  await work.sql(
    `INSERT INTO {schema}.users (id, email, roles)
     SELECT gen_random_uuid(), 'user' || n || '@example.com', '{}' FROM generate_series(1, ${OWNERS}) n`,
  );
  await work.sql(
    `INSERT INTO plinth.webhook_endpoints (id, project_id, url, description, events, role, owner_kind, owner_id, payload, signing, enabled)
     SELECT gen_random_uuid(), e.project_id, e.url, '', e.events, 'user', 'user', u.id, e.payload, e.signing, true
     FROM plinth.webhook_endpoints e, {schema}.users u WHERE e.id = '${id}'`,
  );
  await work.sql("UPDATE plinth.webhook_endpoints SET open_until = now() + interval '1 day'");
  return hooked;
}

const made = async ({ work }: Hooked): Promise<number> =>
  Number((await work.sql("SELECT count(*)::int AS n FROM plinth.webhook_deliveries"))[0]?.["n"]);

it("takes little more than one statement for each owner", { timeout: 60_000 }, async () => {
  const all = await open();
  const queries = vi.spyOn(Client.prototype, "query");
  await all.createTicket("for all");
  await expect.poll(() => made(all), { timeout: 20_000 }).toBe(OWNERS + 1);
  const texts = queries.mock.calls.map(([query]) =>
    typeof query === "string" ? query : (query as { text: string }).text,
  );
  const about = texts.filter((text) => /webhook_sight|"?users"? u\b|workers__events/.test(text));
  expect(about.length).toBeLessThan(OWNERS * 1.3);
});

it("shows each owner only what they can read", { timeout: 60_000 }, async () => {
  const all = await open();
  const [user] = await all.work.sql("SELECT id::text AS id FROM {schema}.users ORDER BY email LIMIT 1");
  await all.createTicket("for one", { user_id: String(user?.["id"]) });
  await expect.poll(() => made(all), { timeout: 20_000 }).toBe(2);
});
