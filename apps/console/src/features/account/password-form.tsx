// Changes the password. In: the present password and a new one. Out: the new password is valid, and all other sessions end.
"use client";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { CurrentPasswordField, NewPasswordField } from "./account-fields.tsx";
import { changePassword } from "./auth-client.ts";

export function PasswordForm({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [changed, setChanged] = useState("");
  const [pending, setPending] = useState(false);
  const [outcome, setOutcome] = useState<"changed" | { readonly refused: string } | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setPending(true);
    setOutcome(null);
    const refused = await changePassword({ currentPassword: current, newPassword: changed });
    setPending(false);
    setOutcome(refused === null ? "changed" : { refused });
    if (refused !== null) return;
    setCurrent("");
    setChanged("");
  }

  return (
    <Card title="Password" description="A new password signs you out on every other device, and in the command line.">
      <form className="flex max-w-sm flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {outcome === "changed" ? (
          <Notice tone="good" title="Your password was changed">
            You stay signed in here. Every other device and the command line are signed out.
          </Notice>
        ) : null}
        {outcome !== null && outcome !== "changed" ? <Notice tone="bad">{outcome.refused}</Notice> : null}
        {/* Tells password managers to which account the password belongs. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordField label="Current password" name="current-password" value={current} onChange={setCurrent} />
        <NewPasswordField label="New password" name="new-password" value={changed} onChange={setChanged} />
        <div>
          <Button type="submit" pending={pending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
