// `plinth deploy FILE --project NAME`. In: a blueprint, and consents. Out: the changes, the required consents, and with --approve
// the result of the deployment. Without --approve the proposal waits in the console. It only gives named consents. If records or
// tables prevent the change, it names them and proposes nothing.
import type { ProposalPreview } from "@plinth/control/router";
import { isControlError } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { outcomeOf } from "../local/deploy.ts";
import { openControl, projectCalled } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { approve, missingConsents } from "../print-approval.ts";
import { printChanges, printConsents } from "../print-changes.ts";
import { printDiagnostics } from "../print-diagnostics.ts";
import { printBlocked, printRefused, violationLines, violationsOf } from "../print-refusals.ts";
import { readText } from "../read-blueprint.ts";
import type { Terminal } from "../terminal.ts";

export interface DeployOptions {
  readonly project: string;
  readonly approve: boolean;
  /** Each as `plinth plan` prints it: `destructive listing.price`. */
  readonly consent: readonly string[];
  readonly json: boolean;
}

export async function deployFile(
  terminal: Terminal,
  settings: LocalSettings,
  file: string,
  options: DeployOptions,
): Promise<ExitCode> {
  const text = await readText(file);
  const { json } = options;
  return openControl<ExitCode>(settings, async (control, caller) => {
    const project = await projectCalled(control, caller, options.project);
    const pages = `${caller.console}/projects/${project.id}`;
    const print = json ? terminal.err : terminal.out;
    const live = await control.blueprints.current.query({ projectId: project.id });
    if (live?.text === text) {
      if (json) terminal.out(JSON.stringify({ status: "unchanged", project: project.id }));
      else terminal.out(`${project.slug} already serves ${file}.`);
      return 0;
    }
    const output = { ...terminal, out: print };
    const named = { projectId: project.id, text };
    const preview = await orNull(terminal, file, text, () => control.proposals.preview.mutate(named));
    if (preview === null) return 1;
    if (isBlocked(preview)) {
      const { diff: changes, consents } = preview;
      printChanges(output, changes);
      printBlockers(output, preview);
      if (json) terminal.out(JSON.stringify({ status: "refused", project: project.id, changes, consents }));
      return 1;
    }
    const proposal = await orNull(terminal, file, text, () => control.proposals.create.mutate(named));
    if (proposal === null) return 1;
    const page = `${pages}/changes/${proposal.id}`;
    const report = (status: string, more: object = {}): void => {
      const { diff: changes, consents } = proposal;
      if (json)
        terminal.out(JSON.stringify({ status, project: project.id, proposal: page, changes, consents, ...more }));
    };
    printDiagnostics(terminal, file, text, proposal.diagnostics);
    printChanges(output, proposal.diff);
    printConsents(output, proposal.consents);
    print("");
    if (!options.approve) {
      print(`Proposed. Approve it at ${page}, or run this again with --approve.`);
      report("proposed");
      return 0;
    }
    const missing = proposal.consents.filter((consent) => !options.consent.includes(consent));
    if (missing.length > 0) {
      terminal.err(`Not approved. ${missingConsents(terminal, missing, page).join("\n")}`);
      report("consents_missing", { missing });
      return 1;
    }
    const refusal = await approve(control, proposal);
    if (refusal !== null) {
      terminal.err(`Proposed, but not approved. ${refusal.message} Approve it at ${page}`);
      report("proposed");
      return 1;
    }
    const { id: proposalId } = proposal;
    const { deploymentId } = await control.deployments.create.mutate({ proposalId });
    const { active, error } = await outcomeOf(control, deploymentId);
    report(active ? "deployed" : "failed", { error });
    if (!active)
      throw new CommandFailure(`the deployment failed: ${error ?? "the migration failed"} (${pages}/changes)`);
    print(`${terminal.paint("green", "Deployed")} ${file} to ${project.slug}.`);
    if (error !== null) terminal.err(`A later step failed: ${error}. Try it again at ${pages}/changes.`);
    return error === null ? 0 : 1;
  });
}

/** Null if the blueprint has errors, which are printed. */
async function orNull<Result>(
  terminal: Terminal,
  file: string,
  text: string,
  ask: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await ask();
  } catch (error) {
    const diagnostics = isControlError(error) ? error.data?.diagnostics : null;
    if (!diagnostics) throw error;
    printDiagnostics(terminal, file, text, diagnostics);
    return null;
  }
}

function isBlocked({ plan, measures }: ProposalPreview): boolean {
  return plan.refused.length > 0 || violationsOf(plan.steps, measures?.steps ?? []).length > 0;
}

/** The parts that can't be migrated, and the records that violate the change. */
function printBlockers(terminal: Terminal, { plan, measures }: ProposalPreview): void {
  const found = measures?.steps ?? [];
  printRefused(terminal, plan.refused);
  for (const violation of violationsOf(plan.steps, found)) {
    terminal.out("");
    for (const line of violationLines(violation)) terminal.out(`  ${line}`);
  }
  printBlocked(terminal, plan.steps, found);
}
