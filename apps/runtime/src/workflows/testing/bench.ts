// For tests that hand events on and execute runs themselves. In: a cell that does not work by itself. Out: a
// dispatcher, and executors, each of which may have different access to the outside. Calls of other services reach this
// machine.
import type { ProjectId } from "@plinth/bundle";
import type { ProjectScope } from "@plinth/postgres";
import { createUuidV7, networksOf } from "@plinth/service";
import type { Pool } from "pg";
import { createDispatcher, type Dispatcher } from "../../events/dispatch.ts";
import { createWorkBudget } from "../../events/work-budget.ts";
import { createCallSecrets } from "../../identity/call-secrets.ts";
import { createSecretBox } from "../../identity/secret-box.ts";
import { openMail } from "../../mail/open-mail.ts";
import { kek } from "../../modes/testing/cell.ts";
import { createOutbound, type Outbound } from "../../outbound/call.ts";
import { createDefinitions } from "../definitions.ts";
import { createExecutor, type ExecutorOptions } from "../execute.ts";
import type { WorkCell } from "./work-cell.ts";

export interface Bench {
  readonly scope: ProjectScope;
  readonly outbound: Outbound;
  readonly dispatcher: Dispatcher;
  /** The number of a claim, larger than all before. */
  nextFence(): Promise<string>;
  /** @param scope The scope for the runs' statements. */
  executor(scope?: ProjectScope, other?: Partial<ExecutorOptions>): BenchExecutor;
}

interface BenchExecutor {
  /** Claims the runs, whoever has them, and executes them. @param fence The number of an earlier claim. */
  execute(projectId: ProjectId, runIds: readonly string[], fence?: string): Promise<void>;
}

export function openBench(
  { cell, projectId }: WorkCell,
  { pool = cell.pool, scope = cell.scopeOf(projectId) }: { readonly pool?: Pool; readonly scope?: ProjectScope } = {},
): Bench {
  const { registry, logger } = cell;
  const box = createSecretBox(kek);
  const newId = createUuidV7({ now: Date.now });
  const budget = createWorkBudget();
  const outbound = openOutbound();
  const options = {
    pool,
    holder: crypto.randomUUID(),
    registry,
    definitions: createDefinitions(pool, registry),
    secretBox: box,
    secrets: createCallSecrets({ pool, box }),
    mailer: openMail(pool, { kek }).mailer,
    outbound,
    newId,
    budget,
    logger,
    now: Date.now,
    random: Math.random,
  };
  const nextFence = async (): Promise<string> => {
    const { rows } = await pool.query<{ fence: string }>("SELECT nextval('plinth.run_fence')::text AS fence");
    return rows[0]?.fence ?? "";
  };
  return {
    scope,
    outbound,
    nextFence,
    dispatcher: createDispatcher({ pool, registry, scopeOf: () => scope, newId, budget, logger }),
    executor(through = scope, other = {}) {
      const { execute } = createExecutor({ ...options, scopeOf: () => through, ...other });
      return {
        async execute(project, runIds, fence) {
          await execute(project, runIds, { fence: fence ?? (await nextFence()) });
        },
      };
    },
  };
}

/** Its own places for calls. */
export function openOutbound(): Outbound {
  return createOutbound({ outboundAllowed: networksOf(["127.0.0.1"]) });
}
