// The action buttons of a record. In: a record and its actions. Out: a cell with buttons. The project's API carries out the action on behalf
// of the person, and the rows are refetched. A transition has to be confirmed, because there may be no way back.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ArrowRight, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import type { RecordAction } from "./record-actions.ts";

interface RecordActionState {
  readonly error: unknown;
  /** The action that is being sent, and its record; null if none is. */
  readonly running: { readonly recordId: string; readonly name: string } | null;
  /** The transition that waits for its confirmation. */
  readonly unconfirmed: Unconfirmed | null;
  /** Asks for a confirmation; null closes the question. */
  readonly ask: (transition: Unconfirmed | null) => void;
  readonly start: (recordId: string, action: RecordAction) => void;
}

interface Unconfirmed {
  readonly recordId: string;
  readonly action: Extract<RecordAction, { kind: "transition" }>;
}

export function useRecordActions(projectId: string, entity: string): RecordActionState {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [unconfirmed, ask] = useState<Unconfirmed | null>(null);
  // Also after an error: then the record has probably changed since it was loaded.
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.data.rows.pathKey() });
  const restore = useMutation(trpc.data.restore.mutationOptions({ onSettled }));
  const transition = useMutation(trpc.data.transition.mutationOptions({ onSettled }));
  const running = restore.isPending
    ? { recordId: restore.variables.recordId, name: "restore" }
    : transition.isPending
      ? { recordId: transition.variables.recordId, name: transition.variables.edge }
      : null;
  return {
    error: restore.error ?? transition.error,
    running,
    unconfirmed,
    ask,
    start: (recordId, action) => {
      if (running !== null) return;
      restore.reset();
      transition.reset();
      if (action.kind === "restore") restore.mutate({ projectId, entity, recordId });
      else transition.mutate({ projectId, entity, recordId, edge: action.edge });
    },
  };
}

interface RecordActionCellProps {
  recordId: string;
  actions: readonly RecordAction[];
  state: RecordActionState;
}

export function RecordActionCell({ recordId, actions, state }: RecordActionCellProps) {
  const { running, ask, start } = state;
  return (
    <td className="px-3.5 py-1.5">
      <span className="flex gap-1.5">
        {actions.map((action) => {
          const name = action.kind === "restore" ? "restore" : action.edge;
          const missing = action.kind === "restore" ? [] : action.missing;
          return (
            <Button
              key={`${action.kind} ${name}`}
              size="small"
              pending={running?.recordId === recordId && running.name === name}
              disabled={missing.length > 0}
              title={titleOf(action)}
              onClick={() => (action.kind === "restore" ? start(recordId, action) : ask({ recordId, action }))}
              icon={action.kind === "restore" ? <Undo2 aria-hidden /> : <ArrowRight aria-hidden />}
            >
              {action.kind === "restore" ? "Restore" : <span className="font-mono">{name}</span>}
            </Button>
          );
        })}
      </span>
    </td>
  );
}

/** The confirmation of a transition: one for the whole table. */
export function TransitionDialog({ entity, state }: { entity: string; state: RecordActionState }) {
  const { unconfirmed, ask, start } = state;
  if (unconfirmed === null) return null;
  const { recordId, action } = unconfirmed;
  return (
    <ConfirmDialog
      open
      onClose={() => ask(null)}
      title={`Take the transition ${action.edge}?`}
      description={`The ${entity} ${recordId} changes to ${action.to}, for everybody and at once.`}
      action={`Take ${action.edge}`}
      onConfirm={() => {
        ask(null);
        start(recordId, action);
      }}
    />
  );
}

function titleOf(action: RecordAction): string {
  if (action.kind === "restore") return "Restore this record";
  return action.missing.length > 0
    ? `Needs a value first: ${action.missing.join(", ")}`
    : `Moves the record to ${action.to}`;
}
