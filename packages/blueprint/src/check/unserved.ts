// Parts of background work that can be declared but aren't available yet. Remove the line of a part when it becomes
// available. It also has the diagnostic.
import { notSupportedYet } from "../declarations/expect.ts";
import type { Report } from "../text/report.ts";
import type { Range } from "../text/syntax.ts";

/** Actions of steps. Those of connectors go under `connector`. */
export const actionsNotServed: readonly string[] = ["connector"];

/** Sections that are stored and compared, but that nothing runs; `check/modules.ts` reports them. */
export const sectionsNotServed: readonly string[] = ["storage"];

/** Whether a step with this action can run. Reports a problem if not. */
export function isActionServed(action: string, kind: string, range: Range, report: Report): boolean {
  if (!actionsNotServed.includes(kind)) return true;
  notSupportedYet(report, range, `the action \`${action.slice(0, 120)}\``, "Remove the step until it is available.");
  return false;
}
