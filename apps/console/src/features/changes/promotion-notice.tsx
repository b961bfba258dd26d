// The origin of a promoted change. In: a proposal. Out: the environment and its version, and the parts that only the target has and the
// change removes; nothing for a change that was not promoted.
import type { Proposal } from "@plinth/control/router";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";

export function PromotionNotice({ proposal: { promotedFrom } }: { proposal: Proposal }) {
  if (promotedFrom === null) return null;
  const { name, hash, deployedAt, takesBack } = promotedFrom;
  return (
    <>
      <Notice tone="neutral" title={`Promoted from ${name}`}>
        Version <code className="font-mono text-xs text-ink">{hash.slice(0, 10)}</code>, which was deployed there{" "}
        <Time at={deployedAt} />.
      </Notice>
      {takesBack.length > 0 ? (
        <Notice tone="warn" title={`This removes what ${name} doesn't have`}>
          <ul className="flex flex-col gap-1">
            {takesBack.map((summary) => (
              <li key={summary}>
                <MarkedText text={summary} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
    </>
  );
}
