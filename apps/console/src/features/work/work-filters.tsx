// The filters of the tables about work. In: the filters in the address. Out: an address with changed filters. Some are chosen here; others
// come with a link from another page (a request, an event) and can only be removed.
"use client";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { SelectField } from "../../ui/field.tsx";
import { shortId } from "../../ui/short-id.ts";
import type { UrlFilters } from "../../url-filters.ts";

interface FilterSelectProps {
  filters: UrlFilters;
  name: string;
  label: string;
  /** The text of the option without a filter. */
  all: string;
  choices: readonly (readonly [value: string, word: string])[];
}

export function FilterSelect({ filters, name, label, all, choices }: FilterSelectProps) {
  const chosen = filters.of(name) ?? "";
  // The value in the address may not be one of the choices.
  const known = chosen === "" || choices.some(([value]) => value === chosen);
  return (
    <SelectField
      label={label}
      hideLabel
      className="h-8 min-w-36 text-[0.8125rem]"
      value={chosen}
      onChange={(event) => filters.set(name, event.target.value)}
    >
      <option value="">{all}</option>
      {known ? null : <option value={chosen}>{chosen}</option>}
      {choices.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </SelectField>
  );
}

/** A filter that came with a link. */
export function FilterChip({ filters, name, children }: { filters: UrlFilters; name: string; children: ReactNode }) {
  const value = filters.of(name);
  if (value === undefined) return null;
  return (
    <span className="inline-flex h-8 items-center gap-1 rounded-md bg-accent-soft pr-1 pl-2.5 text-[0.8125rem] text-accent-text">
      {children} <span className="font-mono text-xs">{shortId(value)}</span>
      <button
        type="button"
        aria-label={`Remove the filter: ${name}`}
        className="rounded p-1 hover:bg-hover"
        onClick={() => filters.set(name, null)}
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </span>
  );
}
