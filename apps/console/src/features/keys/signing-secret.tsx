// The secret that signs calls to the project's own services. In: the project's id. Out: a card with buttons to reveal and to rotate the
// secret. The secret is only stored in this page while it is open.
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
  const [isConfirming, setIsConfirming] = useState(false);
  const reveal = useMutation(trpc.work.revealSigningSecret.mutationOptions({ onSuccess: setShown, gcTime: 0 }));
  const rotate = useMutation(
    trpc.work.rotateSigningSecret.mutationOptions({
      gcTime: 0,
      onSuccess: (secret) => {
        setShown(secret);
        setIsConfirming(false);
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
      description="It signs the calls of workers with http. Your service verifies the signature, and so knows that Plinth is the caller."
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
          <Button size="small" icon={<RotateCw aria-hidden />} onClick={() => setIsConfirming(true)}>
            Rotate secret
          </Button>
        </>
      }
    >
      {reveal.error ? <QueryError error={reveal.error} what="The secret could not be read" /> : null}
      {shown === null ? (
        <p className="text-[0.8125rem] text-ink-soft">
          Revealing it is recorded in the audit log. The service that verifies calls needs the complete secret,
          including <code className="font-mono text-xs">whsec_</code> at its beginning.
        </p>
      ) : (
        <Shown {...shown} />
      )}
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="Rotate the signing secret?"
        description="For one day, calls have two signatures: one with the new secret, one with the present secret. Give your services the new secret within that day. If you have already rotated it within the last day, the secret from before that rotation stops working at once."
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
        <Notice tone="warn" title="The old secret is still used">
          <p>
            It ends <Time at={previous.until} />. Until then, calls have a signature with each secret, and one valid
            signature is enough: a service with the old secret still works.
          </p>
          <div className="mt-2">
            <CopyField value={previous.secret} label="Copy old signing secret" testId="old-signing-secret" />
          </div>
        </Notice>
      )}
    </div>
  );
}
