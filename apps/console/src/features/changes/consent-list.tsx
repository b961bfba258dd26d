// What an approval owes beyond a click. In: the consents that are owed and the changes that they are about. Out: a box to tick
// for each, in words; whoever ticks them has read them one by one.
import type { Change } from "@plinth/blueprint";
import { useId } from "react";
import { MarkedText } from "../../ui/marked-text.tsx";

const sentences: Readonly<Record<string, string>> = {
  destructive: "The data of PATH is taken out of service, and dropped after seven days.",
  loosens_access: "PATH lets somebody do what they could not do before.",
  widens_egress: "PATH sends data out of the project that stayed inside before.",
  breaking: "Clients that work now may fail because of PATH.",
  protected_core: "PATH is part of the protected core: access, roles, audit, secrets, targets.",
};

interface ConsentListProps {
  consents: readonly string[];
  changes: readonly Change[];
  given: ReadonlySet<string>;
  onChange: (given: ReadonlySet<string>) => void;
}

export function ConsentList({ consents, changes, given, onChange }: ConsentListProps) {
  const id = useId();
  function toggle(consent: string, agreed: boolean): void {
    const next = new Set(given);
    if (agreed) next.add(consent);
    else next.delete(consent);
    onChange(next);
  }
  return (
    <ul className="divide-y">
      {consents.map((consent, index) => {
        const [kind = "", path = ""] = splitOnce(consent);
        const about = changes.find((change) => change.path === path);
        return (
          <li key={consent} className="flex items-start gap-3 px-4 py-3">
            <input
              id={`${id}-${index}`}
              type="checkbox"
              className="mt-1 size-4 accent-accent"
              checked={given.has(consent)}
              onChange={(event) => toggle(consent, event.target.checked)}
            />
            <label htmlFor={`${id}-${index}`} className="min-w-0 flex-1">
              <span className="block">
                <MarkedText text={(sentences[kind] ?? "PATH.").replace("PATH", `\`${path}\``)} />
              </span>
              {about ? (
                <span className="block text-[0.8125rem] text-ink-soft">
                  <MarkedText text={about.witness?.summary ?? about.summary} />
                </span>
              ) : null}
            </label>
          </li>
        );
      })}
    </ul>
  );
}

function splitOnce(consent: string): readonly [string, string] {
  const at = consent.indexOf(" ");
  return [consent.slice(0, at), consent.slice(at + 1)];
}
