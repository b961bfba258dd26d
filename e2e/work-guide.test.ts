// The guide to background work, followed by a reader who knows nothing else: `plinth dev` serves its blueprints, and
// requests use HTTP.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, call, callerOf, signUp } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

const docs = resolve(import.meta.dirname, "../docs");
const guide = readFileSync(join(docs, "blueprint/work.md"), "utf8");
const blueprints = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
const soon = { timeout: 20_000, interval: 200 };

test("all its blueprints are valid, without a warning", () => {
  expect(blueprints).toHaveLength(5);
  for (const text of blueprints) expect([text, checkBlueprint(text).diagnostics]).toEqual([text, []]);
});

const folder = mkdtempSync(join(tmpdir(), "plinth-work-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Served {
  readonly stack: DevStack;
  readonly admin: Caller;
  readonly ana: { readonly id: string; readonly as: Caller };
}

async function serve(name: string, text: string): Promise<Served> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const stack = await startDev(file);
  const admin = callerOf(stack.apiUrl, stack.keys.secret);
  return { stack, admin, ana: await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com") };
}

describe("events and workflows", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve("rental.yaml", blueprints[0] ?? "");
  });
  afterAll(() => served?.stack.stop());

  test("workflows get the events of a create and of a transition", async () => {
    const { ana, admin } = served;
    const short = await ana.as.post("/api/rentals", { bike: "Gazelle", days: 2 });
    const long = await ana.as.post("/api/rentals", { bike: "Brompton", days: 9 });
    const path = `/api/rentals/${short.body.data.id}`;
    await expect.poll(async () => (await ana.as.get(path)).body.data.status, soon).toBe("agreed");
    expect((await admin.post(`${path}/transitions/hand_out`, {})).status).toBe(200);
    expect((await admin.post(`${path}/transitions/take_back`, {})).status).toBe(200);
    await expect
      .poll(async () => (await admin.get("/api/invoices")).body.data, soon)
      .toMatchObject([{ rental_id: short.body.data.id, text: "2 days with Gazelle", days: 2 }]);
    await expect.poll(async () => (await admin.get("/v1/audit-log?operation=note")).body.data, soon).toHaveLength(1);
    expect((await ana.as.get(`/api/rentals/${long.body.data.id}`)).body.data.status).toBe("asked");
  });
});

describe("workers and schedules", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve("nightly.yaml", blueprints[2] ?? "");
  });
  afterAll(() => served?.stack.stop());

  test("a schedule that is started by hand only marks the late rentals", async () => {
    const { admin } = served;
    for (const [bike, day] of [
      ["Gazelle", "2020-01-01"],
      ["Brompton", "2999-01-01"],
    ]) {
      const made = await admin.post("/api/rentals", { bike, due_at: `${day}T12:00:00Z` });
      expect(made.status, made.text).toBe(201);
    }
    const run = await admin.post("/v1/schedules/run", { schedule: "every_night" });
    expect(run.status, run.text).toBe(202);
    const late = async () => (await admin.get("/api/rentals?status=late")).body.data;
    await expect.poll(late, soon).toMatchObject([{ bike: "Gazelle" }]);
    const ended = async () => (await admin.get("/v1/runs")).body.data.map((each: { status: string }) => each.status);
    await expect.poll(ended, soon).toEqual(["completed", "completed", "completed"]);
    expect(await late()).toHaveLength(1);
  });
});

