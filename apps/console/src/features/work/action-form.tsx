// The form to call an action of the project. In: the action. Out: a field for each member of its input, a preview of the request, and the
// response of the action.
"use client";
import type { Action } from "@plinth/blueprint";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import Link from "next/link";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { TypedField } from "../../typed-fields/typed-field.tsx";
import { readInput } from "../../typed-fields/values.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
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
            <TypedField
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
