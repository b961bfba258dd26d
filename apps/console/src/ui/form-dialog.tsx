// A dialog with a form, and afterwards its result. In: the fields, the submit button, the state of the request. Out: one `onSubmit` for
// each submit. With `result` it shows the result instead of the form. Then only its own buttons close it, so that an accidental click
// can't lose a secret that is shown once. Both are one dialog, so the focus returns to the button that opened it.
"use client";
import type { FormEvent, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { QueryError } from "./query-error.tsx";

export interface FormResult {
  readonly title: string;
  readonly description: ReactNode;
  readonly content: ReactNode;
  /** Instead of the button "Done". */
  readonly actions?: ReactNode;
  /** False if nothing is lost when the dialog closes. */
  readonly locked?: boolean;
}

interface FormDialogProps {
  open?: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  children: ReactNode;
  /** The text of the submit button. */
  action: string;
  danger?: boolean;
  disabled?: boolean;
  pending: boolean;
  error?: unknown;
  /** The title above the error, such as "The key was not created". */
  failure?: string;
  /** True if the caller checks the fields and shows the problems itself. */
  noValidate?: boolean;
  locked?: boolean;
  onSubmit: () => void;
  result?: FormResult | null;
}

export function FormDialog({ open = true, onClose, result = null, ...form }: FormDialogProps) {
  const { title, description, locked = false } = result === null ? form : { locked: true, ...result };

  function submit(event: FormEvent): void {
    event.preventDefault();
    form.onSubmit();
  }

  return (
    <Dialog open={open} onOpenChange={onClose} title={title} description={description} locked={locked}>
      {result === null ? (
        <form className="flex flex-col gap-4" onSubmit={submit} noValidate={form.noValidate}>
          {form.children}
          {form.error ? <QueryError error={form.error} what={form.failure ?? ""} /> : null}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              type="submit"
              variant={form.danger ? "danger" : "primary"}
              pending={form.pending}
              disabled={form.disabled}
            >
              {form.action}
            </Button>
          </DialogActions>
        </form>
      ) : (
        <>
          {result.content}
          <DialogActions>
            {result.actions ?? (
              <Button variant="primary" onClick={onClose}>
                Done
              </Button>
            )}
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
