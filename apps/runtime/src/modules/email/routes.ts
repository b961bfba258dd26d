// The handlers of connections, mails and suppressed addresses. In: requests of admins. Out: the requested data, or a
// confirmation. A connection is only stored if it works. Its secrets are never returned.
import type { BundleEmail } from "@plinth/bundle";
import { MailError } from "@plinth/connectors/email";
import { connectorManifests, readConnection } from "@plinth/connectors/manifests";
import type { ProjectScope } from "@plinth/postgres";
import { FairQueue, Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, ModuleHandler, Reply } from "../../http/contracts.ts";
import type { StoredLimit } from "../../identity/stored-limit.ts";
import { wireAddress } from "../../mail/address.ts";
import { type OpenConnection, USUAL_EMAIL_CONNECTION } from "../../mail/connections.ts";
import type { MailRow } from "../../mail/ledger.ts";
import { testConnection } from "../../mail/mailer.ts";
import type { MailParts } from "../../mail/open-mail.ts";
import { renderEmail } from "../../mail/render.ts";
import { didYouMean } from "../../query/suggest.ts";
import { compileValidator, problemsIn } from "../../records/validators.ts";
import { actorOf } from "../audit.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { logName, parseLogQuery } from "../log-query.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { takeStored } from "../take-attempt.ts";

export interface EmailRoutesOptions extends MailParts {
  /** Each test connects to a server that its caller names. */
  readonly connectionTests: StoredLimit;
  readonly scopeOf: (projectId: string) => ProjectScope;
}

const word = z.string().min(1).max(63);
const connectionBody = z.strictObject({
  name: word.regex(/^[a-z][a-z0-9_]*$/, "It must be lower-case words joined by `_`."),
  provider: word,
  settings: z.record(z.string().max(63), z.union([z.string().max(2_000), z.number()])),
});
const nameBody = z.strictObject({ name: word });
const addressBody = z.strictObject({
  address: z
    .string()
    .max(320)
    .refine((text) => wireAddress(text) !== null, "This is not an e-mail address."),
});
const previewBody = z.strictObject({
  template: word,
  values: z.record(z.string(), z.unknown()).optional(),
  language: z.string().max(35).optional(),
});

const TEST_MS = 10_000;
/** The number of mails on a page unless a request names one. */
const PAGE = 100;
const SUPPRESSIONS_MAX = 1_000;

/**
 * A large template takes a tenth of a second of the event loop. A project that previews again and again must wait for
 * its turn.
 */
const PREVIEW_BUDGET = { msPerSecond: 50, burstMs: 500 };
const PREVIEWS_WAITING_MAX = 20;
const PREVIEW_WAIT_MS_MAX = 5_000;

export function emailHandlers(options: EmailRoutesOptions): ModuleHandlers {
  const { connections, ledger, suppressions } = options;
  const previews = new FairQueue({
    places: 4,
    placesPerProject: 1,
    waitingMax: PREVIEWS_WAITING_MAX,
    waitMsMax: PREVIEW_WAIT_MS_MAX,
    budget: PREVIEW_BUDGET,
    refusal: () =>
      new Fault("unavailable", {
        detail: "This project has too many e-mail previews in progress.",
        headers: { "retry-after": "1" },
      }),
  });
  return {
    "email.list_connections": async ({ projectId }) => jsonReply(200, await connections.list(projectId)),
    "email.set_connection": unlessViewer(async (context) => {
      await takeStored(options.connectionTests, context.projectId, "all");
      return setConnection(options, context);
    }),
    "email.remove_connection": unlessViewer(async (context) => {
      const { name } = readBody(context.incoming, nameBody);
      await note(options, context, "remove", name);
      if (!(await connections.remove(context.projectId, name))) throw new Fault("not_found");
      return jsonReply(200, { name });
    }),
    "email.list": unlessViewer((context) => listMails(options, context)),
    "email.read": unlessViewer(async ({ projectId, ids }) => {
      const mail = await ledger.one(projectId, ids[0] ?? "");
      if (mail === null) throw new Fault("not_found");
      const { text, html } = mail.content;
      return jsonReply(200, { ...rowOf(mail), text, html });
    }),
    "email.test_connection": unlessViewer((context) => testStored(options, context)),
    "email.list_templates": async ({ release }) =>
      jsonReply(200, (release.bundle.background.emails ?? []).map(templateOf)),
    "email.preview": (context) => previews.run(context.projectId, async () => preview(context)),
    "email.list_suppressions": unlessViewer(async ({ projectId }) =>
      jsonReply(200, await suppressions.list(projectId, SUPPRESSIONS_MAX)),
    ),
    "email.suppress": unlessViewer(async ({ incoming, projectId }) => {
      await suppressions.add(projectId, readBody(incoming, addressBody).address, "manual");
      return noted;
    }),
    "email.unsuppress": unlessViewer(async ({ incoming, projectId }) => {
      if (!(await suppressions.remove(projectId, readBody(incoming, addressBody).address)))
        throw new Fault("not_found");
      return noted;
    }),
  };
}

const noted: Reply = { status: 204, headers: {}, body: null };

/** A viewer of a project changes no settings, and reads no mail, because links in mails can give access. */
function unlessViewer(handler: ModuleHandler): ModuleHandler {
  return (context) => {
    const { principal } = context;
    if (principal.kind === "operator" && principal.readOnly) throw new Fault("forbidden");
    return handler(context);
  };
}

