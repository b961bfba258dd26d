// A text that is too long for its unique index is the caller's mistake, not ours.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: long-texts
modules: [auth]
entities:
  page:
    fields:
      body: text unique
    permissions:
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin", "public"]));
});

afterAll(() => cell.close());

test("a unique text that is too long is refused at its field, and nothing is written", async () => {
  const before = await cell.fingerprint(project);
  // Random, because Postgres compresses what it indexes.
  const reply = await cell.send("admin", "POST", "/api/pages", { body: randomBytes(6000).toString("base64") });
  expect([reply.status, reply.json.errors]).toEqual([
    422,
    [expect.objectContaining({ path: "/body", code: "too_long" })],
  ]);
  expect(await cell.fingerprint(project)).toBe(before);
});
