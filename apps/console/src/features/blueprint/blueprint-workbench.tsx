// Where a blueprint is written. In: the live text and the draft. Out: a checked text, and a proposal to review.
// It keeps the draft in this browser; nothing is sent before "Review change".
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FolderOpen, WandSparkles } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { type ChangeEvent, useRef, useState } from "react";
import { clearDraft, writeDraft } from "../../draft.ts";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { EditorHandle } from "./editor.tsx";
import { OutdatedNotice } from "./outdated-notice.tsx";
import { ProblemList } from "./problem-list.tsx";
import { refusedDiagnostics } from "./refused-diagnostics.ts";
import { TemplateChoice } from "./template-choice.tsx";
import { useCheck } from "./use-check.ts";

const Editor = dynamic(() => import("./editor.tsx"), { ssr: false, loading: () => <Skeleton className="h-full" /> });

interface BlueprintWorkbenchProps {
  projectId: string;
  projectName: string;
  mayChange: boolean;
  liveText: string | null;
  draftText: string | null;
}

export function BlueprintWorkbench({
  projectId,
  projectName,
  mayChange,
  liveText,
  draftText,
}: BlueprintWorkbenchProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const editor = useRef<EditorHandle>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const [text, setText] = useState((mayChange ? draftText : null) ?? liveText ?? "");
  const [note, setNote] = useState<string | null>(null);
  const check = useCheck(text);

  const propose = useMutation(
    trpc.proposals.create.mutationOptions({
      onSuccess: async (proposal) => {
        await queryClient.invalidateQueries({ queryKey: trpc.proposals.list.queryKey({ projectId }) });
        router.push(`/projects/${projectId}/changes/${proposal.id}`);
      },
    }),
  );

  function change(changed: string): void {
    setText(changed);
    setNote(null);
    propose.reset();
    if (changed === (liveText ?? "")) clearDraft(projectId);
    else writeDraft(projectId, changed);
  }

  async function format(): Promise<void> {
    const { formatBlueprint } = await import("@plinth/blueprint");
    const formatted = formatBlueprint(text);
    if (!("text" in formatted))
      return setNote("Correct the errors first: a text that can't be read can't be formatted.");
    if (formatted.text === text) return setNote("Already in canonical form.");
    change(formatted.text);
    setNote("Formatted.");
  }

  async function openFile(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const file = event.target.files?.[0];
    event.target.value = "";
    if (file) change(await file.text());
  }

  const errors = check.diagnostics.filter(({ severity }) => severity === "error");
  const refused = refusedDiagnostics(propose.error);
  const unchanged = text === liveText;
  const empty = text.trim() === "";

  function review(): void {
    const first = errors[0];
    if (check.settled && first) {
      setNote("Correct the errors before the review.");
      editor.current?.goTo(first.span.start.offset);
      return;
    }
    propose.mutate({ projectId, text });
  }

  return (
    <>
      <PageHeader
        title={
          <>
            Blueprint
            {liveText !== null && unchanged ? <Badge tone="good">Live</Badge> : null}
            {!empty && !unchanged ? <Badge tone="accent">Draft</Badge> : null}
          </>
        }
        description={
          mayChange
            ? "Entities, fields and rules of the backend. Nothing runs before you review and deploy it."
            : "You can read this blueprint. Its owners change it."
        }
        actions={
          mayChange ? (
            <>
              {liveText !== null && !unchanged ? (
                <Button variant="ghost" onClick={() => change(liveText)}>
                  Discard draft
                </Button>
              ) : null}
              <Button onClick={() => fileInput.current?.click()} icon={<FolderOpen />}>
                Open file
              </Button>
              <input
                ref={fileInput}
                type="file"
                accept=".yaml,.yml"
                aria-label="Blueprint file"
                tabIndex={-1}
                className="sr-only"
                onChange={(event) => void openFile(event)}
              />
              <Button onClick={() => void format()} icon={<WandSparkles />} disabled={empty}>
                Format
              </Button>
              <Button
                variant="primary"
                pending={propose.isPending || propose.isSuccess}
                disabled={empty || unchanged}
                onClick={review}
              >
                Review change
              </Button>
            </>
          ) : null
        }
      />
      <div className="flex flex-col gap-3">
        {propose.error && refused.length === 0 ? (
          <QueryError error={propose.error} what="The change could not be proposed" onRetry={review} />
        ) : null}
        {refused.length > 0 ? (
          <Notice tone="bad" title="The blueprint has errors, so there is nothing to review yet">
            <ul>
              {refused.map((diagnostic) => (
                <li key={`${diagnostic.code}@${diagnostic.span.start.offset}`}>
                  Line {diagnostic.span.start.line}: <MarkedText text={diagnostic.message} />
                </li>
              ))}
            </ul>
          </Notice>
        ) : null}
        {unchanged && check.settled ? <OutdatedNotice problems={errors} /> : null}
        {empty && mayChange ? <TemplateChoice projectName={projectName} onChoose={change} /> : null}
        <div className="flex h-[max(26rem,calc(100dvh-13.5rem))] flex-col overflow-hidden rounded-lg border bg-surface shadow-card focus-within:border-line-strong">
          <div className="min-h-0 flex-1 border-b">
            <Editor
              ref={editor}
              text={text}
              onChange={change}
              diagnostics={empty ? [] : check.diagnostics}
              readOnly={!mayChange}
            />
          </div>
          {empty ? (
            <p className="px-4 py-2.5 text-[0.8125rem] text-ink-soft">Problems are shown here while you write.</p>
          ) : (
            <ProblemList
              diagnostics={check.diagnostics}
              settled={check.settled}
              onGoTo={(offset) => editor.current?.goTo(offset)}
            />
          )}
        </div>
        <p role="status" className="min-h-5 text-[0.8125rem] text-ink-soft">
          {note ?? (!empty && !unchanged && mayChange ? "The draft is kept in this browser until it is deployed." : "")}
        </p>
      </div>
    </>
  );
}
