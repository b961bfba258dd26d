// The cost of sign-up and sign-in for those who try: attempts are charged before the work. Also their traces in the
// audit log.
import { newId } from "@plinth/bundle";
import { tenantNames } from "@plinth/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestCell } from "../../modes/testing/cell.ts";
import {
  type Call,
  callModule,
  createTestDatabase,
  dataOf,
  makeKey,
  makeLiveProject,
  openTestCell,
  type TestDatabase,
} from "../../modes/testing/cell.ts";
import { cellTemplate } from "../../release/testing/cell-template.ts";

let database: TestDatabase;
let cell: TestCell;
let schema: string;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase(cellTemplate);
  cell = await openTestCell(database);
  const { projectId } = await makeLiveProject(cell);
  ({ key } = await makeKey(cell, projectId, { kind: "publishable" }));
  schema = tenantNames(projectId).schema;
});
afterAll(async () => {
  await cell?.close();
  await database?.drop();
});

let lastIp = 0;
const newIp = (): string => `198.18.${++lastIp >> 8}.${lastIp & 255}`;
const newEmail = (): string => `${newId("usr")}@example.com`;
const password = "correct horse battery";

const call = (route: string, body: unknown, more: Partial<Call> = {}): ReturnType<typeof callModule> =>
  callModule(cell, { path: `/v1/auth/${route}`, key, body, ip: newIp(), ...more });

describe("sign-up and sign-in", () => {
  it("don't allow more through simultaneous requests", async () => {
    const email = newEmail();
    await call("sign-up", { email, password });
    const ip = newIp();
    const tally = async (calls: readonly Promise<unknown>[]): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const result of await Promise.allSettled(calls)) {
        const code = result.status === "fulfilled" ? "ok" : result.reason.code;
        counts[code] = (counts[code] ?? 0) + 1;
      }
      return counts;
    };
    const many = (n: number, one: () => Promise<unknown>): Promise<unknown>[] => Array.from({ length: n }, one);
    expect(await tally(many(60, () => call("sign-up", { email, password }, { ip })))).toEqual({
      unique_violation: 20,
      rate_limited: 40,
    });
    const guesser = newIp();
    const guess = (): Promise<unknown> => call("sign-in", { email, password: "wrong password" }, { ip: guesser });
    expect(await tally(many(40, guess))).toEqual({ invalid_credentials: 10, rate_limited: 30 });
  });

  it("don't count a successful sign-up", async () => {
    const ip = newIp();
    for (let i = 0; i < 25; i++) {
      expect((await call("sign-up", { email: newEmail(), password }, { ip })).status).toBe(201);
    }
  });

  it("leave no address and no other personal field in the audit log", async () => {
    const email = newEmail();
    const userId = dataOf(await call("sign-up", { email, password })).user.id;
    await call("sign-up", { email: newEmail(), password, name: "Zoë" });
    const { rows } = await cell.pool.query<{ changes: Record<string, unknown> }>(
      `SELECT changes FROM ${schema}.audit_log WHERE record_id = $1 AND operation = 'create'`,
      [userId],
    );
    expect(rows).toEqual([{ changes: { email: "[masked]", name: null } }]);
    const all = await cell.pool.query(`SELECT string_agg(changes::text, ' ') AS t FROM ${schema}.audit_log`);
    expect(all.rows[0].t).not.toContain(email);
    expect(all.rows[0].t).not.toContain("@");
  });
});
