// What calls to the project's own services are signed with. In: the project's id. Out: a card that shows the secret when an owner asks,
// and gives the project another one. It keeps the secret in this page alone, and shows it no longer than the page stands.
"use client";
import type { SigningSecret } from "@plinth/control/router";
import { useMutation } from "@tanstack/react-query";
import { Eye, EyeOff, RotateCw } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";

export function SigningSecretCard({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [shown, setShown] = useState<SigningSecret | null>(null);
  const [asking, setAsking] = useState(false);
  const reveal = useMutation(trpc.work.revealSigningSecret.mutationOptions({ onSuccess: setShown, gcTime: 0 }));
  const rotate = useMutation(
    trpc.work.rotateSigningSecret.mutationOptions({
      gcTime: 0,
      onSuccess: (secret) => {
        setShown(secret);
        setAsking(false);
      },
    }),
  );
  const hide = (): void => {
    setShown(null);
    reveal.reset();
    rotate.reset();
  };
  return (
    <Card
      title="Signing secret"
      description="Calls of workers with http are signed with it. Your service verifies them, and so knows who calls."
      actions={
        <>
          {shown === null ? (
            <Button
              size="small"
              icon={<Eye aria-hidden />}
              pending={reveal.isPending}
              onClick={() => reveal.mutate({ projectId })}
            >
              Reveal secret
            </Button>
          ) : (
            <Button size="small" icon={<EyeOff aria-hidden />} onClick={hide}>
              Hide secret
            </Button>
          )}
          <Button size="small" icon={<RotateCw aria-hidden />} onClick={() => setAsking(true)}>
            Rotate secret
          </Button>
        </>
      }
    >
      {reveal.error ? <QueryError error={reveal.error} what="The secret could not be read" /> : null}
      {shown === null ? (
        <p className="text-[0.8125rem] text-ink-soft">
          It is not shown until you ask for it; that you did is kept in the log. The service that verifies calls needs
          it whole, with <code className="font-mono text-xs">whsec_</code> at its beginning.
        </p>
      ) : (
        <Shown {...shown} />
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Rotate the signing secret?"
        description="For a day, calls carry two signatures: of a new secret, and of the one that is in use now. Give your services the new one within that day. If you have rotated it within the last day already, the secret from before that ends at once."
        action="Rotate secret"
        mutation={rotate}
        onConfirm={() => rotate.mutate({ projectId })}
      />
    </Card>
  );
}

function Shown({ secret, previous }: SigningSecret) {
  return (
    <div className="flex flex-col gap-4">
      <CopyField value={secret} label="Copy signing secret" testId="signing-secret" />
      {previous === null ? null : (
        <Notice tone="warn" title="The old secret signs as well">
          <p>
            It ends <Time at={previous.until} />. Until then calls carry a signature of each, and one that fits is
            enough: a service that still has the old secret goes on.
          </p>
          <div className="mt-2">
            <CopyField value={previous.secret} label="Copy old signing secret" testId="old-signing-secret" />
          </div>
        </Notice>
      )}
    </div>
  );
}
