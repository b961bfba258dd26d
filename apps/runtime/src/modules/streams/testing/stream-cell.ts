// For tests: a project whose changes are followed, served by several web processes on one database, and clients of its
// streams.
import { checkBlueprint } from "@plinth/blueprint";
import type { Bundle, ProjectId } from "@plinth/bundle";
import { compileModel } from "@plinth/compiler";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import {
  createTestDatabase,
  deploy,
  kek,
  makeKey,
  makeProject,
  openTestCell,
  publicationOf,
  type TestCell,
  type TestDatabase,
} from "../../../modes/testing/cell.ts";
import { webConfigOf } from "../../../modes/testing/web-config.ts";
import { startWeb, type WebService } from "../../../modes/web.ts";
import { cellTemplate } from "../../../release/testing/cell-template.ts";
import type { StreamLimits } from "../stream-limits.ts";
import { openStream, type StreamBeginning, type TestStream } from "./test-stream.ts";

export interface Person {
  readonly id: string;
  readonly token: string;
  readonly refreshToken: string;
}

export interface StreamCell {
  readonly cell: TestCell;
  readonly database: TestDatabase;
  readonly projectId: ProjectId;
  readonly webs: WebService[];
  /** A key that acts as `admin`. */
  readonly adminKey: string;
  readonly publicKey: string;
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  redeploy(text: string): Promise<void>;
  addWeb(): Promise<WebService>;
  signUp(email: string): Promise<Person>;
  /** @returns the reply's body. @throws if the request fails. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  call(method: string, path: string, token: string, body?: unknown): Promise<any>;
  /** @param path From `?` on. @param at Which web process. */
  follow(query: string, token: string, more?: StreamBeginning & { readonly at?: number }): Promise<TestStream>;
  close(): Promise<void>;
}

export async function openStreamCell(
  text: string,
  { processes = 2, streamLimits }: { readonly processes?: number; readonly streamLimits?: StreamLimits } = {},
): Promise<StreamCell> {
  const database = await createTestDatabase(cellTemplate);
  const cell = await openTestCell(database);
  const projectId = await makeProject(cell);
  let live: Bundle | null = null;
  const redeploy = async (changed: string): Promise<void> => {
    const { model, diagnostics } = checkBlueprint(changed);
    if (model === null) throw new Error(JSON.stringify(diagnostics));
    const bundle = compileModel(model);
    const status = await deploy(cell, publicationOf(projectId, bundle, live));
    if (status.error !== null) throw new Error(status.error);
    live = bundle;
  };
  await redeploy(text);
  const webs: WebService[] = [];
  const addWeb = async (): Promise<WebService> => {
    const limits = streamLimits === undefined ? {} : { streamLimits };
    const rateLimit = { perSecond: 10_000, burst: 10_000 };
    const config = { ...webConfigOf(database.url), kek, rateLimit, ...limits };
    const web = await startWeb(config, createLogger({ name: "test", level: "silent" }));
    webs.push(web);
    return web;
  };
  for (let i = 0; i < processes; i++) await addWeb();
  const { key: adminKey } = await makeKey(cell, projectId, { role: "admin" });
  const { key: publicKey } = await makeKey(cell, projectId, { kind: "publishable" });
  const { schema } = tenantNames(projectId);
  const streams: TestStream[] = [];
  const urlOf = (at: number): string => webs[at]?.apiUrl ?? "";
  const call: StreamCell["call"] = async (method, path, token, body) => {
    const reply = await fetch(`${urlOf(0)}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const read = await reply.text();
    if (!reply.ok) throw new Error(`${reply.status} ${read}`);
    return read === "" ? null : JSON.parse(read).data;
  };
  return {
    cell,
    database,
    projectId,
    webs,
    adminKey,
    publicKey,
    redeploy,
    addWeb,
    call,
    sql: async (statement, values = []) =>
      (await cell.pool.query(statement.replaceAll("{schema}", quoteIdentifier(schema)), [...values])).rows,
    async signUp(email) {
      const signedUp = await call("POST", "/v1/auth/sign-up", publicKey, {
        email,
        password: "correct horse battery staple",
      });
      return { id: signedUp.user.id, token: signedUp.access_token, refreshToken: signedUp.refresh_token };
    },
    async follow(query, token, { at = 0, ...beginning } = {}) {
      const stream = await openStream(`${urlOf(at)}/v1/events/stream?${query}`, token, beginning);
      streams.push(stream);
      return stream;
    },
    async close() {
      for (const stream of streams) stream.leave();
      for (const web of webs) await web.stop();
      await cell.close();
      await database.drop();
    },
  };
}
