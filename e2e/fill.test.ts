// Existing records get values in new fields while clients continue to write: no record stays without a value, no write
// is refused, and none waits. See docs/blueprint/changes.md.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, type Reply } from "./api.ts";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

const head = "project: fills\nmodules: [auth, users, organizations]\nentities:\n";
const grants = "    permissions:\n      admin: { all: true }\n";
const before = `${head}  project:
    fields:
      name: string
${grants}  task:
    fields:
      project_id: ref(project)
      title: string
      status: enum[open, paid, sent] = open
${grants}`;

const after = (organization: string): string => `${head}  project:
    org_scoped: true
    fields:
      org_id: "org_ref fill('${organization}') = current_org"
      name: string
${grants}  task:
    org_scoped: true
    fields:
      org_id: "org_ref fill(project.org_id) = current_org"
      number: sequence(T-) per(org)
      project_id: ref(project)
      title: string
      line: "string(1, 520)? fill(project.name + ': ' + title)"
      is_paid: "bool fill(status == paid || status == sent) = false"
      status: enum[open, paid, sent] = open
${grants}`;

let database: TestDatabase;
let cell: PublishedCell;
let admin: Caller;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "fills");
  await cell.publish(before);
  admin = callerOf(cell.origin, await cell.makeKey("secret"));
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

interface Task {
  readonly id: string;
  readonly org_id: string;
  readonly number: string;
  readonly title: string;
  readonly line: string;
  readonly is_paid: boolean;
  readonly status: string;
}

test("new fields of a live project are filled", { timeout: 120_000 }, async () => {
  const organization = await created(admin.post("/v1/organizations", { name: "Acme" }));
  const project = await created(admin.post("/api/projects", { name: "P" }));
  const task = (title: string, status: string): Promise<Reply> =>
    admin.post("/api/tasks", { project_id: project.id, title, status });
  for (const status of ["open", "paid", "sent"]) expect((await task("before", status)).status).toBe(201);

  let done = false;
  const replies: Reply[] = [];
  const writers = Array.from({ length: 4 }, async () => {
    while (!done) replies.push(await task("meanwhile", "paid"));
  });
  await cell.publish(after(organization.id));
  done = true;
  await Promise.all(writers);

  // From the switch on, a client must name the organization of its writes.
  const made = replies.filter(({ status }) => status === 201).length;
  expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
  expect(made).toBeGreaterThan(10);
  const tasks: Task[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Reply = await admin.get(`/api/tasks?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(page.status, page.text).toBe(200);
    tasks.push(...page.body.data);
    cursor = page.body.page.next_cursor;
  }
  expect(tasks.length).toBe(made + 3);
  const numbers = tasks.map(({ number }) => Number(number.slice(2))).sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  for (const one of tasks) {
    const expected = { org_id: organization.id, line: `P: ${one.title}`, is_paid: one.status !== "open" };
    expect(one).toMatchObject(expected);
  }
});

async function created(reply: Promise<Reply>): Promise<{ readonly id: string }> {
  const { status, body, text } = await reply;
  expect(status, text).toBe(201);
  return body.data;
}
