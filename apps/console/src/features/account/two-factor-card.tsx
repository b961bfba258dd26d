// The second factor of a sign-in. In: whether it is on. Out: buttons to set up an authenticator app, get new backup codes, and turn it off.
// Each requires the password.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { CurrentPasswordField } from "./account-fields.tsx";
import { beginTwoFactor, endTwoFactor, type NewTwoFactor, renewBackupCodes } from "./auth-client.ts";
import { BackupCodes } from "./backup-codes.tsx";
import { ConfirmAuthenticator } from "./confirm-authenticator.tsx";

type Action = "begin" | "renew" | "end";

const dialogs = {
  begin: { title: "Set up two-factor authentication", action: "Continue" },
  renew: { title: "New backup codes", action: "Create new codes" },
  end: { title: "Turn off two-factor authentication?", action: "Turn off" },
} as const;

export function TwoFactorCard({ isOn }: { isOn: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [action, setAction] = useState<Action | null>(null);
  const [setup, setSetup] = useState<NewTwoFactor | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.me.pathKey() });

  async function perform(password: string): Promise<string | null> {
    if (action === "end") {
      const refused = await endTwoFactor(password);
      if (refused === null) await refresh();
      return refused;
    }
    if (action === "renew") {
      const answer = await renewBackupCodes(password);
      if ("refused" in answer) return answer.refused;
      setCodes(answer.backupCodes);
      return null;
    }
    const answer = await beginTwoFactor(password);
    if ("refused" in answer) return answer.refused;
    setSetup(answer);
    return null;
  }

  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Two-factor authentication {isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
        </span>
      }
      description="Signing in then requires a code from an authenticator app, in addition to the password."
    >
      <div className="flex flex-wrap gap-2">
        {isOn ? (
          <>
            <Button onClick={() => setAction("renew")}>New backup codes</Button>
            <Button variant="danger" onClick={() => setAction("end")}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={() => setAction("begin")}>Set up</Button>
        )}
      </div>
      {action ? <PasswordDialog {...dialogs[action]} onClose={() => setAction(null)} onPassword={perform} /> : null}
      {setup ? (
        <ConfirmAuthenticator
          totpUri={setup.totpURI}
          onClose={() => setSetup(null)}
          onConfirmed={() => {
            setCodes(setup.backupCodes);
            setSetup(null);
            void refresh();
          }}
        />
      ) : null}
      {codes ? <BackupCodes codes={codes} onClose={() => setCodes(null)} /> : null}
    </Card>
  );
}

interface PasswordDialogProps {
  title: string;
  action: string;
  /** Resolves to the problem, or null on success. */
  onPassword: (password: string) => Promise<string | null>;
  onClose: () => void;
}

function PasswordDialog({ title, action, onPassword, onClose }: PasswordDialogProps) {
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  async function submit(): Promise<void> {
    setPending(true);
    const problem = await onPassword(password);
    setPending(false);
    setRefused(problem);
    if (problem === null) onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      title={title}
      description="Enter your password to continue."
      action={action}
      pending={pending}
      onSubmit={() => void submit()}
    >
      <CurrentPasswordField label="Your password" value={password} onChange={setPassword} />
      {refused ? <Notice tone="bad">{refused}</Notice> : null}
    </FormDialog>
  );
}
