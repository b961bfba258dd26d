// The guide, followed by a reader who knows nothing else: `plinth dev` serves its blueprints, and requests use HTTP.
// One project has a state machine and a rename, another one organizations.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkBlueprint } from "@plinth/blueprint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, signUp } from "./api.ts";
import { type DevStack, startDev } from "./stack.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../docs/blueprint/guide.md"), "utf8");

/** The blueprints under a heading of the guide. */
function blueprintsUnder(heading: string): string[] {
  const section = guide.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
}

const calls = readFileSync(resolve(import.meta.dirname, "../docs/blueprint/calls.md"), "utf8");
const all = [...(guide + calls).matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

test("all its blueprints are valid, without a warning", () => {
  expect(all.length).toBeGreaterThan(6);
  for (const text of all) expect([text, checkBlueprint(text).diagnostics]).toEqual([text, []]);
});

test("it can be read in ten minutes", () => {
  expect(guide.split(/\s+/).length).toBeLessThan(2_200);
});

const folder = mkdtempSync(join(tmpdir(), "plinth-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("states, then a rename", () => {
  const [blueprint = ""] = blueprintsUnder("States");
  let file: string;
  let stack: DevStack;
  let ana: { id: string; as: Caller };
  let mechanic: { id: string; as: Caller };

  beforeAll(async () => {
    file = fileOf("repair-desk.yaml", blueprint);
    stack = await startDev(file);
    ana = await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com");
    mechanic = await signUp(stack.apiUrl, stack.keys.publishable, "mia@example.com");
  });
  afterAll(() => stack?.stop());

  async function report(bike: string): Promise<string> {
    const reply = await ana.as.post("/api/repairs", { bike });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body.data).toMatchObject({ bike, status: "reported", customer_id: ana.id });
    return reply.body.data.id;
  }

  test("a repair only follows its transitions", async () => {
    const id = await report("Gazelle");
    const start = `/api/repairs/${id}/transitions/start`;
    expect((await mechanic.as.post(start, {})).status).toBe(422);
    const started = await mechanic.as.post(start, { mechanic_id: mechanic.id });
    expect([started.status, started.body.data?.status], started.text).toEqual([200, "in_work"]);
    const again = await mechanic.as.post(start, { mechanic_id: mechanic.id });
    expect([again.status, again.body.code]).toEqual([409, "transition_not_allowed"]);
    expect((await ana.as.post(`/api/repairs/${id}/transitions/finish`, {})).status).toBe(403);
    expect((await ana.as.patch(`/api/repairs/${id}`, { status: "collected" })).status).toBe(409);
    expect((await mechanic.as.post(`/api/repairs/${id}/transitions/finish`, {})).body.data.status).toBe("done");
    expect((await ana.as.patch(`/api/repairs/${id}`, { status: "collected" })).body.data.status).toBe("collected");
    expect((await ana.as.post("/api/repairs", { bike: "Brompton", status: "done" })).status).toBe(422);
  });

  test("a rename keeps the records and removes the old name", async () => {
    const id = await report("Brompton");
    const renamed = blueprint
      .replace("  repair:", "  repair_job:\n    was: repair")
      .replace("bike: string", "bicycle: string was(bike)");
    writeFileSync(file, renamed);
    await expect.poll(async () => (await ana.as.get(`/api/repair_jobs/${id}`)).status, { timeout: 20_000 }).toBe(200);
    expect((await ana.as.get(`/api/repair_jobs/${id}`)).body.data).toMatchObject({ bicycle: "Brompton", version: 1 });
    expect((await ana.as.get(`/api/repairs/${id}`)).status).toBe(404);
  });
});

