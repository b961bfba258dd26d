// An endpoint is deleted while an attempt is being recorded: both lock the same rows, so both must begin with the
// endpoint's row.
import { afterEach, expect, it } from "vitest";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

it.each([200, 500])("an endpoint that answers %i is deleted without a deadlock", async (status) => {
  hooked = await openHooked(blueprint, () => ({ status }));
  const { work, call, receiver, createTicket } = hooked;
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  // Recording an attempt pauses between the delivery's row and the endpoint's.
  await work.sql(
    `CREATE FUNCTION public.linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END'`,
  );
  await work.sql(
    "CREATE TRIGGER linger AFTER UPDATE ON plinth.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION public.linger()",
  );
  await createTicket();
  await expect.poll(() => receiver.received.length, { timeout: 10_000, interval: 5 }).toBe(1);
  await call("DELETE", `/v1/webhook-endpoints/${id}`);
  const left = await work.sql("SELECT count(*)::int AS n FROM plinth.webhook_deliveries");
  expect(left[0]?.["n"]).toBe(0);
});
