// The second step of a sign-in. In: a code from the authenticator app, or a backup code. Out: a session.
"use client";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CenteredIntro } from "../../ui/centered-page.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { sendCode } from "./auth-client.ts";

export function CodeForm({ onSignedIn, onBack }: { onSignedIn: () => void; onBack: () => void }) {
  const [kind, setKind] = useState<"totp" | "backup-code">("totp");
  const [code, setCode] = useState("");
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setPending(true);
    const refused = await sendCode(code.trim(), kind);
    if (refused === null) return onSignedIn();
    setPending(false);
    setProblem(refused);
    setCode("");
  }

  return (
    <>
      <CenteredIntro title="Enter a code">
        {kind === "totp"
          ? "Your authenticator app shows it under Plinth."
          : "Use one of your saved backup codes. Each works once."}
      </CenteredIntro>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {problem ? <Notice tone="bad">{problem}</Notice> : null}
        <TextField
          key={kind}
          label={kind === "totp" ? "Six-digit code" : "Backup code"}
          name="code"
          inputMode={kind === "totp" ? "numeric" : "text"}
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck={false}
          autoFocus
          required
          maxLength={30}
          className="font-mono tracking-widest"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        <Button type="submit" variant="primary" size="large" pending={pending}>
          Sign in
        </Button>
      </form>
      <div className="mt-6 flex flex-wrap gap-x-4 gap-y-2 text-ink-soft">
        <button
          type="button"
          className="underline decoration-line-strong underline-offset-4 hover:text-ink"
          onClick={() => {
            setKind(kind === "totp" ? "backup-code" : "totp");
            setCode("");
            setProblem(null);
          }}
        >
          {kind === "totp" ? "Use a backup code" : "Use the authenticator app"}
        </button>
        <button
          type="button"
          className="underline decoration-line-strong underline-offset-4 hover:text-ink"
          onClick={onBack}
        >
          Back to the password
        </button>
      </div>
    </>
  );
}
