// The question before a paused schedule goes on. In: the schedule. Out: the answer, and whether what was missed is left out. It names
// how many runs would start at once.
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

export function ResumeDialog({ schedule, onClose, onResume }: ResumeDialogProps) {
  const [skipMissed, setSkipMissed] = useState(false);
  if (schedule === null) return null;
  const { name, missed, catchUp } = schedule;
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={`Resume ${name}?`}
      description={
        missed === 0
          ? "It goes on with its next tick; nothing is caught up."
          : `Its catch_up is ${catchUp}: ${countText(missed)} of ticks that were missed start at once, and then it goes on.`
      }
    >
      {missed === 0 ? null : (
        <label className="flex items-center gap-2 text-[0.8125rem]">
          <input type="checkbox" checked={skipMissed} onChange={(event) => setSkipMissed(event.target.checked)} />
          Leave out what was missed
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