describe("organizations", () => {
  const [blueprint = ""] = blueprintsUnder("Organizations");
  let stack: DevStack;
  let ana: { id: string; as: Caller };
  let ben: { id: string; as: Caller };

  beforeAll(async () => {
    stack = await startDev(fileOf("fleet.yaml", blueprint));
    ana = await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com");
    ben = await signUp(stack.apiUrl, stack.keys.publishable, "ben@example.com");
  });
  afterAll(() => stack?.stop());

  test("members only see the records of their organization", async () => {
    const organization = await ana.as.post("/v1/organizations", { name: "Ana's vans" });
    expect(organization.status, organization.text).toBe(201);
    const created = await ana.as.post("/api/vehicles", { plate: "B-AN 1" });
    expect(created.status, created.text).toBe(201);
    expect(created.body.data.org_id).toBe(organization.body.data.id);
    const path = `/api/vehicles/${created.body.data.id}`;
    expect((await ben.as.get(path)).status).toBe(404);
    expect((await ben.as.post("/api/vehicles", { plate: "B-EN 1" })).status).toBe(403);

    const invitations = `/v1/organizations/${organization.body.data.id}/invitations`;
    const invited = await ana.as.post(invitations, { email: "ben@example.com", role: "member" });
    expect(invited.status, invited.text).toBe(201);
    const { token } = invited.body.data;
    const joined = await ben.as.post("/v1/organizations/accept-invitation", { token, choose: true });
    expect(joined.status, joined.text).toBe(200);
    await expect.poll(async () => (await ben.as.get(path)).status, { timeout: 5_000 }).toBe(200);
    expect((await ben.as.patch(path, { mileage: 10 })).status).toBe(403);
    const driven = await ana.as.patch(path, { mileage: 10 });
    expect(driven.status, driven.text).toBe(200);
    expect((await ana.as.post("/api/vehicles", { plate: "B-AN 1" })).status).toBe(409);
  });
});

describe("more options", () => {
  const [blueprint = ""] = blueprintsUnder("More options");
  let stack: DevStack;
  let ana: { id: string; as: Caller };

  beforeAll(async () => {
    stack = await startDev(fileOf("shop.yaml", blueprint));
    ana = await signUp(stack.apiUrl, stack.keys.publishable, "ana@example.com");
  });
  afterAll(() => stack?.stop());

  test("seed rows exist; a deleted record can be restored, unless its unique value is taken", async () => {
    const seeded = await ana.as.get("/api/bikes?name=Demo");
    expect(seeded.body.data, seeded.text).toMatchObject([{ name: "Demo", frame_number: "D-1", seller_id: null }]);
    const created = await ana.as.post("/api/bikes", { name: "Gazelle", frame_number: "G-1" });
    const path = `/api/bikes/${created.body.data?.id}`;
    expect((await ana.as.delete(path)).status, created.text).toBe(204);
    expect((await ana.as.get(path)).status).toBe(404);
    const restored = await ana.as.post(`${path}/restore`, undefined);
    expect([restored.status, restored.body.data?.name], restored.text).toEqual([200, "Gazelle"]);
    expect((await ana.as.delete(path)).status).toBe(204);
    expect((await ana.as.post("/api/bikes", { name: "Brompton", frame_number: "G-1" })).status).toBe(201);
    expect((await ana.as.post(`${path}/restore`, undefined)).status).toBe(409);
  });

  test("checks and limits apply, and errors have the form that the guide describes", async () => {
    const refused = await ana.as.post("/api/bikes", { name: "same", frame_number: "same" });
    expect([refused.status, refused.body.code], refused.text).toEqual([422, "validation_failed"]);
    const wrong = await ana.as.post("/api/bikes", { nmae: "Gazelle" });
    expect(wrong.body.errors.map((one: { path: string }) => one.path)).toEqual(
      expect.arrayContaining(["/name", "/nmae", "/frame_number"]),
    );
    expect((await ana.as.get("/api/bikes?sort=-created_at&limit=200")).status).toBe(200);
    expect((await ana.as.get("/api/bikes?limit=201")).status).toBe(400);
    expect((await ana.as.get("/v1/openapi.json")).body.paths).toHaveProperty("/v1/resources/bikes");
    const taken = await ana.as.post("/api/bikes", { name: "Another", frame_number: "D-1" });
    expect([taken.status, taken.body.code]).toEqual([409, "unique_violation"]);
  });
});
