// Explains why a proposal isn't approved. In: the missing consents, or control's refusal, and the proposal's page. Out: lines. A
// person at a terminal gets the options to add. Anybody else, such as an AI or a script, gets the place where a person consents:
// whoever can't read the consents must not give them by repeating what was printed.
import { type ControlClient, type ControlError, isControlError } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

export function missingConsents(
  { columns }: Pick<Terminal, "columns">,
  missing: readonly string[],
  page: string,
): readonly string[] {
  if (columns === null) {
    const consents = missing.map((consent) => `  ${consent}`);
    return ["A person must give these consents:", ...consents, `They read the change and give them here: ${page}`];
  }
  const options = missing.map((consent) => `  --consent ${JSON.stringify(consent)}`);
  return ["These consents are missing. To give them, add:", ...options, `Or give them in the console: ${page}`];
}

/** The refusal, if this caller can't approve the proposal. Null if it is approved. */
export async function approve(
  control: ControlClient,
  {
    id: proposalId,
    hash,
    consents,
  }: { readonly id: string; readonly hash: string; readonly consents: readonly string[] },
): Promise<ControlError | null> {
  try {
    await control.proposals.approve.mutate({ proposalId, hash, consents: [...consents] });
    return null;
  } catch (error) {
    if (isControlError(error) && error.data?.code === "FORBIDDEN") return error;
    throw error;
  }
}

/** A proposal that can't be deployed. A caller who can't reject it leaves it: it can't be approved either. */
export async function withdraw(control: ControlClient, proposalId: string): Promise<boolean> {
  try {
    await control.proposals.reject.mutate({ proposalId });
    return true;
  } catch (error) {
    if (isControlError(error) && error.data?.code === "FORBIDDEN") return false;
    throw error;
  }
}
