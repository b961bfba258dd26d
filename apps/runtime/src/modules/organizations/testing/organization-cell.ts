// A cell with a project that has organizations, called over HTTP. In: nothing. Out: requests as people and keys, and a
// view of the rows. Only tests import it.
import { deepStrictEqual, strictEqual } from "node:assert";
import { checkBlueprint } from "@plinth/blueprint";
import { type Bundle, newId, type ProjectId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import type { FastifyInstance } from "fastify";
import type { RateLimit } from "../../../http/rate-limiter.ts";
import { createHttpServer, defaultHttpLimits } from "../../../http/server.ts";
import { wholeBlueprint } from "../../../http/testing/whole-blueprint.ts";
import { createSecretBox } from "../../../identity/secret-box.ts";
import type { TestCell } from "../../../modes/testing/cell.ts";
import {
  createTestDatabase,
  deploy,
  kek,
  makeKey,
  makeProject,
  openTestCell,
  publicationOf,
} from "../../../modes/testing/cell.ts";
import { cellTemplate } from "../../../release/testing/cell-template.ts";

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly json: any;
  readonly text: string;
  readonly headers: Headers;
}

export interface OrganizationCell {
  readonly cell: TestCell;
  readonly projectId: ProjectId;
  /** Credentials of the project, and of another one with the same blueprint. */
  readonly publishable: string;
  readonly admin: string;
  readonly foreign: string;
  /** The access token of a user of the other project. */
  readonly foreigner: string;
  readonly send: (
    who: Person | string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    url?: string,
  ) => Promise<Reply>;
  /** @param key Replaces the publishable one. */
  readonly signUp: (key?: string) => Promise<Person>;
  readonly organization: (owner: Person, name?: string) => Promise<string>;
  /** `{schema}` is replaced by the project's. */
  readonly rows: (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  /** Asserts that the request is refused and changes nothing. Returns its reply. */
  readonly refused: (status: number, code: string, request: Parameters<OrganizationCell["send"]>) => Promise<Reply>;
  readonly invite: (by: Person, organization: string, email: string, role?: string) => Promise<Reply>;
  /** Invites and accepts. */
  readonly join: (by: Person, organization: string, who: Person, role?: string, choose?: boolean) => Promise<void>;
  /** Another process of the cell with its own caches; returns its address. */
  readonly openReplica: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export const membersOf = (organization: string): string => `/v1/organizations/${organization}/members`;
export const invitationsOf = (organization: string): string => `/v1/organizations/${organization}/invitations`;
export const ACCEPT = "/v1/organizations/accept-invitation";
export const CHOICE = "/v1/users/me/organization";
export const within = (organization: string): Record<string, string> => ({ "plinth-organization": organization });
export const newUuid = (): string => crypto.randomUUID();

export function bundleOf(blueprint: string): Bundle {
  const { model, diagnostics } = checkBlueprint(blueprint);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return compileModel(model);
}

/**
 * @param bundle The deployed bundle; default: the blueprint of the whole language. @param caller The limit for one
 * caller.
 */
export async function openOrganizationCell(
  bundle: Bundle = bundleOf(wholeBlueprint),
  caller: RateLimit = { perSecond: 1_000, burst: 1_000 },
): Promise<OrganizationCell> {
  const database = await createTestDatabase(cellTemplate);
  const cell = await openTestCell(database);
  const make = async (): Promise<ProjectId> => {
    const id = await makeProject(cell);
    const { status, error } = await deploy(cell, publicationOf(id, bundle, null));
    strictEqual(status, "active", error ?? "");
    return id;
  };
  const projectId = await make();
  const publishable = (await makeKey(cell, projectId, { kind: "publishable" })).key;
  const admin = (await makeKey(cell, projectId, { role: "admin" })).key;
  const foreign = (await makeKey(cell, await make(), { role: "admin" })).key;
  const served: { readonly app: FastifyInstance; readonly cell: TestCell }[] = [];
  const serve = async (one: TestCell): Promise<string> => {
    const app = createHttpServer({
      ...one,
      tenants: one.scope,
      limits: { ...defaultHttpLimits, caller },
      logger: createLogger({ name: "test", level: "silent" }),
      clock: { now: Date.now },
      cursorSecret: "a secret of the tests alone",
      secretBox: createSecretBox(kek),
    });
    served.push({ app, cell: one });
    return app.listen({ port: 0, host: "127.0.0.1" });
  };
  const ownUrl = await serve(cell);

  const send: OrganizationCell["send"] = async (who, method, path, body, headers = {}, url = ownUrl) => {
    const credential = who === null ? {} : { authorization: `Bearer ${typeof who === "string" ? who : publishable}` };
    const user = who !== null && typeof who !== "string" ? { "plinth-user-token": who.token } : {};
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...credential, ...user, ...type, ...headers } as Record<string, string>,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const json = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, text, json, headers: response.headers };
  };
  const rows: OrganizationCell["rows"] = async (sql, values = []) => {
    const schema = quoteIdentifier(tenantNames(projectId).schema);
    return (await cell.pool.query(sql.replaceAll("{schema}", schema), [...values])).rows;
  };
  const fingerprint = async (): Promise<unknown> => {
    const tables = bundle.tables.map(({ name }) => name);
    const sums = tables.map((name) => `(select sum(hashtextextended(t::text, 0)) from {schema}."${name}" t) "${name}"`);
    return rows(`select ${sums.join(", ")}`);
  };
  const invite: OrganizationCell["invite"] = (by, organization, email, role = "member") =>
    send(by, "POST", invitationsOf(organization), { email, role });

  const account = { email: "foreigner@example.com", password: "correct horse battery" };
  const foreigner = (await send(foreign, "POST", "/v1/auth/sign-up", account)).json.data.access_token;

  return {
    cell,
    foreigner,
    openReplica: async () => serve(await openTestCell(database)),
    projectId,
    publishable,
    admin,
    foreign,
    send,
    rows,
    invite,
    async signUp(key = publishable) {
      const email = `${newId("usr")}@example.com`;
      const { status, json, text } = await send(key, "POST", "/v1/auth/sign-up", {
        email,
        password: "correct horse battery",
      });
      strictEqual(status, 201, text);
      return { id: json.data.user.id, email, token: json.data.access_token };
    },
    async organization(owner, name = "Acme") {
      const reply = await send(owner, "POST", "/v1/organizations", { name });
      strictEqual(reply.status, 201, reply.text);
      return reply.json.data.id;
    },
    async refused(status, code, request) {
      const before = await fingerprint();
      const reply = await send(...request);
      deepStrictEqual([reply.status, reply.json?.code], [status, code], reply.text);
      deepStrictEqual(await fingerprint(), before, "a refused request has changed something");
      return reply;
    },
    async join(by, organization, who, role = "member", choose = false) {
      const invited = await invite(by, organization, who.email, role);
      strictEqual(invited.status, 201, invited.text);
      const joined = await send(who, "POST", ACCEPT, { token: invited.json.data.token, choose });
      strictEqual(joined.status, 200, joined.text);
    },
    async close() {
      for (const each of served) {
        await each.app.close();
        await each.cell.close();
      }
      await database.drop();
    },
  };
}
