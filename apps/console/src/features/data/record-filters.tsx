// The filters of a table: a field, a comparison that fits it, a value. In: the fields and the present filters. Out: the changed filters.
"use client";
import type { DataEntity } from "@plinth/control/router";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { filterText, operatorsFor } from "./filter-operators.ts";

interface RecordFiltersProps {
  fields: DataEntity["fields"];
  filters: Readonly<Record<string, string>>;
  onChange: (filters: Readonly<Record<string, string>>) => void;
}

export function RecordFilters({ fields, filters, onChange }: RecordFiltersProps) {
  const [field, setField] = useState(fields[0]?.name ?? "");
  const [label, setLabel] = useState("is");
  const [value, setValue] = useState("");
  const operators = operatorsFor(fields.find(({ name }) => name === field)?.kind ?? "");
  const operator = operators.find((one) => one.label === label) ?? operators[0];

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (operator === undefined || (operator.takesValue && value === "")) return;
    const name = operator.name === "" ? field : `${field}[${operator.name}]`;
    onChange({ ...filters, [name]: operator.value ?? value });
    setValue("");
  }

  return (
    <form onSubmit={submit} className="flex max-w-full min-w-0 flex-wrap items-center gap-2">
      <SelectField
        label="Filter field"
        hideLabel
        className="h-8 min-w-36 text-[0.8125rem]"
        value={field}
        onChange={(event) => setField(event.target.value)}
      >
        {fields.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <SelectField
        label="Comparison"
        hideLabel
        className="h-8 min-w-28 text-[0.8125rem]"
        value={operator?.label}
        onChange={(event) => setLabel(event.target.value)}
      >
        {operators.map((one) => (
          <option key={one.label}>{one.label}</option>
        ))}
      </SelectField>
      {operator?.takesValue ? (
        <TextField
          label="Filter value"
          hideLabel
          placeholder="Value"
          className="h-8 w-44 text-[0.8125rem]"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      ) : null}
      <Button type="submit">Filter</Button>
      {Object.entries(filters).map(([name, wanted]) => {
        const { field: filtered, text } = filterText(name, wanted);
        return (
          <span
            key={name}
            className="inline-flex h-8 items-center gap-1 rounded-md bg-accent-soft pr-1 pl-2.5 text-[0.8125rem] text-accent-text"
          >
            <span className="max-w-56 truncate">
              <span className="font-mono text-xs">{filtered}</span> {text}
            </span>
            <button
              type="button"
              aria-label={`Remove filter on ${filtered}`}
              className="rounded p-1 hover:bg-hover"
              onClick={() => onChange(Object.fromEntries(Object.entries(filters).filter(([other]) => other !== name)))}
            >
              <X className="size-3.5" aria-hidden />
            </button>
          </span>
        );
      })}
    </form>
  );
}
