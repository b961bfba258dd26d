// `plinth promote --from preview --to production`. In: two environments of a project. Out: the proposal in the second one: its
// changes, its plan and the required consents. It only deploys with `--deploy`, and then only with every consent.
import type { Proposal } from "@plinth/control/router";
import type { ControlClient } from "../control-client.ts";
import type { ExitCode } from "../failure.ts";
import { outcomeOf } from "../local/deploy.ts";
import { openControl } from "../local/open-control.ts";
import type { LocalSettings } from "../local/settings.ts";
import { approve, missingConsents, withdraw } from "../print-approval.ts";
import { plain } from "../print-changes.ts";
import { type Terminal, wrap } from "../terminal.ts";
import { environmentCalled } from "./environments.ts";
import { showProposal } from "./plan.ts";
import type { OfProject } from "./runs.ts";

export interface Promoting extends OfProject {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
  readonly deploy: boolean;
  readonly consent: readonly string[];
}

export async function promote(terminal: Terminal, settings: LocalSettings, options: Promoting): Promise<ExitCode> {
  const { project, from, to, overwrite, json } = options;
  return openControl<ExitCode>(settings, async (control, caller) => {
    const source = await environmentCalled(control, caller, project, from);
    const target = await environmentCalled(control, caller, project, to);
    const proposal = await control.environments.promote.mutate({
      projectId: target.id,
      fromProjectId: source.id,
      overwrite,
    });
    const address = `${caller.console}/projects/${target.id}/changes/${proposal.id}`;
    // With --json, stdout has one line: the result.
    const output = json ? { ...terminal, out: () => {} } : terminal;
    output.out(`${output.paint("bold", `From ${from} to ${to}:`)}`);
    for (const summary of proposal.promotedFrom?.takesBack ?? [])
      output.out(wrap(output, `  ${output.paint("yellow", "!")} reverted: ${plain(summary)}`, "    "));
    const shown = showProposal(output, proposal, { json: false });
    const { code, deployed, note } =
      shown === 0
        ? await decide(terminal, control, proposal, options, address)
        : { code: shown, deployed: false, note: await withdrawn(control, proposal) };
    output.out("");
    (code === 0 ? output.out : terminal.err)(note);
    if (json) {
      const { id: proposalId, diff: changes, plan, consents, promotedFrom } = proposal;
      terminal.out(JSON.stringify({ proposalId, changes, ...plan, consents, promotedFrom, deployed }));
    }
    return code;
  });
}

interface Decided {
  readonly code: ExitCode;
  readonly deployed: boolean;
  readonly note: string;
}

async function decide(
  terminal: Terminal,
  control: ControlClient,
  proposal: Proposal,
  { deploy, consent, to }: Promoting,
  address: string,
): Promise<Decided> {
  const { id: proposalId, consents } = proposal;
  if (!deploy) return { code: 0, deployed: false, note: `It waits for approval: ${address}` };
  const missing = consents.filter((required) => !consent.includes(required));
  if (missing.length > 0) {
    const note = `Not deployed. ${missingConsents(terminal, missing, address).join("\n")}`;
    return { code: 1, deployed: false, note };
  }
  const refusal = await approve(control, proposal);
  if (refusal !== null)
    return { code: 1, deployed: false, note: `Not approved. ${refusal.message} Approve it at ${address}` };
  const { deploymentId } = await control.deployments.create.mutate({ proposalId });
  const { active, error } = await outcomeOf(control, deploymentId);
  if (!active) return { code: 1, deployed: false, note: `Not deployed: ${error ?? "the migration failed"}` };
  if (error === null) return { code: 0, deployed: true, note: `Deployed to ${to}.` };
  return { code: 1, deployed: true, note: `Deployed to ${to}, but a later step failed: ${error}` };
}

/** The proposal can't be approved as it is. */
async function withdrawn(control: ControlClient, { id }: Proposal): Promise<string> {
  return (await withdraw(control, id)) ? "Nothing was proposed." : "It can't be approved.";
}
