// Sets up an authenticator app. In: the URI with the secret. Out: a QR code, the secret as text, and a field for a code that proves that it
// works.
"use client";
import { useState } from "react";
import { encode } from "uqr";
import { CopyField } from "../../ui/copy-field.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { sendCode } from "./auth-client.ts";

interface ConfirmAuthenticatorProps {
  totpUri: string;
  onConfirmed: () => void;
  onClose: () => void;
}

export function ConfirmAuthenticator({ totpUri, onConfirmed, onClose }: ConfirmAuthenticatorProps) {
  const [code, setCode] = useState("");
  const [pending, setPending] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const secret = new URL(totpUri).searchParams.get("secret") ?? "";

  async function submit(): Promise<void> {
    setPending(true);
    const problem = await sendCode(code.trim(), "totp");
    setPending(false);
    setRefused(problem);
    if (problem === null) onConfirmed();
  }

  return (
    <FormDialog
      onClose={onClose}
      title="Add Plinth to your authenticator app"
      description="Scan the code, or type the secret. Then enter the six digits that the app shows."
      action="Turn on"
      pending={pending}
      locked
      onSubmit={() => void submit()}
    >
      <div className="flex flex-col items-center gap-3">
        <QrCode text={totpUri} />
        <CopyField value={secret} label="Copy secret" testId="totp-secret" iconOnly />
      </div>
      <TextField
        label="Six-digit code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        maxLength={10}
        className="font-mono tracking-widest"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {refused ? <Notice tone="bad">{refused}</Notice> : null}
    </FormDialog>
  );
}

/** Dark on light in both themes, because cameras need that. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg
      role="img"
      aria-label="QR code with the secret"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-md border"
    >
      <path fill="#ffffff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000000" d={path} />
    </svg>
  );
}
