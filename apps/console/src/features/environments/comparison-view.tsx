// The comparison of two environments before a promotion. In: the comparison, and the promote button. Out: whether the source can be
// promoted, the changes that the target would lose, the changes in the target, and both texts.
import type { Comparison, Standing } from "@plinth/control/router";
import type { ReactNode } from "react";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ChangeGroups } from "../changes/change-groups.tsx";
import { diffTexts } from "../changes/text-diff.ts";
import { TextDiffView } from "../changes/text-diff-view.tsx";

export function ComparisonView({ comparison, action }: { comparison: Comparison; action: ReactNode }) {
  const { from, to, standing, changes, takenBack } = comparison;
  const { tone, title, text } = words(standing, from.name, to.name);
  const isPromotable = standing !== "nothing_live" && standing !== "same";
  return (
    <div className="flex flex-col gap-4">
      <Notice tone={tone} title={title} actions={isPromotable ? action : null}>
        {text}
        {takenBack.length > 0 ? (
          <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-4">
            {takenBack.map((change) => (
              <li key={`${change.kind} ${change.path}`}>
                <MarkedText text={change.summary} />
              </li>
            ))}
          </ul>
        ) : null}
      </Notice>
      {isPromotable && changes !== null ? (
        <section aria-label={`Changes in ${to.name}`} className="overflow-hidden rounded-lg border">
          <h3 className="border-b bg-sunken px-4 py-2 text-[0.8125rem] font-medium">Changes in {to.name}</h3>
          {changes.length > 0 ? (
            <ChangeGroups changes={changes} />
          ) : (
            <p className="p-4 text-ink-soft">The model stays the same; only the text differs.</p>
          )}
        </section>
      ) : null}
      {isPromotable && from.text !== null ? (
        <details className="overflow-hidden rounded-lg border">
          <summary className="cursor-pointer bg-sunken px-4 py-2 text-[0.8125rem] font-medium">
            Blueprint of {from.name} against {to.name}
          </summary>
          <div className="border-t">
            <TextDiffView diff={diffTexts(to.text, from.text)} />
          </div>
        </details>
      ) : null}
    </div>
  );
}

interface Words {
  readonly tone: "neutral" | "good" | "warn";
  readonly title: string;
  readonly text: string;
}

export function words(standing: Standing, from: string, to: string): Words {
  switch (standing) {
    case "nothing_live":
      return { tone: "neutral", title: `Nothing is live in ${from}`, text: "Deploy a blueprint there first." };
    case "same":
      return {
        tone: "good",
        title: `${from} and ${to} serve the same blueprint`,
        text: "There is nothing to promote.",
      };
    case "ready":
      return {
        tone: "good",
        title: `${from} can be promoted to ${to}`,
        text: `It has everything that is live in ${to}. You see the plan, measured on the data of ${to}, before anything is deployed.`,
      };
    case "diverged":
      return {
        tone: "warn",
        title: `${to} has changes that ${from} doesn't have`,
        text: `Make them in ${from} first. If you promote it now, these changes are removed:`,
      };
    case "behind":
      return {
        tone: "warn",
        title: `${to} is ahead of ${from}`,
        text: `It had this version before. If you promote it again, later changes are removed:`,
      };
  }
}
