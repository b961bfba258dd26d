// What an approval owes, for reading. In: consents as `<kind> <path>` and the changes of the proposal. Out: the same ones, the
// gravest first, each with its sentence and the change it is about. It decides nothing: what is owed, control says.
import type { Change, ConsentKind } from "@plinth/blueprint";

export interface OwedConsent {
  /** As the approval names it. */
  readonly name: string;
  readonly kind: ConsentKind;
  readonly sentence: string;
  /** What it is about, in the diff's words; null where they would say nothing more. */
  readonly about: string | null;
}

const order: readonly ConsentKind[] = ["destructive", "loosens_access", "widens_egress", "protected_core", "breaking"];

const sentences: Readonly<Record<ConsentKind, string>> = {
  destructive: "The data of PATH is taken out of service, and dropped after seven days.",
  loosens_access: "PATH lets somebody do what they could not do before.",
  widens_egress: "PATH sends data out of the project that stayed inside before.",
  protected_core: "PATH is part of the protected core: access, roles, audit, secrets, targets.",
  breaking: "Clients that work now may fail because of PATH.",
};

export function owedConsents(consents: readonly string[], changes: readonly Change[]): OwedConsent[] {
  const owed = consents.map((name): OwedConsent => {
    const [kind, path] = splitOnce(name);
    const there = changes.filter((change) => change.path === path);
    const about = there.find((change) => change.classes.some((each) => each === kind)) ?? there[0];
    return {
      name,
      kind,
      sentence: sentences[kind].replace("PATH", () => `\`${path}\``),
      about: (kind === "loosens_access" ? about?.witness?.summary : undefined) ?? about?.summary ?? null,
    };
  });
  return owed.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function splitOnce(consent: string): readonly [ConsentKind, string] {
  const at = consent.indexOf(" ");
  const kind = order.find((each) => each === consent.slice(0, at));
  // A consent that this page doesn't know is shown with the words that ask for the closest look.
  return [kind ?? "protected_core", consent.slice(at + 1)];
}
