// The editor page of a blueprint. In: the live text and the person's draft. Out: a checked text, and a proposal to review. The draft is saved
// while it is written; "Review change" proposes it.
"use client";
import type { Draft, EndedDraft, LiveBlueprint } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FolderOpen, WandSparkles } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter, useSearchParams } from "next/navigation";
import { type ChangeEvent, useDeferredValue, useMemo, useRef, useState } from "react";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DraftHistory } from "./draft-history.tsx";
import type { DraftStatus } from "./draft-keeper.ts";
import { DraftNotices } from "./draft-notices.tsx";
import type { EditorHandle } from "./editor.tsx";
import { entityOutline } from "./entity-outline.ts";
import { OutdatedNotice } from "./outdated-notice.tsx";
import { Outline } from "./outline.tsx";
import { ProblemList } from "./problem-list.tsx";
import { refusedDiagnostics } from "./refused-diagnostics.ts";
import { TemplateChoice } from "./template-choice.tsx";
import { useCheck } from "./use-check.ts";
import { useDraft } from "./use-draft.ts";

const Editor = dynamic(() => import("./editor.tsx"), { ssr: false, loading: () => <Skeleton className="h-full" /> });

/** With fewer entities, the outline is left out. */
const outlinedMin = 4;

interface BlueprintWorkbenchProps {
  projectId: string;
  personId: string;
  projectName: string;
  mayChange: boolean;
  live: LiveBlueprint | null;
  /** The draft on the server when the page opened. */
  stored: { readonly draft: Draft | null; readonly ended: EndedDraft | null };
}

export function BlueprintWorkbench({
  projectId,
  personId,
  projectName,
  mayChange,
  live,
  stored,
}: BlueprintWorkbenchProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const editor = useRef<EditorHandle>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  /** The version of the earlier save that the last undo showed. */
  const undone = useRef<number | null>(null);
  const { text, baseVersionId, status, keeper } = useDraft({ personId, projectId }, stored.draft, live);
  const [note, setNote] = useState<string | null>(null);
  const liveText = live?.text ?? null;
  const check = useCheck(text);
  // The outline may lag behind typing.
  const outlined = useDeferredValue(text);
  const outline = useMemo(() => entityOutline(outlined), [outlined]);
  const entity = useSearchParams().get("entity");
  const startAt = outline.find(({ name }) => name === entity)?.offset ?? null;

  const propose = useMutation(
    trpc.proposals.create.mutationOptions({
      onSuccess: async (proposal) => {
        await queryClient.invalidateQueries({ queryKey: trpc.proposals.list.queryKey({ projectId }) });
        router.push(`/projects/${projectId}/changes/${proposal.id}`);
      },
    }),
  );

  function change(changed: string): void {
    undone.current = null;
    setNote(null);
    propose.reset();
    keeper.change(changed);
  }

  /** Undoes the changes made here, then shows the saves from before the page was opened. */
  async function undo(): Promise<void> {
    if (undone.current === null && editor.current?.undo()) return;
    const history = await client.drafts.history.query({ projectId });
    const earlier = history.find(({ version }) => undone.current === null || version < undone.current);
    if (!earlier) return setNote("There is no earlier save.");
    const { text: before } = await client.drafts.earlier.query({ projectId, version: earlier.version });
    editor.current?.show(before);
    undone.current = earlier.version;
  }

  async function format(): Promise<void> {
    const { formatBlueprint } = await import("@plinth/blueprint");
    const formatted = formatBlueprint(text);
    if (!("text" in formatted)) return setNote("Correct the errors first, then format the text.");
    if (formatted.text === text) return setNote("The text is already formatted.");
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
    void keeper.refresh();
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
            : "You can read this blueprint. Developers, admins and owners of the project can change it."
        }
        actions={
          mayChange ? (
            <>
              {liveText !== null && !unchanged ? (
                <Button variant="ghost" onClick={() => change(liveText)}>
                  Discard draft
                </Button>
              ) : null}
              <DraftHistory
                projectId={projectId}
                onUndo={() => void undo().catch((error: unknown) => setNote(errorText(error)))}
                onRedo={() => editor.current?.redo()}
                onOpen={change}
                onFailed={setNote}
              />
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
                disabled={empty || unchanged || status.kind === "conflict"}
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
          <Notice tone="bad" title="The blueprint has errors and can't be reviewed yet">
            <ul>
              {refused.map((diagnostic) => (
                <li key={`${diagnostic.code}@${diagnostic.span.start.offset}`}>
                  Line {diagnostic.span.start.line}: <MarkedText text={diagnostic.message} />
                </li>
              ))}
            </ul>
          </Notice>
        ) : null}
        {mayChange ? (
          <DraftNotices
            projectId={projectId}
            live={live}
            ended={stored.ended}
            text={text}
            baseVersionId={baseVersionId}
            status={status}
            keeper={keeper}
          />
        ) : null}
        {unchanged && check.settled ? <OutdatedNotice problems={errors} /> : null}
        {empty && mayChange ? <TemplateChoice projectName={projectName} onChoose={change} /> : null}
        <div
          hidden={status.kind === "conflict"}
          className="flex h-[max(26rem,calc(100dvh-13.5rem))] flex-col overflow-hidden rounded-lg border bg-surface shadow-card focus-within:border-line-strong [&[hidden]]:hidden"
        >
          <div className="flex min-h-0 flex-1 flex-col border-b md:flex-row">
            {outline.length >= outlinedMin ? (
              <div className="h-36 shrink-0 border-b md:h-auto md:w-56 md:border-r md:border-b-0">
                <Outline entries={outline} onGoTo={(offset) => editor.current?.goTo(offset)} />
              </div>
            ) : null}
            <div className="min-h-0 min-w-0 flex-1">
              <Editor
                ref={editor}
                text={text}
                onChange={change}
                diagnostics={empty ? [] : check.diagnostics}
                readOnly={!mayChange || status.kind === "conflict"}
                startAt={startAt}
              />
            </div>
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
          {note ?? (mayChange ? savedWords(status, empty || unchanged) : "")}
        </p>
      </div>
    </>
  );
}

function savedWords({ kind }: DraftStatus, nothing: boolean): string {
  switch (kind) {
    case "saving":
      return "Saving the draft";
    case "saved":
      return nothing ? "" : "The draft is saved. Only you see it until you propose it.";
    case "waiting":
    case "refused":
      return "The draft is not saved. It is stored in this browser.";
    case "conflict":
      return "";
  }
}
