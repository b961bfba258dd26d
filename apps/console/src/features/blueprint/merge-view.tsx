// Merges two texts with a common origin. In: the common text and both texts. Out: one text: this person's, the other one, or a merge with
// a decision for each conflict. It changes nothing until a button is pressed.
"use client";
import { type Choice, conflictsOf, joinPieces, mergeTexts } from "@plinth/blueprint";
import { useId, useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";

interface MergeViewProps {
  title: string;
  description: string;
  /** A name for the other text, such as "Saved elsewhere". */
  theirsName: string;
  common: string;
  mine: string;
  theirs: string;
  onUse: (text: string) => void;
  /** Null if a choice is required. */
  onCancel: (() => void) | null;
}

export function MergeView({ title, description, theirsName, common, mine, theirs, onUse, onCancel }: MergeViewProps) {
  const pieces = useMemo(() => mergeTexts(common, mine, theirs), [common, mine, theirs]);
  const conflicts = conflictsOf(pieces);
  const [choices, setChoices] = useState<readonly (Choice | undefined)[]>([]);
  const open = conflicts.filter((_, index) => choices[index] === undefined).length;
  return (
    <Card title={title} description={description} flush>
      <div className="flex flex-col gap-4 p-4">
        <div className="grid gap-4 lg:grid-cols-2">
          <Side name="Yours" text={mine} />
          <Side name={theirsName} text={theirs} />
        </div>
        {conflicts.length === 0 ? (
          <p className="text-ink-soft">
            The two texts changed different lines, so they can be merged without a choice.
          </p>
        ) : (
          <ol className="flex flex-col gap-3" aria-label="Conflicts">
            {conflicts.map((conflict, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: conflicts have an order and nothing else.
              <li key={index} className="rounded-lg border">
                <Conflict
                  number={index + 1}
                  theirsName={theirsName}
                  mine={conflict.mine}
                  theirs={conflict.theirs}
                  chosen={choices[index]}
                  onChoose={(choice) => setChoices(conflicts.map((_, at) => (at === index ? choice : choices[at])))}
                />
              </li>
            ))}
          </ol>
        )}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t px-4 py-3">
        {open > 0 ? (
          <span role="status" className="mr-auto text-[0.8125rem] text-ink-soft">
            {open === 1 ? "One conflict is not decided yet." : `${open} conflicts are not decided yet.`}
          </span>
        ) : null}
        {onCancel ? (
          <Button variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
        <Button onClick={() => onUse(mine)}>Keep mine</Button>
        <Button onClick={() => onUse(theirs)}>Take theirs</Button>
        <Button variant="primary" disabled={open > 0} onClick={() => onUse(joinPieces(pieces, choices))}>
          Use the merged text
        </Button>
      </footer>
    </Card>
  );
}

function Side({ name, text }: { name: string; text: string }) {
  return (
    <div className="min-w-0">
      <p className="mb-1.5 text-[0.8125rem] font-medium">{name}</p>
      <ScrollRegion label={`Text: ${name}`} className="max-h-64 rounded-md border bg-sunken">
        <pre className="px-3 py-2 font-mono text-xs leading-5">{text}</pre>
      </ScrollRegion>
    </div>
  );
}

interface ConflictProps {
  number: number;
  theirsName: string;
  mine: string;
  theirs: string;
  chosen: Choice | undefined;
  onChoose: (choice: Choice) => void;
}

function Conflict({ number, theirsName, mine, theirs, chosen, onChoose }: ConflictProps) {
  const group = useId();
  const options = [
    ["mine", "Yours", mine],
    ["theirs", theirsName, theirs],
    ["both", "Both, yours first", null],
  ] as const;
  return (
    <fieldset className="flex flex-col gap-2 p-3">
      <legend className="sr-only">Conflict {number}</legend>
      {options.map(([choice, name, text]) => (
        <label key={choice} className="flex cursor-pointer items-start gap-2.5">
          <input
            type="radio"
            name={group}
            className="mt-0.5 size-4 shrink-0 accent-accent"
            checked={chosen === choice}
            onChange={() => onChoose(choice)}
          />
          <span className="min-w-0 flex-1">
            <span className="block text-[0.8125rem] font-medium">{name}</span>
            {text === null ? null : (
              <code className="mt-1 block overflow-x-auto rounded-md bg-sunken px-3 py-1.5 font-mono text-xs leading-5 whitespace-pre">
                {text === "" ? "(these lines are removed)" : text}
              </code>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
