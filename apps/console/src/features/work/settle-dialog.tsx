// The decision about the lost calls of many runs: done, failed, or to repeat with the same keys. In: the workflow, and how many of its runs
// need attention. Out: the decision, with a reason for the audit log.
"use client";
import type { BulkSettling, RunKind } from "@plinth/control/router";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { countText } from "./bulk-dialog.tsx";

export interface LostCalls {
  readonly workflow: string;
  readonly kind: RunKind;
  readonly count: number;
  /** The time of the count: later runs are not included. */
  readonly until: string;
}

interface SettleDialogProps {
  lost: LostCalls | null;
  onClose: () => void;
  onConfirm: (lost: LostCalls, decision: BulkSettling) => void;
}

const endings: Readonly<Record<BulkSettling["calls"], string>> = {
  again: "Repeat them with the same keys: the service acts once for each key",
  done: "All of them had their effect",
  failed: "None of them had its effect: their steps fail",
};

export function SettleDialog({ lost, onClose, onConfirm }: SettleDialogProps) {
  const [calls, setCalls] = useState<BulkSettling["calls"]>("again");
  const [note, setNote] = useState("");
  if (lost === null) return null;
  const { workflow, count } = lost;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Settle ${countText(count)} of ${workflow}?`}
      description="The answers to their calls were lost. Check at the other service how these calls ended. If they ended differently, decide about each run on its own page."
    >
      <SelectField
        label="The calls"
        value={calls}
        onChange={(event) => setCalls(event.target.value as BulkSettling["calls"])}
      >
        {Object.entries(endings).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField label="Note" maxLength={2000} value={note} onChange={(event) => setNote(event.target.value)} />
      <DialogActions>
        <Button onClick={onClose}>Leave them</Button>
        <Button
          variant="primary"
          onClick={() => onConfirm(lost, { calls, ...(note.trim() === "" ? {} : { note: note.trim() }) })}
        >
          Settle {countText(count)}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
