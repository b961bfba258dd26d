// A cell with twenty callers, for generated changes of background work. In: pairs. Out: requests over HTTP by caller,
// what the service wrote, and what left in mails and calls.
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { connectorManifests, readConnection } from "@plinth/connectors/manifests";
import { createLogger, Fault } from "@plinth/service";
import { settingsOf, startMailServer } from "@plinth/testkit/mail-server";
import { createHttpServer, defaultHttpLimits } from "../../http/server.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import { createConnections } from "../../mail/connections.ts";
import { kek } from "../../modes/testing/cell.ts";
import type { Caller } from "../../project/principal.ts";
import type { EffectPair } from "./effect-pairs.ts";
import { entitiesOf, type Work } from "./effect-work.ts";
import { startReceiver } from "./receiver.ts";
import { openWorkCell, type WorkCell } from "./work-cell.ts";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly json: any;
}

export interface EffectStage {
  readonly work: WorkCell;
  /** The address of the service that the calls of steps reach. */
  readonly receiver: string;
  readonly callers: readonly string[];
  readonly idOf: (caller: string) => string;
  readonly send: (caller: string, method: string, path: string, body?: unknown) => Promise<Answer>;
  readonly deploy: (works: readonly Work[]) => Promise<void>;
  /** Receivers with everything that they got. */
  readonly left: () => readonly { readonly to: string; readonly content: string }[];
  /** Removes all records, runs and received data. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const HEAD = {
  project: "effects",
  modules: ["auth", "users", "roles", "workers", "audit_logs"],
  roles: { support: {}, lead: {} },
  integrations: { mail: { kind: "email", provider: "smtp" } },
};

export function textOf(names: readonly string[], works: readonly Work[]): string {
  const merged = (section: keyof Work): object => Object.assign({}, ...works.map((one) => one[section]));
  const entities: object = Object.assign({}, ...names.map(entitiesOf));
  const sections = { workflows: merged("workflows"), workers: merged("workers"), actions: merged("actions") };
  const used = Object.entries(sections).filter(([, parts]) => Object.keys(parts).length > 0);
  return JSON.stringify({ ...HEAD, entities, ...Object.fromEntries(used) });
}

export function modelOf(names: readonly string[], works: readonly Work[]): Model {
  const { model, diagnostics } = checkBlueprint(textOf(names, works));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (model === null || errors.length > 0) throw new Error(JSON.stringify(errors.slice(0, 3)));
  return model;
}

const roles: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`u${i}`, []])),
  ...Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`s${i}`, ["support"]])),
  ...Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`l${i}`, ["lead"]])),
  both: ["support", "lead"],
  admin: ["admin"],
};

/** A service on this machine, at the start: its address is part of the blueprints. */
export async function openReceiver(): ReturnType<typeof startReceiver> {
  return startReceiver(() => ({ status: 200, body: "{}" }));
}

export async function openEffectStage(
  pairs: readonly EffectPair[],
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<EffectStage> {
  const names = pairs.map(({ name }) => name);
  const mails = await startMailServer({});
  const work = await openWorkCell(textOf(names, []), {});
  const { cell, projectId } = work;
  await connectMail(work, mails);
  const principals = new Map<string, Caller["principal"]>();
  for (const [name, held] of Object.entries(roles)) {
    const email = `${name}@example.com`;
    const [row] = await work.sql(
      "INSERT INTO {schema}.users (id, email, name, roles) VALUES (gen_random_uuid(), $1, $2, $3) RETURNING id",
      [email, name, ["user", ...held]],
    );
    const userId = String(row?.["id"]);
    const all = [...new Set([...held, "owner", "user", "public"])].sort();
    const rest = { email, roles: all, keyId: null, keyKind: null, memberships: [] } as const;
    principals.set(name, { kind: "user", userId, sessionId: userId, ...rest });
  }
  const server = createHttpServer({
    ...cell,
    authenticator: {
      async authenticate(headers) {
        const principal = principals.get((headers.authorization ?? "").replace("Bearer ", ""));
        if (principal === undefined) throw new Fault("unauthenticated");
        return { projectId, principal };
      },
    },
    tenants: cell.scope,
    limits: {
      ...defaultHttpLimits,
      caller: { perSecond: 10_000, burst: 10_000 },
      project: { perSecond: 50_000, burst: 50_000 },
    },
    onWrite: cell.signal.raise,
    logger: createLogger({ name: "test", level: "silent" }),
    clock: { now: Date.now },
    cursorSecret: randomBytes(32),
    secretBox: createSecretBox(kek),
    ready: async () => null,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  let requests = 0;
  let [calledBefore, mailedBefore] = [0, 0];
  return {
    work,
    receiver: receiver.url,
    callers: [...principals.keys()],
    idOf: (caller) => {
      const principal = principals.get(caller);
      return principal?.kind === "user" ? principal.userId : "";
    },
    async send(caller, method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${caller}`,
          "x-request-id": `${caller}-${++requests}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : null };
    },
    deploy: (works) => work.redeploy(compileModel(modelOf(names, works)).background),
    left: () => [
      ...receiver.received.slice(calledBefore).map(({ path, body }) => ({ to: `call ${path}`, content: body })),
      ...mails.received
        .slice(mailedBefore)
        .map(({ to, raw }) => ({ to: `mail ${to.join()}`, content: raw.replaceAll(/=\r?\n/g, "") })),
    ],
    async clear() {
      [calledBefore, mailedBefore] = [receiver.received.length, mails.received.length];
      const tables = names.flatMap((name) => [`ask${name}s`, `gift${name}s`, `safe${name}s`, `wall${name}s`]);
      for (const table of [...tables, "audit_log", "workers__runs", "workers__waits"])
        await work.sql(`TRUNCATE {schema}."${table}" CASCADE`);
      await work.sql("DELETE FROM plinth.due_runs");
    },
    async close() {
      await server.close();
      await work.close();
      await mails.close();
    },
  };
}

async function connectMail({ cell, projectId }: WorkCell, server: Parameters<typeof settingsOf>[0]): Promise<void> {
  const manifest = connectorManifests.get("smtp");
  const read = manifest === undefined ? null : readConnection(manifest, settingsOf(server));
  if (read === null || !("settings" in read)) throw new Error(JSON.stringify(read));
  const connections = createConnections({ pool: cell.pool, box: createSecretBox(kek) });
  await connections.set(projectId, { name: "mail", provider: "smtp", ...read });
}
