// What background work may declare and nothing carries out yet: one line each, taken away when it is served. Data, and the
// diagnostic for it.
import { notSupportedYet } from "../declarations/expect.ts";
import type { Report } from "../text/report.ts";
import type { Range } from "../text/syntax.ts";

/** Actions of steps. Those of connectors go under `connector`. */
export const actionsNotServed: readonly string[] = ["connector"];

/** Sections that are kept and told by the diff, and that nothing runs; `check/modules.ts` says so. */
export const sectionsNotServed: readonly string[] = ["storage"];

/** Whether a step with this action could run; says so where not. */
export function isActionServed(action: string, kind: string, range: Range, report: Report): boolean {
  if (!actionsNotServed.includes(kind)) return true;
  notSupportedYet(report, range, `the action \`${action.slice(0, 120)}\``, "Remove the step until it is available.");
  return false;
}
