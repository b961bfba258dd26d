// Attempts that all processes count together, on a real database.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createTestDatabase,
  kek,
  makeProject,
  openTestCell,
  type TestCell,
  type TestDatabase,
} from "../modes/testing/cell.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { createStoredLimit } from "./stored-limit.ts";

let database: TestDatabase;
let cell: TestCell;
beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

const limitOf = (name = "mails") =>
  createStoredLimit({ pool: cell.pool, kek, name, attemptsMax: 3, windowSeconds: 60 });

it("processes count together, separately for each project, subject and limit", async () => {
  const [one, other] = [await makeProject(cell), await makeProject(cell)];
  const processes = [limitOf(), limitOf()];
  const taken = await Promise.all(
    Array.from({ length: 6 }, (_, at) => processes[at % 2]!.take(one, "ana@example.com")),
  );
  expect(taken.filter((wait) => wait === 0)).toHaveLength(3);
  expect(Math.max(...taken)).toBeGreaterThan(50);
  expect(Math.max(...taken)).toBeLessThanOrEqual(60);
  expect(await limitOf().take(one, "bo@example.com")).toBe(0);
  expect(await limitOf().take(other, "ana@example.com")).toBe(0);
  expect(await limitOf("tests").take(one, "ana@example.com")).toBe(0);
  const { rows } = await cell.pool.query("SELECT * FROM plinth.attempts");
  expect(JSON.stringify(rows)).not.toContain("example.com");
});

it("starts again once its window has passed", async () => {
  const project = await makeProject(cell);
  for (let at = 0; at < 3; at++) expect(await limitOf().take(project, "a")).toBe(0);
  expect(await limitOf().take(project, "a")).toBeGreaterThan(0);
  await cell.pool.query("UPDATE plinth.attempts SET ends_at = now()");
  for (let at = 0; at < 3; at++) expect(await limitOf().take(project, "a")).toBe(0);
  expect(await limitOf().take(project, "a")).toBeGreaterThan(0);
});
