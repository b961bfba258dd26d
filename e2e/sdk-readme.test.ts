// The SDK's README as one program: its blueprint is published, and its snippets are type-checked and run.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, readme, startDesk } from "./sdk-desk.ts";

const root = resolve(import.meta.dirname, "..");
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, snippet = ""]) => snippet);
/** Variables that the snippets do not declare. */
const head = `const [, , apiKey = "", baseUrl = "", email = "", password = ""] = process.argv;
let taken: readonly string[] = [];
`;
const shown = [
  ...["me", "tasks", "assigned", "others", "counts", "titles", "home", "first", "urgent", "task", "painting", "made"],
  ...["results", "shared", "garden", "dig", "self", "people", "taken", "reason", "mayCreate", "mayDelete"],
];

let folder: string;
let desk: Desk;

beforeAll(async () => {
  desk = await startDesk();
  // In this folder, the packages of the tests are found.
  mkdirSync(resolve(import.meta.dirname, ".plinth"), { recursive: true });
  folder = mkdtempSync(resolve(import.meta.dirname, ".plinth/readme-"));
  writeFileSync(
    resolve(folder, "todo-desk.gen.d.ts"),
    readFileSync(resolve(import.meta.dirname, "sdk-types.gen.ts"), "utf8"),
  );
  const tsconfig = { extends: "../../tsconfig.json", compilerOptions: { types: ["node"] }, include: ["."] };
  writeFileSync(resolve(folder, "tsconfig.json"), JSON.stringify(tsconfig));
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await desk?.close();
});

/** Returns the output of the TypeScript compiler; empty if there are no errors. */
function checked(parts: readonly string[]): string {
  writeFileSync(resolve(folder, "program.ts"), [head, ...parts].join("\n"));
  const { stdout } = spawnSync(resolve(root, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
    encoding: "utf8",
    cwd: folder,
  });
  return stdout;
}

test("every snippet is the installation, a blueprint or a part of the program", () => {
  const fences = [...readme.matchAll(/^```(\w*)$/gm)].map(([, language]) => language).filter((one) => one !== "");
  expect(fences).toEqual(["sh", "yaml", ...snippets.map(() => "ts")]);
  expect(snippets.length).toBeGreaterThan(12);
});

test("the program compiles with the generated types, and runs", async () => {
  const board = await desk.admin.entity("board").create({ name: "Home" });
  const owner = await desk.user("owner", "Ana");
  const ownerId = owner.auth.session()?.user.id ?? "";
  await owner
    .entity("task")
    .create({ title: "Sweep", rank: 12, board_id: board.id, place: 1, assignee_id: ownerId, status: "open" });
  const end = `console.log(JSON.stringify({ ${shown.join(", ")} }));\n`;
  expect(checked([...snippets, end])).toBe("");
  const given = [desk.publishable, desk.cell.origin, "reader@example.com", "correct horse battery"];
  const printed = execFileSync(process.execPath, [resolve(folder, "program.ts"), ...given], { encoding: "utf8" });
  const sweep = { title: "Sweep", assignee: { nickname: "Ana", assigned: [{ title: "Sweep" }] } };
  expect(JSON.parse(printed.trim().split("\n").at(-1) ?? "")).toMatchObject({
    me: expect.any(String),
    self: { email: "reader@example.com", nickname: "Ana" },
    people: expect.arrayContaining([{ nickname: "ana" }]),
    tasks: [{ title: "Sweep", rank: 12, board: { name: "Home" } }],
    assigned: [sweep],
    others: ["Sweep"],
    counts: [{ status: "open", "assignee.nickname": "Ana", count: 1, "max(rank)": 12 }],
    titles: ["Sweep"],
    home: { id: board.id },
    first: { title: "Sweep" },
    urgent: [{ title: "Sweep" }],
    task: { title: "Water the plants" },
    painting: "Paint",
    made: [{ title: "Cook" }, { title: "Eat" }],
    results: [{ ok: true }, { ok: true }],
    shared: { name: "Shared" },
    garden: { name: "Garden" },
    dig: { title: "Dig", board_id: expect.any(String) },
    taken: ["/name"],
    reason: "AbortError",
    mayCreate: { allowed: true },
    mayDelete: { allowed: true },
  });
}, 120_000);

test("the compiler finds what doesn't match the types", () => {
  const faults: readonly (readonly [string, string])[] = [
    ['title: "Dig"', 'titel: "Dig"'],
    ["rank: { gte: 3 }", 'rank: { gte: "3" }'],
    ["(({ title }) => title)", "((each) => each.rank)"],
    ['useUpdate("task")', 'useUpdate("tasks")'],
  ];
  const whole = snippets.join("\n");
  const faulty = faults.reduce((text, [right, wrong]) => text.replace(right, wrong), whole);
  const found = [...checked([faulty]).matchAll(/program\.ts\((\d+),/g)].map(([, line]) => Number(line));
  const lines = `${head}\n${faulty}`.split("\n");
  expect(faults.map(([, wrong]) => lines.findIndex((line) => line.includes(wrong)) + 1)).toEqual(
    faults.map(() => expect.toBeOneOf(found)),
  );
}, 120_000);
