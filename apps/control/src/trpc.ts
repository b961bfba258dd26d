// How procedures are built: context, rights, errors. In: the person of a request, and the services. Out: builders, each of which
// names the required right. The things that an input names are found and the right is checked before the procedure runs. A
// procedure without a right refuses everybody.
import { hashOf } from "@plinth/bundle";
import {
  initTRPC,
  type TRPCBuiltRouter,
  type TRPCError,
  type TRPCProcedureBuilder,
  type TRPCUnsetMarker,
} from "@trpc/server";
import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import type { AppProcedures, ErrorShape } from "./api.ts";
import type { BlueprintService } from "./blueprints/service.ts";
import type { DataService } from "./data/service.ts";
import type { DeploymentService } from "./deployments/service.ts";
import type { DraftService } from "./drafts/service.ts";
import type { EnvironmentService } from "./environments/service.ts";
import { DiagnosticsError, FieldsError, refuse, refuseUnavailable } from "./failure.ts";
import type { InvitationService } from "./invitations/service.ts";
import type { KeyService } from "./keys/service.ts";
import type { MailService } from "./mail/service.ts";
import type { Access, OrganizationAccess, ProjectAccess, ProjectPart } from "./organizations/access.ts";
import type { Level } from "./organizations/rights.ts";
import type { OrganizationService } from "./organizations/service.ts";
import type { AccountService } from "./people/account.ts";
import type { Person } from "./people/auth.ts";
import type { DeletionService } from "./projects/deletion.ts";
import type { ProjectService } from "./projects/service.ts";
import type { Renewal } from "./proposals/renewal.ts";
import type { ProposalService } from "./proposals/service.ts";
import { whyUnstorable } from "./storable-input.ts";
import type { Submissions } from "./submissions/once.ts";
import type { DeviceGrants } from "./tokens/device-grants.ts";
import type { TokenService } from "./tokens/service.ts";
import type { TransferService } from "./transfers/service.ts";
import type { UserService } from "./users/service.ts";
import type { WebhookService } from "./webhooks/service.ts";
import type { InboundService } from "./webhooks-in/service.ts";
import type { WorkService } from "./work/service.ts";

export interface Services {
  readonly account: AccountService;
  readonly access: Access;
  readonly organizations: OrganizationService;
  readonly invitations: InvitationService;
  readonly projects: ProjectService;
  readonly deletion: DeletionService;
  readonly environments: EnvironmentService;
  readonly blueprints: BlueprintService;
  readonly drafts: DraftService;
  readonly proposals: ProposalService;
  readonly renewal: Renewal;
  readonly deployments: DeploymentService;
  readonly keys: KeyService;
  readonly data: DataService;
  readonly mail: MailService;
  readonly webhooks: WebhookService;
  readonly inbound: InboundService;
  readonly work: WorkService;
  readonly submissions: Submissions;
  readonly transfers: TransferService;
  readonly tokens: TokenService;
  readonly deviceGrants: DeviceGrants;
  readonly users: UserService;
}

interface Context {
  readonly person: Person | null;
  /** The access token of the call. Null for a session of the console. */
  readonly tokenId: string | null;
  /** The session of the call. Empty if there is none. */
  readonly sessionId: string;
  readonly services: Services;
  readonly log: FastifyBaseLogger;
  /** The header `Idempotency-Key`. Null if it wasn't sent. */
  readonly submissionKey: string | null;
}

/** Signed in (`session`: in the console, not with an access token), or a level in the organization of the named thing. */
type Right = "person" | "session" | `${"organization" | "project" | ProjectPart}:${Level}`;

/** Whether a token for programs can call it. Programs read blueprints, check, propose and follow; people do everything else. */
type Callers = "people" | "programs";

interface Meta {
  readonly right: Right;
  readonly callers: Callers;
}

export type Root = { ctx: Context; meta: Meta; errorShape: ErrorShape; transformer: false };

type Builder<Overrides, Input> = TRPCProcedureBuilder<
  Context,
  Meta,
  Overrides,
  Input,
  Input,
  TRPCUnsetMarker,
  TRPCUnsetMarker,
  false,
  ErrorShape
>;

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter: ({ shape, error }): ErrorShape => ({
      ...shape,
      message: publicMessage(error),
      data: {
        ...shape.data,
        diagnostics: error.cause instanceof DiagnosticsError ? error.cause.diagnostics : null,
        fields: error.cause instanceof FieldsError ? error.cause.fields : null,
      },
    }),
  });

export function buildRouter(procedures: AppProcedures): TRPCBuiltRouter<Root, AppProcedures> {
  return t.router(procedures);
}

