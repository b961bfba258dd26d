// The buttons beside a record, and what they do. In: a record and its deeds. Out: a cell; the deed is done by the project's own
// API under the person's name, and the rows are read anew. A transition is asked about first: no edge may lead back.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ArrowRight, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import type { Deed } from "./deeds.ts";

interface RecordDeeds {
  readonly error: unknown;
  /** Of which record a deed is under way, and its name; null where none is. */
  readonly underWay: { readonly recordId: string; readonly name: string } | null;
  /** Which transition waits for a yes. */
  readonly asked: Asked | null;
  readonly ask: (asked: Asked | null) => void;
  readonly take: (recordId: string, deed: Deed) => void;
}

interface Asked {
  readonly recordId: string;
  readonly deed: Extract<Deed, { kind: "transition" }>;
}

export function useRecordDeeds(projectId: string, entity: string): RecordDeeds {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [asked, ask] = useState<Asked | null>(null);
  // Also after a refusal: the record then is probably not what is shown.
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.data.rows.pathKey() });
  const restore = useMutation(trpc.data.restore.mutationOptions({ onSettled }));
  const transition = useMutation(trpc.data.transition.mutationOptions({ onSettled }));
  const underWay = restore.isPending
    ? { recordId: restore.variables.recordId, name: "restore" }
    : transition.isPending
      ? { recordId: transition.variables.recordId, name: transition.variables.edge }
      : null;
  return {
    error: restore.error ?? transition.error,
    underWay,
    asked,
    ask,
    take: (recordId, deed) => {
      if (underWay !== null) return;
      restore.reset();
      transition.reset();
      if (deed.kind === "restore") restore.mutate({ projectId, entity, recordId });
      else transition.mutate({ projectId, entity, recordId, edge: deed.edge });
    },
  };
}

interface DeedCellProps {
  recordId: string;
  deeds: readonly Deed[];
  actions: RecordDeeds;
}

export function DeedCell({ recordId, deeds, actions }: DeedCellProps) {
  const { underWay, ask, take } = actions;
  return (
    <td className="px-3.5 py-1.5">
      <span className="flex gap-1.5">
        {deeds.map((deed) => {
          const name = deed.kind === "restore" ? "restore" : deed.edge;
          const lacks = deed.kind === "restore" ? [] : deed.lacks;
          return (
            <Button
              key={`${deed.kind} ${name}`}
              size="small"
              pending={underWay?.recordId === recordId && underWay.name === name}
              disabled={lacks.length > 0}
              title={titleOf(deed)}
              onClick={() => (deed.kind === "restore" ? take(recordId, deed) : ask({ recordId, deed }))}
              icon={deed.kind === "restore" ? <Undo2 aria-hidden /> : <ArrowRight aria-hidden />}
            >
              {deed.kind === "restore" ? "Restore" : <span className="font-mono">{name}</span>}
            </Button>
          );
        })}
      </span>
    </td>
  );
}

/** Stands once beside the table. */
export function DeedDialog({ entity, actions }: { entity: string; actions: RecordDeeds }) {
  const { asked, ask, take } = actions;
  if (asked === null) return null;
  const { recordId, deed } = asked;
  return (
    <ConfirmDialog
      open
      onClose={() => ask(null)}
      title={`Take the transition ${deed.edge}?`}
      description={`The ${entity} ${recordId} becomes ${deed.to}, for everybody, and at once.`}
      action={`Take ${deed.edge}`}
      onConfirm={() => {
        ask(null);
        take(recordId, deed);
      }}
    />
  );
}

function titleOf(deed: Deed): string {
  if (deed.kind === "restore") return "Bring this record back";
  return deed.lacks.length > 0 ? `Needs a value first: ${deed.lacks.join(", ")}` : `Moves the record to ${deed.to}`;
}
