// The form field for a declared field of the blueprint. In: the field and its text. Out: the control for its type, with the type and the
// help beneath it.
"use client";
import type { Field } from "@plinth/blueprint";
import Link from "next/link";
import { type ReactNode, useId } from "react";
import { SelectField, TextField } from "../ui/field.tsx";
import { choicesOf, inputKindOf, isRequired, typeText } from "./values.ts";

interface TypedFieldProps {
  projectId: string;
  field: Field;
  value: string;
  problem: string | null;
  /** Default: required, if the field has no default and can't be empty. */
  required?: boolean;
  onChange: (value: string) => void;
}

export function TypedField({
  projectId,
  field,
  value,
  problem,
  required = isRequired(field),
  onChange,
}: TypedFieldProps) {
  const { name, type, help, label } = field;
  const kind = inputKindOf(type);
  const title = `${label ?? name}${required ? "" : " (optional)"}`;
  const hint = (
    <>
      <span className="font-mono text-xs">{typeText(type)}</span>
      {help === null ? null : <> {help}</>}
      {type.kind === "ref" ? (
        <>
          {" "}
          <Link
            href={`/projects/${projectId}/data?entity=${encodeURIComponent(type.entity)}`}
            className="text-accent-text hover:underline"
          >
            see its records
          </Link>
        </>
      ) : null}
    </>
  );
  const shared = { label: title, hint, required, value };
  if (kind === "choice") {
    return (
      <SelectField {...shared} error={problem} onChange={(event) => onChange(event.target.value)}>
        <option value="">–</option>
        {choicesOf(type).map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    );
  }
  if (kind === "lines" || kind === "json") {
    return <LinesField {...shared} isCode={kind === "json"} problem={problem} onChange={onChange} />;
  }
  const types = { date: "date", time: "time", datetime: "datetime-local", number: "text", text: "text" } as const;
  return (
    <TextField
      {...shared}
      type={types[kind]}
      inputMode={kind === "number" ? "decimal" : undefined}
      step={kind === "time" || kind === "datetime" ? 1 : undefined}
      error={problem}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface LinesFieldProps {
  label: string;
  hint: ReactNode;
  required: boolean;
  value: string;
  isCode: boolean;
  problem: string | null;
  onChange: (value: string) => void;
}

function LinesField({ label, hint, required, value, isCode, problem, onChange }: LinesFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-[0.8125rem] font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={3}
        required={required}
        spellCheck={!isCode}
        className={`w-full rounded-md border border-line-strong bg-surface px-2.5 py-2 text-ink shadow-card aria-invalid:border-bad ${isCode ? "font-mono text-xs" : "text-sm"}`}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={`${id}-note`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <p
        id={`${id}-note`}
        role={problem === null ? undefined : "alert"}
        className={`text-[0.8125rem] ${problem === null ? "text-ink-soft" : "text-bad"}`}
      >
        {problem ?? hint}
      </p>
    </div>
  );
}
