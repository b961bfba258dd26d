// The confirmation before a paused schedule is resumed. In: the schedule. Out: the confirmation, and whether missed ticks are skipped. It
// says how many runs would start at once.
"use client";
import type { ScheduleState } from "@plinth/control/router";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { countText } from "./bulk-dialog.tsx";

interface ResumeDialogProps {
  schedule: ScheduleState | null;
  onClose: () => void;
  onResume: (schedule: ScheduleState, skipMissed: boolean) => void;
}

/** The cell counts missed ticks up to this number. */
const COUNTED_MAX = 1_000;

export function ResumeDialog({ schedule, onClose, onResume }: ResumeDialogProps) {
  const [skipMissed, setSkipMissed] = useState(false);
  if (schedule === null) return null;
  const { name, missed, catchUp } = schedule;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Resume ${name}?`}
      description={
        missed === 0
          ? "It continues with its next tick. No tick was missed."
          : `Its catch_up is ${catchUp}: ${missed >= COUNTED_MAX ? "at least " : ""}${countText(missed)} for missed ticks start at once. Then it continues with its next tick.`
      }
    >
      {missed === 0 ? null : (
        <label className="flex items-center gap-2 text-[0.8125rem]">
          <input type="checkbox" checked={skipMissed} onChange={(event) => setSkipMissed(event.target.checked)} />
          Skip missed ticks
        </label>
      )}
      <DialogActions>
        <Button onClick={onClose}>Keep it paused</Button>
        <Button variant="primary" onClick={() => onResume(schedule, skipMissed)}>
          Resume
        </Button>
      </DialogActions>
    </Dialog>
  );
}