describe("actions", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve("action.yaml", blueprints[3] ?? "");
  });
  afterAll(() => served?.stack.stop());

  test("an action takes effect completely or not at all, and once for one key", async () => {
    const { ana, admin, stack } = served;
    const bike = (await admin.post("/api/bikes", { name: "Gazelle" })).body.data.id;
    const rent = (body: unknown) => ana.as.post("/v1/actions/rent-bike", body);
    expect((await rent({ bike, days: 20 })).status).toBe(403);
    expect((await rent({ bike, days: 31 })).status).toBe(422);
    const rented = await rent({ bike, days: 3 });
    expect(rented.status, rented.text).toBe(200);
    expect((await ana.as.get(`/api/rentals/${rented.body.data.rental}`)).body.data).toMatchObject({ days: 3 });
    expect((await ana.as.get(`/api/bikes/${bike}`)).body.data.status).toBe("rented");
    expect((await rent({ bike, days: 3 })).status).toBe(409);
    expect((await admin.get("/api/rentals")).body.data).toHaveLength(1);

    const second = (await admin.post("/api/bikes", { name: "Brompton" })).body.data.id;
    const person = { email: "ana@example.com", password: "correct horse battery" };
    const session = await callerOf(stack.apiUrl, stack.keys.publishable).post("/v1/auth/sign-in", person);
    const keyed = () =>
      call(`${stack.apiUrl}/v1/actions/rent-bike`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${stack.keys.publishable}`,
          "plinth-user-token": session.body.data.access_token,
          "content-type": "application/json",
          "idempotency-key": "once",
        },
        body: JSON.stringify({ bike: second, days: 1 }),
      });
    const first = await keyed();
    const again = await keyed();
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([200, 200, "true"]);
    expect(again.body).toEqual(first.body);
    expect((await admin.get("/api/rentals")).body.data).toHaveLength(2);
  });
});

describe("events of your own", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve("repair.yaml", blueprints[1] ?? "");
  });
  afterAll(() => served?.stack.stop());

  test("an action emits an event, and the waiting run continues with its payload", async () => {
    const { ana, admin } = served;
    const made = await ana.as.post("/api/repairs", { bike: "Gazelle" });
    const { id } = made.body.data;
    const waiting = async () => (await admin.get("/v1/runs?status=waiting")).body.data;
    await expect.poll(waiting, soon).toMatchObject([{ workflow: "await_estimate", actor_id: ana.id }]);
    const sent = await admin.post("/v1/actions/estimate", { repair: id, price: 620 });
    expect(sent.status, sent.text).toBe(200);
    await expect.poll(async () => (await ana.as.get(`/api/repairs/${id}`)).body.data.price, soon).toBe(620);
    const notes = async () => (await admin.get("/v1/audit-log?operation=note")).body.data;
    await expect.poll(notes, soon).toMatchObject([{ changes: { note: "A repair for 620" } }]);
  });
});

describe("approvals", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve("approval.yaml", blueprints[4] ?? "");
  });
  afterAll(() => served?.stack.stop());

  test("a manager finds the approvals, and approves or rejects", async () => {
    const { ana, admin, stack } = served;
    const ben = await signUp(stack.apiUrl, stack.keys.publishable, "ben@example.com");
    expect((await admin.put(`/v1/users/${ben.id}/roles`, { roles: ["manager"] })).status).toBe(200);
    const asked = async () => (await ben.as.get("/v1/runs/approvals")).body.data;
    for (const [deed, status] of [
      ["approve", "paid"],
      ["reject", "refused"],
    ] as const) {
      const made = await ana.as.post("/api/refunds", { amount: "12.00" });
      expect(made.status, made.text).toBe(201);
      const { id } = made.body.data;
      await expect
        .poll(asked, soon)
        .toMatchObject([{ message: "Pay 12.00 back?", step: "approve", record: { entity: "refund", id } }]);
      expect((await ana.as.get("/v1/runs/approvals")).body.data).toEqual([]);
      const [{ run_id: run, step, since }] = await asked();
      expect((await ana.as.post(`/v1/runs/${run}/${deed}`, { step })).status).toBe(404);
      const answer = { step, since, note: `I ${deed} it` };
      expect((await ben.as.post(`/v1/runs/${run}/${deed}`, answer)).status).toBe(202);
      const refund = async () => (await ana.as.get(`/api/refunds/${id}`)).body.data;
      await expect.poll(refund, soon).toMatchObject({ status, answer: answer.note });
      expect(await asked()).toEqual([]);
    }
  });
});

describe("the dues of a club", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve("club-dues.yaml", readFileSync(join(docs, "examples/club-dues.yaml"), "utf8"));
  });
  afterAll(() => served?.stack.stop());

  test("late dues are marked, listed in the digest, and paid with an action", async () => {
    const { admin, ana } = served;
    const due = async (day: string): Promise<string> => {
      const made = await admin.post("/api/dues", { member_id: ana.id, amount: "25.00", due_at: `${day}T00:00:00Z` });
      expect(made.status, made.text).toBe(201);
      return made.body.data.id;
    };
    const late = await due("2020-01-01");
    await due("2999-01-01");
    expect((await admin.post("/v1/schedules/run", { schedule: "nightly_check" })).status).toBe(202);
    await expect.poll(async () => (await ana.as.get(`/api/dues/${late}`)).body.data.status, soon).toBe("late");
    expect((await admin.post("/v1/schedules/run", { schedule: "weekly_digest" })).status).toBe(202);
    await expect
      .poll(async () => (await admin.get("/v1/audit-log?operation=note")).body.data[0]?.changes?.note, soon)
      .toBe("1 dues are late, 1 are open");
    expect((await ana.as.post("/v1/actions/record-payment", { due: late })).status).toBe(403);
    expect((await admin.put(`/v1/users/${ana.id}/roles`, { roles: ["user", "treasurer"] })).status).toBe(200);
    const pay = () => ana.as.post("/v1/actions/record-payment", { due: late, note: "In cash" });
    await expect.poll(async () => (await pay()).status, soon).toBe(200);
    expect((await pay()).status).toBe(409);
    expect((await admin.get("/api/payments")).body.data).toMatchObject([{ due_id: late, amount: "25.00" }]);
  });
});
