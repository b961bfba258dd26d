// Tells that an AI wrote a change, or parts of it. In: a proposal. Out: a notice with the places; nothing for a change of people.
import type { Proposal } from "@plinth/control/router";
import { Notice } from "../../ui/notice.tsx";

const SHOWN_MAX = 12;

export function AuthorNotice({ proposal: { author, aiParts, createdBy } }: { proposal: Proposal }) {
  if (author !== "ai") return null;
  const more = aiParts.length - SHOWN_MAX;
  return (
    <Notice tone="neutral" title="An AI wrote this change, or parts of it">
      <p>
        {createdBy.name || createdBy.email} proposed it, or a program in their name. Read it as you would read the work
        of somebody who can't be asked. An AI&rsquo;s part can&rsquo;t touch the protected core, and it stays an
        AI&rsquo;s until a person writes another value.
      </p>
      {aiParts.length > 0 ? (
        <ul aria-label="Written by an AI" className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
          {aiParts.slice(0, SHOWN_MAX).map((place) => (
            <li key={place}>
              <code className="font-mono text-xs break-all text-ink">{place}</code>
            </li>
          ))}
          {more > 0 ? <li>and {more} more</li> : null}
        </ul>
      ) : null}
    </Notice>
  );
}
