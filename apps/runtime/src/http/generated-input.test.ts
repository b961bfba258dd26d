// Generated requests. Guarantee 17: the reply to any request is the record or a 4xx problem, never a 5xx. Guarantee 8:
// no reply and no effect crosses from one project into another.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

// Each new shape of a request is proven before its first run, which takes longer than the run.
vi.setConfig({ testTimeout: 60_000 });

let cell: TestCell;
let project: TestProject;
let other: TestProject;
const ids: string[] = [];
const foreignIds: string[] = [];

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(testBlueprint);
  other = await cell.addProject(testBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("root", project, ["admin", "owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("far", other, keyPrincipal("key_far", ["admin"]));
  for (let i = 0; i < 6; i++) {
    const body = { title: "near", price: i, status: i % 2 === 0 ? "active" : "draft" };
    ids.push((await cell.send("ana", "POST", "/api/listings", body)).json.data.id);
    foreignIds.push((await cell.send("far", "POST", "/api/listings", { ...body, title: "far" })).json.data.id);
  }
});
afterAll(() => cell?.close());

const names = fc.constantFrom(
  "title",
  "price",
  "status",
  "code",
  "opens_at",
  "external",
  "featured",
  "contact",
  "description",
  "created_by",
  "id",
  "version",
  "__proto__",
  "x",
  "limit",
  "sort",
  "cursor",
);
const values = fc.oneof(
  fc.constantFrom(
    "active",
    "2024-02-29T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "0001-01-01T00:00:00+15:59",
    "9999-12-31T23:59:59.999999-15:59",
    "infinity",
    "now",
    "",
    "a@b.co",
    "\0",
    "\ud800",
    -1,
    2147483647,
    2147483648,
    1e21,
    0.1,
    true,
    null,
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.integer(),
  fc.uuid(),
  fc.jsonValue({ maxDepth: 2 }),
);

test("any body is accepted unchanged or refused with a problem", async () => {
  const body = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .array(fc.tuple(names, values), { maxLength: 6 })
        .map((pairs) => JSON.stringify({ title: "near", price: 1, ...Object.fromEntries(pairs) })),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
  );
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.constantFrom("ana", "root"),
      fc.boolean(),
      fc.nat(5),
      async (text, caller, isUpdate, pick) => {
        const reply = isUpdate
          ? await cell.send(caller, "PATCH", `/api/listings/${ids[pick]}`, text)
          : await cell.send(caller, "POST", "/api/listings", text);
        if (reply.status >= 300) {
          expect([400, 403, 404, 409, 422], `${text} ${reply.text}`).toContain(reply.status);
          expect(reply.headers.get("content-type")).toContain("problem+json");
          return;
        }
        accepted++;
        const sent = JSON.parse(text) as Record<string, unknown>;
        for (const [name, value] of Object.entries(sent)) {
          const kept = reply.json.data[name];
          if (name === "opens_at" && value !== null) expect(Date.parse(kept)).toBe(Date.parse(value as string));
          else if (name === "external" && value !== null) expect(kept).toBe((value as string).toLowerCase());
          else expect(kept, name).toEqual(value);
        }
      },
    ),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(50);
});

/** Not `String(value)`: an object may have a member called `toString`. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

test("any query string answers with rows or a problem", async () => {
  const text = fc.oneof(values.map(textOf), fc.constantFrom("-price", "price,-id", "%zz", "%00", "1", "100", "0x10"));
  const part = fc
    .tuple(fc.oneof(names, fc.string({ maxLength: 8 })), text, fc.boolean())
    .map(([name, value, encoded]) => {
      const wellFormed = String(value).toWellFormed();
      return encoded
        ? `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(wellFormed)}`
        : `${encodeURIComponent(name.toWellFormed())}=${wellFormed.replaceAll(/[^!-~]|#/g, "")}`;
    });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 3 }), fc.constantFrom("ana", "root", "pub"), async (parts, caller) => {
      const reply = await cell.send(caller, "GET", `/api/listings?${parts.join("&")}`);
      expect([200, 400], `${parts.join("&")} ${reply.text}`).toContain(reply.status);
      for (const row of reply.json.data ?? []) expect(row.title).not.toBe("far");
    }),
    { numRuns: 500 },
  );
});

test("no request reaches into another project", async () => {
  const before = await cell.fingerprint(other);
  const request = fc.record({
    caller: fc.constantFrom("ana", "root", "pub"),
    method: fc.constantFrom("GET", "PATCH", "DELETE", "POST"),
    base: fc.constantFrom("/api/listings", "/v1/resources/listings", "/api/inquiries", "/v1/users", "/api/tasks"),
    id: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ caller, method, base, id }) => {
      const foreign = foreignIds[id]!;
      const inquiry = { listing_id: foreign, name: "n", email: "n@example.com", message: "m" };
      const reply = await (method === "POST"
        ? cell.send(
            caller,
            "POST",
            base,
            base.endsWith("inquiries") ? inquiry : { title: "near", price: 1, created_by: foreign },
          )
        : cell.send(caller, method, `${base}/${foreign}`, method === "PATCH" ? { title: "taken" } : undefined));
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
    }),
    { numRuns: 300 },
  );
  expect(await cell.fingerprint(other)).toBe(before);
});
