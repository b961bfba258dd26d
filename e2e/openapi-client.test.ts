// A client that third-party tools generate from a project's OpenAPI document: types by openapi-typescript, requests by
// openapi-fetch. A small program is type-checked, including faults, and runs against a real cell.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

const root = resolve(import.meta.dirname, "..");
let folder: string;
let database: TestDatabase;
let cell: PublishedCell;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "market-square");
  await cell.publish(readFileSync(resolve(root, "docs/examples/market-square.yaml"), "utf8"));
  key = await cell.makeKey("publishable");
  const reply = await fetch(`${cell.origin}/v1/openapi.json`, { headers: { authorization: `Bearer ${key}` } });
  // The folder with the packages of the tests.
  mkdirSync(resolve(import.meta.dirname, ".plinth"), { recursive: true });
  folder = mkdtempSync(resolve(import.meta.dirname, ".plinth/client-"));
  writeFileSync(resolve(folder, "openapi.json"), await reply.text());
  execFileSync(resolve(import.meta.dirname, "node_modules/.bin/openapi-typescript"), [
    resolve(folder, "openapi.json"),
    "--output",
    resolve(folder, "api.d.ts"),
  ]);
}, 120_000);

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  cell?.process.kill("SIGTERM");
  await database?.drop();
});

const head = `import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const [, , origin = "", key = "", token = ""] = process.argv;
const client = createClient<paths>({
  baseUrl: origin,
  headers: { authorization: \`Bearer \${key}\`, "plinth-user-token": token },
});
`;

/** The compiler's output; empty if there are no errors. */
function checked(name: string, program: string): string {
  const file = resolve(folder, `${name}.ts`);
  writeFileSync(file, `${head}${program}`);
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2024",
    "--lib",
    "es2024,dom",
  ];
  const modules = ["--module", "nodenext", "--moduleResolution", "nodenext", "--allowImportingTsExtensions"];
  const { stdout } = spawnSync(
    resolve(root, "node_modules/.bin/tsc"),
    [...options, ...modules, "--types", "node", file],
    {
      encoding: "utf8",
      cwd: root,
    },
  );
  return stdout;
}

const program = `
const created = await client.POST("/api/listings", { body: { title: "Oak table", price: 120 } });
if (created.data === undefined) throw new Error(JSON.stringify(created.error));
const record = created.data.data;
const one = await client.GET("/api/listings/{id}", { params: { path: { id: record.id } } });
const title: string | undefined = one.data?.data.title;
const changed = await client.PATCH("/api/listings/{id}", {
  params: { path: { id: record.id }, header: { "If-Match": one.response.headers.get("etag") ?? "" } },
  body: { price: 90 },
});
const stale = await client.PATCH("/api/listings/{id}", {
  params: { path: { id: record.id }, header: { "If-Match": one.response.headers.get("etag") ?? "" } },
  body: { price: 1 },
});
const page = await client.GET("/api/listings", { params: { query: { limit: 5, sort: "-created_at", count: "exact" } } });
const found = await client.GET("/api/listings", {
  params: {
    query: { where: JSON.stringify({ price: { gte: 50 } }), title: { icontains: "OAK" }, expand: "inquiries,created_by" },
  },
});
const [first] = found.data?.data ?? [];
const inquiries: readonly { message?: string }[] | undefined = first?.inquiries;
const gone = await client.DELETE("/api/listings/{id}", { params: { path: { id: record.id } } });
console.log(JSON.stringify({
  title,
  inquiries,
  status: [created, one, changed, stale, page, found, gone].map(({ response }) => response.status),
  code: stale.error?.code,
  titles: page.data?.data.map((each) => each.title),
}));
`;

test("the program compiles with the generated types, and runs", async () => {
  expect(checked("program", program)).toBe("");
  const ana = await fetch(`${cell.origin}/v1/auth/sign-up`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ email: "ana@example.com", password: "correct horse battery" }),
  });
  const { data } = (await ana.json()) as { data: { access_token: string } };
  const printed = execFileSync(process.execPath, [resolve(folder, "program.ts"), cell.origin, key, data.access_token], {
    encoding: "utf8",
  });
  expect(JSON.parse(printed)).toEqual({
    title: "Oak table",
    inquiries: [],
    status: [201, 200, 200, 412, 200, 200, 204],
    code: "precondition_failed",
    titles: ["Oak table"],
  });
}, 60_000);

test.each([
  ["a value of another type", `await client.POST("/api/listings", { body: { title: 7 } });`],
  ["a required field left out", `await client.POST("/api/listings", { body: { price: 1 } });`],
  ["a path that there isn't", `await client.GET("/api/nothing", {});`],
  ["an order that there isn't", `await client.GET("/api/listings", { params: { query: { count: "roughly" } } });`],
])("%s is a compiler error", (name, line) => {
  // After the eight lines of the head, and nowhere else.
  expect(checked(name.replaceAll(/[^a-z]/g, "-"), line)).toMatch(/^[^\n]*\.ts\(9,\d+\): error TS/);
});
