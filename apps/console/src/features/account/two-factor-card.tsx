// The second factor of a sign-in. In: whether there is one. Out: an authenticator app set up, new backup codes, or none of it any more;
// each takes the password.
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

type Act = "begin" | "renew" | "end";

const acts = {
  begin: { title: "Set up two-factor authentication", action: "Continue" },
  renew: { title: "New backup codes", action: "Make new codes" },
  end: { title: "Turn off two-factor authentication?", action: "Turn off" },
} as const;

export function TwoFactorCard({ isOn }: { isOn: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [act, setAct] = useState<Act | null>(null);
  const [begun, setBegun] = useState<NewTwoFactor | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.me.pathKey() });

  async function perform(password: string): Promise<string | null> {
    if (act === "end") {
      const refused = await endTwoFactor(password);
      if (refused === null) await refresh();
      return refused;
    }
    if (act === "renew") {
      const answer = await renewBackupCodes(password);
      if ("refused" in answer) return answer.refused;
      setCodes(answer.backupCodes);
      return null;
    }
    const answer = await beginTwoFactor(password);
    if ("refused" in answer) return answer.refused;
    setBegun(answer);
    return null;
  }

  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Two-factor authentication {isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
        </span>
      }
      description="Signing in then takes a code of an authenticator app beside the password."
    >
      <div className="flex flex-wrap gap-2">
        {isOn ? (
          <>
            <Button onClick={() => setAct("renew")}>New backup codes</Button>
            <Button variant="danger" onClick={() => setAct("end")}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={() => setAct("begin")}>Set up</Button>
        )}
      </div>
      {act ? <PasswordDialog {...acts[act]} onClose={() => setAct(null)} onPassword={perform} /> : null}
      {begun ? (
        <ConfirmAuthenticator
          totpUri={begun.totpURI}
          onClose={() => setBegun(null)}
          onConfirmed={() => {
            setCodes(begun.backupCodes);
            setBegun(null);
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
  /** Null where it went well. */
  onPassword: (password: string) => Promise<string | null>;
  onClose: () => void;
}

function PasswordDialog({ title, action, onPassword, onClose }: PasswordDialogProps) {
  const [password, setPassword] = useState("");
  const [pending, setPending] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  async function submit(): Promise<void> {
    setPending(true);
    const answer = await onPassword(password);
    setPending(false);
    setRefused(answer);
    if (answer === null) onClose();
  }

  return (
    <FormDialog
      onClose={onClose}
      title={title}
      description="Enter your password to go on."
      action={action}
      pending={pending}
      onSubmit={() => void submit()}
    >
      <CurrentPasswordField label="Your password" value={password} onChange={setPassword} />
      {refused ? <Notice tone="bad">{refused}</Notice> : null}
    </FormDialog>
  );
}
