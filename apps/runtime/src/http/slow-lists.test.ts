// The error for a list that takes too long says which index would help, and names nothing else.
import { afterAll, beforeAll, expect, test } from "vitest";
import { publishing } from "./testing/publishing.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(publishing.replace("modules:", "api: { statement_timeout: 100ms }\nmodules:"));
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.rows(project, "update {schema}.users set username = 'ana'");
  await cell.rows(
    project,
    `insert into {schema}.articles (id, title, slug, status, author_id)
     select gen_random_uuid(), repeat('x', 200) || n, 's' || n, 'draft', (select id from {schema}.users limit 1) from generate_series(1, 120000) n`,
  );
});
afterAll(() => cell?.close());

test("names the fields to index", async () => {
  const ask = async (path: string): Promise<string> => {
    const reply = await cell.send("admin", "GET", `/api/articles${path}`);
    expect(reply.status, reply.text).toBe(503);
    expect(reply.json.code).toBe("timeout");
    return reply.json.detail;
  };
  // A dozen patterns over 120,000 long texts take more than a tenth of a second on any machine.
  const patterns = Array.from({ length: 12 }, (_, n) => ({ title: { icontains: `${"x".repeat(n + 5)}y` } }));
  const slow = `where=${encodeURIComponent(JSON.stringify({ or: patterns }))}`;
  expect(await ask(`?status=draft&price[is_null]=true&${slow}&sort=title`)).toBe(
    "The list took too long. Add `index` to `article.price` and `article.title` in the blueprint.",
  );
  expect(await ask(`/aggregate?select=count&author.username=ana&status=draft&${slow}&group_by=title`)).toContain(
    "Add `index` to `user.username` in the blueprint.",
  );
});
