// Profile fields at sign-up: they are stored with the account, with the rights that its user will have, and wait
// together with a sign-up that must be verified.
import { randomUUID } from "node:crypto";
import type { ProjectId } from "@plinth/bundle";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleOf } from "../../http/testing/test-cell.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import { createLedger } from "../../mail/ledger.ts";
import {
  callModule,
  createTestDatabase,
  dataOf,
  deploy,
  kek,
  makeKey,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../../modes/testing/cell.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";

const fields = `users:
  fields:
    nickname: string(2,40)?
    mood: string? pii
    listed: bool = true
    verified: bool writable(admin) = false
`;
const atOnce = `project: chat\nmodules: [auth, users]\n${fields}`;
const afterProof = `project: desk
modules: [auth, users]
auth: { verify_email: true, verify_url: "https://app.example.com/verify" }
${fields}`;
const password = "correct horse battery";

let database: TestDatabase;
let cell: TestCell;
beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database, { mailbox: true });
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

interface App {
  readonly projectId: ProjectId;
  readonly call: (route: string, body: object) => ReturnType<typeof callModule>;
}
async function openApp(blueprint: string, network: number): Promise<App> {
  const projectId = await makeProject(cell);
  await deploy(cell, publicationOf(projectId, bundleOf(blueprint), null));
  const { key } = await makeKey(cell, projectId, { kind: "publishable" });
  let last = 0;
  const call = (route: string, body: object) =>
    callModule(cell, { path: `/v1/auth/${route}`, key, body, ip: `198.18.${network}.${++last}` });
  return { projectId, call };
}
/** Signs up, and waits for the mail. */
async function pendingToken(app: App, profile: object): Promise<string> {
  const email = newAddress();
  await app.call("sign-up", { email, password, profile });
  const ledger = createLedger({ pool: cell.pool, box: createSecretBox(kek) });
  const found = async (): Promise<string | undefined> => {
    const mail = (await ledger.list(app.projectId, { limit: 10 })).find(({ content }) => content.to.includes(email));
    return /plm_[\w-]+/.exec(mail?.content.text ?? "")?.[0];
  };
  await expect.poll(found).toBeDefined();
  return (await found()) ?? "";
}
const newAddress = (): string => `${randomUUID()}@example.com`;

describe("a sign-up with a profile", () => {
  let app: App;
  beforeAll(async () => {
    app = await openApp(atOnce, 0);
  });
  const signUp = (profile: object, email = newAddress()) => app.call("sign-up", { email, password, profile });

  it("creates a user with it", async () => {
    const { user } = dataOf(await signUp({ nickname: "Ana", mood: "fine", listed: false }));
    expect(user).toMatchObject({ nickname: "Ana", mood: "fine", listed: false, verified: false });
  });

  it("leaves an audit row for its fields, by the user themselves", async () => {
    const { user } = dataOf(await signUp({ nickname: "Ben" }));
    const { rows } = await cell.pool.query(
      `SELECT operation, changes->'nickname' AS nickname FROM ${tenantNames(app.projectId).schema}.audit_log
        WHERE actor_id = $1 AND entity = 'user' ORDER BY id`,
      [user.id],
    );
    expect(rows.map(({ operation }) => operation)).toEqual(["create", "update"]);
    expect(JSON.stringify(rows[1].nickname)).toContain("Ben");
  });

  it.each([
    ["a value that is too short", { nickname: "A" }, { status: 422, path: "/profile/nickname" }],
    ["a field that users don't have", { height: 3 }, { status: 422, path: "/profile/height" }],
    [
      "what is called as every object's prototype",
      JSON.parse('{"__proto__":{"roles":["admin"]}}'),
      { status: 422, path: "/profile/__proto__" },
    ],
    ["a column of the account", { password_hash: "x" }, { status: 422, path: "/profile/password_hash" }],
    ["a field that the server sets", { roles: ["admin"] }, { status: 422, path: "/profile/roles" }],
    ["a field that admins write", { verified: true }, { status: 403, path: "/profile/verified" }],
  ])("is refused for %s, and creates no user", async (_what, profile, { status, path }) => {
    const email = newAddress();
    const refused = await signUp(profile, email).catch((fault: unknown) => fault);
    expect(refused).toMatchObject({ status, errors: [{ path }] });
    const { rows } = await cell.pool.query(
      `SELECT count(*)::int AS n FROM ${tenantNames(app.projectId).schema}.users WHERE email = $1`,
      [email],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
});

it("waits together with a sign-up that must be verified", async () => {
  const app = await openApp(afterProof, 1);
  const email = newAddress();
  await expect(app.call("sign-up", { email, password, profile: { nickname: "A" } })).rejects.toMatchObject({
    errors: [{ path: "/profile/nickname" }],
  });
  const token = await pendingToken(app, { nickname: "Cleo", mood: "quiet" });
  const { rows } = await cell.pool.query("SELECT * FROM plinth.account_tokens");
  expect(JSON.stringify(rows)).not.toMatch(/Cleo|quiet/);
  const { user } = dataOf(await app.call("verify-email", { token, password }));
  expect(user).toMatchObject({ nickname: "Cleo", mood: "quiet" });
});

describe("a unique value", () => {
  const unique = `${afterProof}    handle: string? unique
    desk: int? unique(floor)
    floor: int = 1
`;
  const signUp = (app: App, profile: object) => app.call("sign-up", { email: newAddress(), password, profile });
  const refusal = { code: "unique_violation", status: 409, errors: [{ path: "/profile/handle", code: "taken" }] };

  it("is refused before a mail is sent if another user has it", async () => {
    const app = await openApp(unique, 2);
    await cell.pool.query(
      `INSERT INTO ${tenantNames(app.projectId).schema}.users (id, email, handle, desk, floor) VALUES (gen_random_uuid(), $1, 'ana', 7, 2)`,
      [newAddress()],
    );
    await expect(signUp(app, { handle: "ana" })).rejects.toMatchObject(refusal);
    await expect(signUp(app, { desk: 7, floor: 2 })).rejects.toMatchObject({
      errors: [{ path: "/profile/desk" }, { path: "/profile/floor" }],
    });
    const waiting = await cell.pool.query("SELECT 1 FROM plinth.account_tokens WHERE project_id = $1", [app.projectId]);
    expect(waiting.rowCount).toBe(0);
    expect((await signUp(app, { handle: "ben", desk: 7 })).status).toBe(202);
    expect((await signUp(app, { handle: null })).status).toBe(202);
  });

  it("goes to the user who verifies first", async () => {
    const app = await openApp(unique, 3);
    const [first, second] = [await pendingToken(app, { handle: "ana" }), await pendingToken(app, { handle: "ana" })];
    const { user } = dataOf(await app.call("verify-email", { token: second, password }));
    expect(user).toMatchObject({ handle: "ana" });
    await expect(app.call("verify-email", { token: first, password })).rejects.toMatchObject(refusal);
    const { rows } = await cell.pool.query(`SELECT count(*)::int AS n FROM ${tenantNames(app.projectId).schema}.users`);
    expect(rows).toEqual([{ n: 1 }]);
  });
});
