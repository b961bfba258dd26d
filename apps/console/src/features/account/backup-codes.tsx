// Backup codes, for a person who has lost the authenticator app. In: the codes, shown once. Out: buttons to copy and download them.
"use client";
import { Download } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

export function BackupCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join("\n");

  function download(): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`Plinth backup codes\n\n${text}\n`], { type: "text/plain" }));
    link.download = "plinth-backup-codes.txt";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Save these backup codes"
      description="Each works once, instead of a code from the app. Earlier backup codes no longer work."
      locked
    >
      <div className="flex flex-col gap-4">
        <ul
          aria-label="Backup codes"
          className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md border bg-sunken px-4 py-3 font-mono text-[0.8125rem]"
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={text} label="Copy codes" withText />
          <Button size="small" icon={<Download aria-hidden />} onClick={download}>
            Download
          </Button>
        </div>
        <Notice tone="warn">They are shown only now. Without them and without the app, you can't sign in.</Notice>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          I have saved them
        </Button>
      </DialogActions>
    </Dialog>
  );
}
