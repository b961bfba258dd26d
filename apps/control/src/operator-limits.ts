// The operator's limits for all blueprints. In: environment variables. Out: typed limits. Control refuses a blueprint that asks
// for more. A cell has limits of its own and never serves more than those.
import type { ApiLimits } from "@plinth/blueprint";
import { defaultCallMsMax, defaultLimitsMax } from "@plinth/bundle";
import { z } from "zod";

export interface OperatorLimits {
  /** The highest limits that the section `api` of a blueprint can set. */
  readonly api: ApiLimits;
  /** The highest `timeout` of a call to another service, in milliseconds. */
  readonly callMsMax: number;
  /** The size of a blueprint's text, in bytes of UTF-8. */
  readonly blueprintBytesMax: number;
  /** The size of a compiled bundle, in bytes of JSON. */
  readonly bundleBytesMax: number;
  /**
   * The size of a proposal's changes and of the steps of its plan, in bytes of JSON. The thread that serves requests reads them.
   */
  readonly planBytesMax: number;
  /** Tables of one project, including those of modules. */
  readonly tablesMax: number;
  readonly projectsPerOrganizationMax: number;
  /** Environments of one project, in addition to production. */
  readonly environmentsMax: number;
  /**
   * Kept proposals of one project. Older ones that never went live are deleted, with the texts that nothing refers to any more.
   */
  readonly proposalsKeptMax: number;
  /** Earlier texts of each person's draft of a project: how far undo can go back. */
  readonly drafts: { readonly stepsMax: number; readonly bytesMax: number };
  readonly authoring: AuthoringBudget;
}

/** How much reading blueprints can cost. */
export interface AuthoringBudget {
  /** Threads that read blueprints, for all organizations together. */
  readonly threadsMax: number;
  /** The JavaScript heap of one such thread, in megabytes. */
  readonly memoryMbMax: number;
  /** The time of one check, or of one comparison with compiling and planning, in milliseconds. */
  readonly jobMsMax: number;
  /** The budget that a person or an organization can save up, in milliseconds. Each millisecond adds half a millisecond. */
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

/** Each variable with its default. */
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
