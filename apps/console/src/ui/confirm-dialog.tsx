// Asks before an action that can't be undone. In: what will happen, the text of the button, and the request that the action sends. Out: one
// call of `onConfirm`. It shows the error of the request, and forgets it when it closes.
"use client";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { errorText } from "./error-text.ts";
import { Notice } from "./notice.tsx";

/** The request of the action: usually a mutation of React Query. */
interface ConfirmedRequest {
  readonly isPending: boolean;
  /** A sentence, or what the request threw; null if it has not failed. */
  readonly error: unknown;
  readonly reset: () => void;
}

interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  action: string;
  /** The text of the button that does nothing. */
  keep?: string;
  /** Not set if the dialog closes before the request is sent. */
  mutation?: ConfirmedRequest | undefined;
  onConfirm: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { mutation } = props;

  function close(): void {
    mutation?.reset();
    props.onClose();
  }

  const error = mutation?.error ?? null;
  return (
    <Dialog open={props.open} onOpenChange={close} title={props.title} description={props.description}>
      {error === null ? null : <Notice tone="bad">{typeof error === "string" ? error : errorText(error)}</Notice>}
      <DialogActions>
        <Button onClick={close}>{props.keep ?? "Cancel"}</Button>
        <Button variant="danger" pending={mutation?.isPending ?? false} onClick={props.onConfirm}>
          {props.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
