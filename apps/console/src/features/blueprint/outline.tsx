// The entities of the blueprint in the editor. In: the outline. Out: a searchable list; each entry moves the cursor to its line.
"use client";
import { useState } from "react";
import { TextField } from "../../ui/field.tsx";
import type { OutlineEntry } from "./entity-outline.ts";

interface OutlineProps {
  entries: readonly OutlineEntry[];
  onGoTo: (offset: number) => void;
}

export function Outline({ entries, onGoTo }: OutlineProps) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase().replaceAll(" ", "_");
  const found = entries.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <nav aria-label="Outline" className="flex h-full min-h-0 flex-col">
      <form
        className="border-b p-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (found[0]) onGoTo(found[0].offset);
        }}
      >
        <TextField
          label="Find an entity"
          hideLabel
          type="search"
          placeholder={entries.length === 1 ? "Find in 1 entity" : `Find in ${entries.length} entities`}
          className="h-8 text-[0.8125rem]"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </form>
      <p role="status" className="sr-only">
        {wanted === "" ? "" : `${found.length} of ${entries.length} entities`}
      </p>
      {found.length === 0 ? (
        <p className="px-3 py-4 text-center text-[0.8125rem] text-ink-soft">
          {entries.length === 0 ? "Entities are listed here when you write them." : "No entity has a name like that."}
        </p>
      ) : (
        <ul className="min-h-0 flex-1 overflow-y-auto py-1">
          {found.map(({ name, line, offset }) => (
            <li key={offset}>
              <button
                type="button"
                title={name}
                onClick={() => onGoTo(offset)}
                className="flex w-full items-baseline justify-between gap-2 px-3 py-1 text-left font-mono text-xs -outline-offset-2 hover:bg-hover/60"
              >
                <span className="truncate">{name}</span>
                <span className="shrink-0 text-ink-soft tabular-nums">
                  <span className="sr-only">line </span>
                  {line}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}
