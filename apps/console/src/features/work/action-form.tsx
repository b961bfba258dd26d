// The form to call an action of the project. In: the action. Out: a field for each member of its input, a preview of the request, and the
// response of the action.
"use client";
import type { Action, Field } from "@plinth/blueprint";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import Link from "next/link";
import { type FormEvent, useId, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { choicesOf, inputKindOf, isRequired, readInput, typeText } from "./action-input.ts";
import { JsonView } from "./json-view.tsx";
import { runPath } from "./work-links.tsx";

interface ActionFormProps {
  projectId: string;
  action: Action;
  mayCall: boolean;
}

export function ActionForm({ projectId, action, mayCall }: ActionFormProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [wasSent, setWasSent] = useState(false);
  const call = useMutation(
    trpc.work.callAction.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.work.pathKey() }),
    }),
  );
  const { body, problems } = readInput(action.input, texts);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setWasSent(true);
    if (!call.isPending && Object.keys(problems).length === 0) {
      call.mutate({ projectId, action: action.name, input: body });
    }
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {action.input.length === 0 ? (
        <p className="text-[0.8125rem] text-ink-soft">It takes no input.</p>
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          {action.input.map((field) => (
            <InputField
              key={field.name}
              projectId={projectId}
              field={field}
              value={texts[field.name] ?? ""}
              // An empty field is not an error before the first submit.
              problem={wasSent || (texts[field.name] ?? "") !== "" ? (problems[field.name] ?? null) : null}
              onChange={(value) => {
                call.reset();
                setTexts({ ...texts, [field.name]: value });
              }}
            />
          ))}
        </div>
      )}
      <details className="text-[0.8125rem]">
        <summary className="cursor-pointer text-ink-soft hover:text-ink">Preview of the request</summary>
        <CodeBlock
          code={`POST /v1/actions/${action.name}\n\n${JSON.stringify(body, null, 2)}`}
          label={`request of ${action.name}`}
          className="mt-2 [&_pre]:text-xs [&_pre]:leading-5"
        />
      </details>
      {mayCall ? (
        <div>
          <Button type="submit" variant="primary" pending={call.isPending} icon={<Play aria-hidden />}>
            Run {action.name}
          </Button>
        </div>
      ) : null}
      {call.error ? <QueryError error={call.error} what="The action was refused" /> : null}
      {call.data ? <Answer projectId={projectId} action={action} answer={call.data.answer} /> : null}
    </form>
  );
}

function Answer({ projectId, action, answer }: { projectId: string; action: Action; answer: unknown }) {
  const runId = action.mode === "async" ? idOf(answer) : null;
  return (
    <Notice tone="good" title={runId === null ? "The action responded" : "The action runs in the background"}>
      {runId === null ? (
        <JsonView value={answer} label={`answer of ${action.name}`} className="mt-2" />
      ) : (
        <Link href={runPath(projectId, runId)} className="text-accent-text hover:underline">
          See the run
        </Link>
      )}
    </Notice>
  );
}

function idOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null || !("id" in answer)) return null;
  return typeof answer.id === "string" ? answer.id : null;
}

interface InputFieldProps {
  projectId: string;
  field: Field;
  value: string;
  problem: string | null;
  onChange: (value: string) => void;
}

function InputField({ projectId, field, value, problem, onChange }: InputFieldProps) {
  const { name, type, help, label } = field;
  const kind = inputKindOf(type);
  const title = `${label ?? name}${isRequired(field) ? "" : " (optional)"}`;
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
  const shared = { label: title, hint, required: isRequired(field), value };
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
  hint: React.ReactNode;
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
