// Asks before what can't be undone. In: what will happen and the word of the button. Out: one call of `onConfirm`.
"use client";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { Notice } from "./notice.tsx";

interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  action: string;
  /** The word of the button that does nothing. */
  keep?: string;
  pending: boolean;
  error: string | null;
  onConfirm: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return (
    <Dialog open={props.open} onOpenChange={props.onOpenChange} title={props.title} description={props.description}>
      {props.error ? <Notice tone="bad">{props.error}</Notice> : null}
      <DialogActions>
        <Button onClick={() => props.onOpenChange(false)}>{props.keep ?? "Cancel"}</Button>
        <Button variant="danger" pending={props.pending} onClick={props.onConfirm}>
          {props.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
