// What the operator allows an author, whatever a blueprint asks for. In: environment variables. Out: typed limits.
// Control refuses a blueprint that asks for more; a cell has maxima of its own and serves no more than those.
import type { ApiLimits } from "@plinth/blueprint";
import { defaultCallMsMax, defaultLimitsMax } from "@plinth/bundle";
import { z } from "zod";

export interface OperatorLimits {
  /** The most that the section `api` of a blueprint may ask for. */
  readonly api: ApiLimits;
  /** Milliseconds that one call of another service may take: the most that `timeout` may ask for there. */
  readonly callMsMax: number;
  /** Bytes of a blueprint's text, in UTF-8. */
  readonly blueprintBytesMax: number;
  /** Bytes of what a blueprint compiles to, as JSON. */
  readonly bundleBytesMax: number;
  /** Bytes of what one proposal shows, its changes and the steps of its plan, as JSON: the requests' thread reads it. */
  readonly planBytesMax: number;
  /** Tables of one project, those of the modules included. */
  readonly tablesMax: number;
  readonly projectsPerOrganizationMax: number;
  /** Of one project, beside production. */
  readonly environmentsMax: number;
  /** Of one project: older proposals that never went live are deleted, and texts that nothing refers to any more. */
  readonly proposalsKeptMax: number;
  /** Of each person's draft of a project: what undoing can go back to. */
  readonly drafts: { readonly stepsMax: number; readonly bytesMax: number };
  readonly authoring: AuthoringBudget;
}

/** What reading blueprints may cost. */
export interface AuthoringBudget {
  /** Threads that read blueprints, all organizations together. */
  readonly threadsMax: number;
  /** Megabytes of JavaScript heap of one such thread. */
  readonly memoryMbMax: number;
  /** Milliseconds of computing of one check, or of one comparison with compiling and planning. */
  readonly jobMsMax: number;
  /** Milliseconds of work that a person or an organization may save up; half a millisecond comes back in each. */
  readonly shareMsMax: number;
}

type Variable =
  | "PLINTH_MAX_REQUESTS_PER_SECOND"
  | "PLINTH_MAX_BURST"
  | "PLINTH_MAX_BODY_BYTES"
  | "PLINTH_MAX_PAGE"
  | "PLINTH_MAX_STATEMENT_MS"
  | "PLINTH_MAX_CALL_MS"
  | "PLINTH_MAX_BLUEPRINT_BYTES"
  | "PLINTH_MAX_BUNDLE_BYTES"
  | "PLINTH_MAX_PLAN_BYTES"
  | "PLINTH_MAX_TABLES"
  | "PLINTH_MAX_PROJECTS"
  | "PLINTH_MAX_ENVIRONMENTS"
  | "PLINTH_MAX_PROPOSALS"
  | "PLINTH_MAX_DRAFT_STEPS"
  | "PLINTH_MAX_DRAFT_BYTES"
  | "PLINTH_AUTHORING_THREADS"
  | "PLINTH_AUTHORING_MEMORY_MB"
  | "PLINTH_AUTHORING_MS"
  | "PLINTH_AUTHORING_SHARE_MS";

const mebibytes = 1_048_576;

/** Each variable, and what counts where it is not set. */
export const operatorLimitVariables: Readonly<Record<Variable, z.ZodType<number, unknown>>> = {
  PLINTH_MAX_REQUESTS_PER_SECOND: positive(defaultLimitsMax.requestsPerSecond),
  PLINTH_MAX_BURST: positive(defaultLimitsMax.burst),
  PLINTH_MAX_BODY_BYTES: positive(defaultLimitsMax.bodyBytesMax),
  PLINTH_MAX_PAGE: positive(defaultLimitsMax.pageMax),
  PLINTH_MAX_STATEMENT_MS: positive(defaultLimitsMax.statementMsMax),
  PLINTH_MAX_CALL_MS: positive(defaultCallMsMax),
  PLINTH_MAX_BLUEPRINT_BYTES: positive(mebibytes),
  PLINTH_MAX_BUNDLE_BYTES: positive(16 * mebibytes),
  PLINTH_MAX_PLAN_BYTES: positive(2 * mebibytes),
  PLINTH_MAX_TABLES: positive(500),
  PLINTH_MAX_PROJECTS: positive(100),
  PLINTH_MAX_ENVIRONMENTS: positive(10),
  PLINTH_MAX_PROPOSALS: positive(200),
  PLINTH_MAX_DRAFT_STEPS: positive(100),
  PLINTH_MAX_DRAFT_BYTES: positive(4 * mebibytes),
  PLINTH_AUTHORING_THREADS: positive(2),
  PLINTH_AUTHORING_MEMORY_MB: positive(512),
  PLINTH_AUTHORING_MS: positive(15_000),
  PLINTH_AUTHORING_SHARE_MS: positive(60_000),
};

export function operatorLimits(given: Readonly<Record<Variable, number>>): OperatorLimits {
  return {
    api: {
      requestsPerSecond: given.PLINTH_MAX_REQUESTS_PER_SECOND,
      burst: given.PLINTH_MAX_BURST,
      bodyBytesMax: given.PLINTH_MAX_BODY_BYTES,
      pageMax: given.PLINTH_MAX_PAGE,
      statementMsMax: given.PLINTH_MAX_STATEMENT_MS,
    },
    callMsMax: given.PLINTH_MAX_CALL_MS,
    blueprintBytesMax: given.PLINTH_MAX_BLUEPRINT_BYTES,
    bundleBytesMax: given.PLINTH_MAX_BUNDLE_BYTES,
    planBytesMax: given.PLINTH_MAX_PLAN_BYTES,
    tablesMax: given.PLINTH_MAX_TABLES,
    projectsPerOrganizationMax: given.PLINTH_MAX_PROJECTS,
    environmentsMax: given.PLINTH_MAX_ENVIRONMENTS,
    proposalsKeptMax: given.PLINTH_MAX_PROPOSALS,
    drafts: { stepsMax: given.PLINTH_MAX_DRAFT_STEPS, bytesMax: given.PLINTH_MAX_DRAFT_BYTES },
    authoring: {
      threadsMax: given.PLINTH_AUTHORING_THREADS,
      memoryMbMax: given.PLINTH_AUTHORING_MEMORY_MB,
      jobMsMax: given.PLINTH_AUTHORING_MS,
      shareMsMax: given.PLINTH_AUTHORING_SHARE_MS,
    },
  };
}

function positive(fallback: number): z.ZodType<number, unknown> {
  return z.coerce.number().int().positive().default(fallback);
}
