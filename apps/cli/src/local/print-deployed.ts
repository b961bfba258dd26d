// Prints the outcome of a deployment for a person who saved the file. In: the outcome. Out: lines, and whether the text is now
// live.

import { plain, printChanges } from "../print-changes.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { mendLines, refusalText, violationLines } from "../print-refusals.ts";
import type { Terminal } from "../terminal.ts";
import { wrap } from "../terminal.ts";
import type { Deployed } from "./deploy.ts";

export interface DeployedOutput {
  /** `out` prints news, `err` prints failures. */
  readonly terminal: Terminal;
  readonly file: string;
  /** The project's address in the console. */
  readonly project: string;
}

export function printDeployed({ terminal, file, project }: DeployedOutput, text: string, result: Deployed): boolean {
  const { out, err, paint } = terminal;
  const complain = (line: string): void => err(wrap(terminal, line, "    "));
  switch (result.kind) {
    case "unchanged":
      return true;
    case "deployed":
      printDiagnostics(terminal, file, text, result.diagnostics);
      out(`${paint("green", "Deployed")} ${file}:`);
      printChanges(terminal, result.changes, "  ");
      if (result.unfinished !== null) {
        complain(`The new version is served, but a later step failed: ${result.unfinished}`);
        err(`  Try that step again: ${project}/deployments`);
      }
      return true;
    case "invalid":
      printDiagnostics(terminal, file, text, result.diagnostics);
      return false;
    case "refused":
      err(`${file} was not deployed, because it can't be migrated:`);
      for (const reason of result.reasons) complain(`  ${refusalText(reason)}`);
      return false;
    case "violated":
      err(`${file} was not deployed, because existing records violate its rules:`);
      for (const line of result.violations.flatMap(violationLines)) err(`  ${line}`);
      err("  Change those records, or the rules in the file.");
      for (const line of mendLines(result.fields)) err(`  ${line}`);
      return false;
    case "undecided":
      err(`${file} was not deployed, because it would drop data:`);
      for (const drop of result.drops) complain(`  ${plain(drop.summary)}`);
      if (result.drops.some(({ kind }) => kind === "field_removed"))
        err("  To rename a field and keep its values, write `was(old_name)` after its type.");
      if (result.drops.some(({ kind }) => kind === "entity_removed"))
        err("  To rename an entity and keep its records, write `was: old_name` in it.");
      err(`  To drop it, consent to it here: ${project}/changes/${result.proposalId}`);
      return false;
    case "failed":
      complain(`${file} was not deployed: ${result.reason}`);
      return false;
  }
}