/** The message for the caller: our own words, or only that something went wrong. */
function publicMessage(error: TRPCError): string {
  if (error.cause instanceof z.core.$ZodError) {
    return error.cause.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`).join("; ");
  }
  return error.code === "INTERNAL_SERVER_ERROR" ? "Something went wrong on our side." : error.message;
}

const FOR_PEOPLE =
  "A token for programs can't do this. It reads blueprints, checks them, proposes changes and follows them; a person does the rest.";

const submissionKeyForm = /^[\w-]{16,100}$/;

/** Runs after the right is checked, since the right may be taken away before a retry. Only mutations are submitted. */
const once = t.middleware(async ({ ctx, path, type, getRawInput, next }) => {
  const { person, submissionKey: key, services } = ctx;
  if (type !== "mutation" || key === null || person === null) return next();
  if (!submissionKeyForm.test(key)) {
    throw refuse("BAD_REQUEST", "The header Idempotency-Key must have 16 to 100 letters, digits, - and _.");
  }
  const inputHash = hashOf((await rawInput(getRawInput)) ?? null);
  return services.submissions.once({ personId: person.id, key, procedure: path, inputHash }, () => next());
});

/** Any signed-in person. */
export function forPerson(callers: Callers = "people"): Builder<{ person: Person }, TRPCUnsetMarker> {
  return signedIn("person", callers).use(once);
}

/**
 * A person who is signed in in the console. Procedures that create credentials need it: a stolen token must not outlive its
 * revocation.
 */
export function forSession(): Builder<{ person: Person }, TRPCUnsetMarker> {
  return signedIn("session", "people")
    .use(({ ctx, next }) => {
      if (ctx.tokenId !== null) throw refuse("FORBIDDEN", "Do this in the console. An access token can't do it.");
      return next();
    })
    .use(once);
}

/** A member of `organizationId` with this level. */
export function forOrganization(
  level: Level,
  callers: Callers = "people",
): Builder<{ person: Person; organization: OrganizationAccess }, { organizationId: string }> {
  return signedIn(`organization:${level}`, callers)
    .input(z.object({ organizationId: id("org") }))
    .use(async ({ ctx, input, next }) => {
      const organization = await ctx.services.access.organization(ctx.person, input.organizationId, level);
      return next({ ctx: { organization } });
    })
    .use(once);
}

/** A member who can open `projectId` and has this level. */
export function forProject(
  level: Level,
  callers: Callers = "people",
): Builder<{ person: Person; project: ProjectAccess }, { projectId: string }> {
  return signedIn(`project:${level}`, callers)
    .input(z.object({ projectId: id("prj") }))
    .use(async ({ ctx, input, next }) => {
      return next({ ctx: { project: await ctx.services.access.project(ctx.person, input.projectId, level) } });
    })
    .use(once);
}

export function forVersion(
  level: Level,
  callers: Callers = "people",
): Builder<{ person: Person; project: ProjectAccess }, { versionId: string }> {
  return signedIn(`version:${level}`, callers)
    .input(z.object({ versionId: id("ver") }))
    .use(async ({ ctx, input, next }) => {
      const project = await ctx.services.access.projectOf(ctx.person, "version", input.versionId, level);
      return next({ ctx: { project } });
    })
    .use(once);
}

export function forProposal(
  level: Level,
  callers: Callers = "people",
): Builder<{ person: Person; project: ProjectAccess }, { proposalId: string }> {
  return signedIn(`proposal:${level}`, callers)
    .input(z.object({ proposalId: id("prp") }))
    .use(async ({ ctx, input, next }) => {
      const project = await ctx.services.access.projectOf(ctx.person, "proposal", input.proposalId, level);
      return next({ ctx: { project } });
    })
    .use(once);
}

export function forDeployment(
  level: Level,
  callers: Callers = "people",
): Builder<{ person: Person; project: ProjectAccess }, { deploymentId: string }> {
  return signedIn(`deployment:${level}`, callers)
    .input(z.object({ deploymentId: id("dep") }))
    .use(async ({ ctx, input, next }) => {
      const project = await ctx.services.access.projectOf(ctx.person, "deployment", input.deploymentId, level);
      return next({ ctx: { project } });
    })
    .use(once);
}

export function forKey(level: Level): Builder<{ person: Person; project: ProjectAccess }, { keyId: string }> {
  return signedIn(`key:${level}`, "people")
    .input(z.object({ keyId: id("key") }))
    .use(async ({ ctx, input, next }) => {
      return next({ ctx: { project: await ctx.services.access.projectOf(ctx.person, "key", input.keyId, level) } });
    })
    .use(once);
}

/** Checks first that the caller is signed in: others must not even learn the shape of the input. */
function signedIn(right: Right, callers: Callers): Builder<{ person: Person }, TRPCUnsetMarker> {
  return t.procedure.meta({ right, callers }).use(async ({ ctx, path, getRawInput, next }) => {
    if (ctx.person === null) throw refuse("UNAUTHORIZED", "Sign in first.");
    if (ctx.person.isProgram === true && callers !== "programs") throw refuse("FORBIDDEN", FOR_PEOPLE);
    const unstorable = whyUnstorable(await rawInput(getRawInput));
    if (unstorable !== null) throw refuse("BAD_REQUEST", unstorable);
    const result = await next({ ctx: { person: ctx.person } });
    if (!result.ok && result.error.code === "INTERNAL_SERVER_ERROR") {
      ctx.log.error({ err: result.error.cause ?? result.error, path }, "procedure failed");
      const unavailable = refuseUnavailable(result.error.cause);
      if (unavailable !== null) throw unavailable;
    }
    return result;
  });
}

/** Undefined if the body is empty or not JSON: a procedure with an input reads it itself, and refuses it. */
function rawInput(read: () => Promise<unknown>): Promise<unknown> {
  return read().catch(() => undefined);
}

/** One of our ids, by its prefix. */
export function id(prefix: string): z.ZodType<string, string> {
  return z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{20}$`), `must be an id that starts with ${prefix}_`);
}