async function listMails(
  { ledger }: EmailRoutesOptions,
  { incoming, projectId, cursors, filters }: ModuleContext,
): Promise<Reply> {
  const log = { name: "mails", filters, limit: PAGE };
  const query = parseLogQuery(incoming.query, log, projectId, cursors);
  const { limit, before } = query;
  const wanted = { status: query.filters.get("status"), template: query.filters.get("template") };
  const mails = await ledger.list(projectId, { limit, before, filters: wanted });
  const last = mails.length > limit ? mails[limit - 1] : undefined;
  const next = last === undefined ? null : cursors.seal([last.place], logName(log.name, projectId, query.filters));
  const page = { next_cursor: next, has_more: last !== undefined };
  const reply = jsonReply(200, null);
  return { ...reply, body: JSON.stringify({ data: mails.slice(0, limit).map(rowOf), page }) };
}

function rowOf({ content: { to, subject }, place: _, ...row }: MailRow): object {
  return { ...row, to, subject };
}

async function setConnection(options: EmailRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { connections } = options;
  const { incoming, projectId } = context;
  const { name, provider, settings } = readBody(incoming, connectionBody);
  refuseUnusedName(context, name);
  const manifest = connectorManifests.get(provider);
  if (manifest === undefined) {
    const message = `There are: ${[...connectorManifests.keys()].join(", ")}.`;
    throw new Fault("validation_failed", { errors: [{ path: "/provider", code: "not_allowed", message }] });
  }
  const read = readConnection(manifest, settings);
  if (!("settings" in read)) {
    const errors = read.map(({ field, message }) => ({ path: `/settings/${field}`, code: "invalid", message }));
    throw new Fault("validation_failed", { errors });
  }
  await requireWorking(options, projectId, { provider, ...read }, "/settings");
  await note(options, context, "set", name);
  await connections.set(projectId, { name, provider, ...read });
  const set = (await connections.list(projectId)).find((one) => one.name === name);
  return jsonReply(200, set ?? null);
}

/**
 * A connection with a name that nothing uses would look configured, but have no effect. @throws Fault
 * validation_failed.
 */
function refuseUnusedName({ release }: ModuleContext, name: string): void {
  const declared = release.bundle.background.emailConnections?.map((one) => one.name) ?? [USUAL_EMAIL_CONNECTION];
  if (declared.includes(name)) return;
  const message = `The live version has no mail connection with this name. It has: ${declared.join(", ")}.`;
  throw new Fault("validation_failed", { detail: message, errors: [{ path: "/name", code: "not_allowed", message }] });
}

/** Tests a stored connection. It changes nothing, and sends no mail. */
async function testStored(options: EmailRoutesOptions, { incoming, projectId }: ModuleContext): Promise<Reply> {
  const { name } = readBody(incoming, nameBody);
  await takeStored(options.connectionTests, projectId, "all");
  const connection = await options.connections.open(projectId, name);
  if (connection === null) throw new Fault("not_found");
  await requireWorking(options, projectId, connection, "/name");
  return jsonReply(200, { name });
}

/** @throws Fault validation_failed. */
async function requireWorking(
  { networkOf }: EmailRoutesOptions,
  projectId: string,
  connection: Omit<OpenConnection, "name">,
  path: string,
): Promise<void> {
  try {
    await testConnection(networkOf(projectId), connection, TEST_MS);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    throw new Fault("validation_failed", {
      detail: `The connection doesn't work: ${error.message}`,
      errors: [{ path, code: "not_working", message: error.message }],
      cause: error,
    });
  }
}

function templateOf({ name, help, language, texts, valuesSchema, example }: BundleEmail): object {
  return { name, help, language, languages: Object.keys(texts), values_schema: valuesSchema, example };
}

function preview({ incoming, release }: ModuleContext): Reply {
  const { template: wanted, values, language = null } = readBody(incoming, previewBody);
  const template = release.bundle.background.emails?.find(({ name }) => name === wanted);
  if (template === undefined) {
    const known = (release.bundle.background.emails ?? []).map(({ name }) => name);
    throw new Fault("not_found", { detail: `This template does not exist.${didYouMean(wanted, known)}` });
  }
  const given = values ?? template.example;
  const problems = problemsIn(compileValidator(template.valuesSchema), new Map(), given);
  if (problems.length > 0)
    throw new Fault("validation_failed", {
      detail: problems.map(({ path, message }) => `\`${path.slice(1)}\`: ${message}`).join(" "),
      errors: problems.map(({ path, ...problem }) => ({ ...problem, path: `/values${path}` })),
    });
  // An optional value that is not given is empty, as when a step leaves it out.
  const names = Object.keys((template.valuesSchema as { readonly properties?: object }).properties ?? {});
  const absent = Object.fromEntries(names.map((name) => [name, null]));
  return jsonReply(200, { ...renderEmail(template, { ...absent, ...(given as typeof absent) }, language) });
}

/** Committed before the change, because the connection for mail will be another one. */
async function note(
  { scopeOf }: EmailRoutesOptions,
  { projectId, release, incoming, principal }: ModuleContext,
  operation: "set" | "remove",
  name: string,
): Promise<void> {
  const actor = actorOf(principal);
  await scopeOf(projectId).transaction((open) =>
    open.query(
      `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
       VALUES ($1, $2, $3, $4, 'connection', NULL, $5::jsonb)`,
      [incoming.id, actor.kind, actor.id, operation, JSON.stringify({ name })],
    ),
  );
}
