// The account of the person who is signed in. In: the session. Out: who it is, a form for a new password, and the way out
// on all devices.
"use client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { changePassword, signOutEverywhere } from "./auth-client.ts";

/** `tokens`: a card about access tokens, of another feature. */
export function AccountSettings({ tokens }: { tokens: ReactNode }) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  return (
    <>
      <PageHeader title="Account" description={me.data ? `${me.data.person.name}, ${me.data.person.email}` : null} />
      <div className="flex flex-col gap-6">
        <PasswordForm email={me.data?.person.email ?? ""} />
        {tokens}
        <Sessions />
      </div>
    </>
  );
}

function PasswordForm({ email }: { email: string }) {
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
          <Notice tone="good" title="Your password is changed">
            You stay signed in here. Every other device and the command line are signed out.
          </Notice>
        ) : null}
        {outcome !== null && outcome !== "changed" ? <Notice tone="bad">{outcome.refused}</Notice> : null}
        {/* For password managers: whose password this is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label="Current password"
          type="password"
          name="current-password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          type="password"
          name="new-password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          hint="At least 8 characters."
          value={changed}
          onChange={(event) => setChanged(event.target.value)}
        />
        <div>
          <Button type="submit" pending={pending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Sessions() {
  const [asking, setAsking] = useState(false);
  const [pending, setPending] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  async function leave(): Promise<void> {
    setPending(true);
    const answer = await signOutEverywhere();
    setPending(false);
    setRefused(answer);
    // A whole new page: whatever was read under this session must not greet the next person.
    if (answer === null) location.assign("/sign-in");
  }

  return (
    <Card title="Sessions" description="If you have lost a device, or left yourself signed in somewhere.">
      <Button variant="danger" onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          setAsking(open);
          setRefused(null);
        }}
        title="Sign out everywhere?"
        description="All your sessions end at once, this one and those of plinth login included. Access tokens that you made for scripts stay."
        action="Sign out everywhere"
        pending={pending}
        error={refused}
        onConfirm={() => void leave()}
      />
    </Card>
  );
}
