// Fixes for a change that existing records violate. In: the proposal. Out: for each such field the number of records, and the possible
// fixes. A fix edits the text of the blueprint and proposes it as a new change, which is measured again.
"use client";
import { type BlockedField, blockedFields, checkBlueprint, type FieldMend, mendField } from "@plinth/blueprint";
import type { Proposal } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useId, useMemo, useState } from "react";
import { putDraft } from "../../draft.ts";
import { usePersonId } from "../../person.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { QueryError } from "../../ui/query-error.tsx";

type Kind = FieldMend["kind"];

interface Suggestion extends BlockedField {
  /** "12 records have no value for price" */
  readonly sentence: string;
}

export default function SuggestedFixes({ projectId, proposal }: { projectId: string; proposal: Proposal }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const personId = usePersonId();
  const router = useRouter();
  const queryClient = useQueryClient();
  const suggestions = useMemo(() => suggestionsOf(proposal), [proposal]);
  const fix = useMutation({
    mutationFn: async (text: string) => {
      const created = await client.proposals.create.mutate({ projectId, text, title: proposal.title });
      // The new change replaces this one, which could only fail.
      if (proposal.state !== "outdated") await client.proposals.reject.mutate({ proposalId: proposal.id });
      await putDraft(client, { personId, projectId }, text, created.baseVersionId);
      return created;
    },
    onSuccess: async (created) => {
      await queryClient.invalidateQueries({ queryKey: trpc.proposals.pathKey() });
      router.push(`/projects/${projectId}/changes/${created.id}`);
    },
  });
  if (suggestions.length === 0) return null;
  return (
    <Card
      title="Suggested fixes"
      description="A fix edits the blueprint and compares it again. The new change replaces this one."
      flush
    >
      {fix.error ? (
        <div className="p-4 pb-0">
          <QueryError error={fix.error} what="The fixed change could not be proposed" />
        </div>
      ) : null}
      <ul className="divide-y">
        {suggestions.map((suggestion) => (
          <li key={`${suggestion.entity}.${suggestion.field}`}>
            <SuggestionForm
              suggestion={suggestion}
              proposal={proposal}
              pending={fix.isPending || fix.isSuccess}
              onFix={(text) => fix.mutate(text)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const words: Readonly<Record<Kind, string>> = {
  default: "Give it a default",
  fill: "Fill it from other fields",
  optional: "Make it optional",
  as_in: "Keep the live declaration",
};

interface SuggestionFormProps {
  suggestion: Suggestion;
  proposal: Proposal;
  pending: boolean;
  onFix: (text: string) => void;
}

function SuggestionForm({ suggestion, proposal, pending, onFix }: SuggestionFormProps) {
  const group = useId();
  const [kind, setKind] = useState<Kind>(suggestion.mends[0] ?? "optional");
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const path = `${suggestion.entity}.${suggestion.field}`;

  function submit(event: FormEvent): void {
    event.preventDefault();
    const written = value.trim();
    if ((kind === "default" || kind === "fill") && written === "") {
      setProblem("Write a value for the existing records.");
      return;
    }
    const text = mendField(proposal.text, suggestion, fixFor(kind, written, proposal.baseText ?? ""));
    if (text === null) {
      setProblem("This form can't edit the declaration of the field. Edit the blueprint instead.");
      return;
    }
    const [error] = checkBlueprint(text).diagnostics.filter(({ severity }) => severity === "error");
    if (error) setProblem(`${error.message} ${error.hint ?? ""}`);
    else onFix(text);
  }

  return (
    <form className="flex flex-col gap-2.5 px-4 py-3.5" onSubmit={submit} aria-label={`Fix for ${path}`}>
      <p>
        <code className="font-mono text-[0.8125rem] font-medium">{path}</code>:{" "}
        <MarkedText text={suggestion.sentence} />
      </p>
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1.5">
        <legend className="sr-only">Fix for {path}</legend>
        {suggestion.mends.map((one) => (
          <label key={one} className="flex cursor-pointer items-center gap-2 text-[0.8125rem]">
            <input
              type="radio"
              name={group}
              className="size-4 accent-accent"
              checked={kind === one}
              onChange={() => {
                setKind(one);
                setProblem(null);
              }}
            />
            {words[one]}
          </label>
        ))}
      </fieldset>
      <div className="flex flex-wrap items-start gap-2">
        {kind === "default" || kind === "fill" ? (
          <div className="min-w-48 flex-1 sm:max-w-sm">
            <TextField
              label={kind === "default" ? `Default of ${path}` : `Expression for ${path}`}
              hideLabel
              className="font-mono text-[0.8125rem]"
              placeholder={kind === "default" ? 'As in a blueprint: 0, draft, "none"' : "An expression, such as title"}
              spellCheck={false}
              autoComplete="off"
              value={value}
              error={problem}
              onChange={(event) => {
                setValue(event.target.value);
                setProblem(null);
              }}
            />
          </div>
        ) : problem ? (
          <p role="alert" className="flex-1 text-[0.8125rem] text-bad">
            {problem}
          </p>
        ) : null}
        <Button type="submit" className="h-9" pending={pending}>
          Change and compare again
        </Button>
      </div>
    </form>
  );
}

function fixFor(kind: Kind, value: string, live: string): FieldMend {
  switch (kind) {
    case "default":
      return { kind, value };
    case "fill":
      return { kind, expression: value };
    case "as_in":
      return { kind, text: live };
    case "optional":
      return { kind };
  }
}

function suggestionsOf({ plan, measures, diff, text }: Proposal): readonly Suggestion[] {
  const { model } = checkBlueprint(text);
  const tableOf = (entity: string) => model?.entities.find(({ name }) => name === entity)?.plural;
  return plan.steps.flatMap((step) => {
    const violators = measures?.steps.find(({ stepId }) => stepId === step.id)?.violators;
    if (step.kind !== "verify" || violators == null || violators.count === 0) return [];
    const { count } = violators;
    const records =
      count === null
        ? "some records have"
        : count === 1
          ? "one record has"
          : `${count.toLocaleString("en")} records have`;
    return blockedFields(diff, step, tableOf).map((field) => ({ ...field, sentence: `${records} ${step.violation}.` }));
  });
}
