// The required consents as text. In: consents as `<kind> <path>` and the changes of the proposal. Out: the same consents, the gravest
// first, each with a sentence and its change. The control API decides which consents are required.
import type { Change, ConsentKind } from "@plinth/blueprint";

export interface RequiredConsent {
  /** Its name in the approval: `<kind> <path>`. */
  readonly name: string;
  readonly kind: ConsentKind;
  readonly path: string;
  readonly sentence: string;
  /** The summary of the change; null if there is none. */
  readonly about: string | null;
}

const order: readonly ConsentKind[] = ["destructive", "loosens_access", "widens_egress", "protected_core", "breaking"];

const sentences: Readonly<Record<ConsentKind, string>> = {
  destructive: "The data of PATH is set aside, and dropped after seven days.",
  loosens_access: "PATH gives somebody access that they did not have before.",
  widens_egress: "PATH sends data out of the project that was not sent before.",
  protected_core: "PATH is part of the protected core: access, roles, audit, secrets, targets.",
  breaking: "PATH can break clients that work now.",
};

export function requiredConsents(consents: readonly string[], changes: readonly Change[]): RequiredConsent[] {
  const required = consents.map((name): RequiredConsent => {
    const [kind, path] = splitOnce(name);
    const matching = changes.filter((change) => change.path === path);
    const about = matching.find((change) => change.classes.some((each) => each === kind)) ?? matching[0];
    return {
      name,
      kind,
      path,
      sentence: sentences[kind].replace("PATH", () => `\`${path}\``),
      about: (kind === "loosens_access" ? about?.witness?.summary : undefined) ?? about?.summary ?? null,
    };
  });
  return required.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function splitOnce(consent: string): readonly [ConsentKind, string] {
  const at = consent.indexOf(" ");
  const kind = order.find((each) => each === consent.slice(0, at));
  // A kind that this page doesn't know is shown as the protected core, so that it is read with care.
  return [kind ?? "protected_core", consent.slice(at + 1)];
}
