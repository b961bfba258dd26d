// The actions for an account: disable, enable, send a mail for a new password. In: the user. Out: buttons, with a confirmation for each.
"use client";
import type { EndUserDetail } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

type Action = "disable" | "enable" | "mail";

export function AccountActions({ projectId, user }: { projectId: string; user: EndUserDetail }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [unconfirmed, setUnconfirmed] = useState<Action | null>(null);
  const onSuccess = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: trpc.users.pathKey() });
    setUnconfirmed(null);
  };
  const setDisabled = useMutation(trpc.users.setDisabled.mutationOptions({ onSuccess }));
  const mail = useMutation(trpc.users.mailReset.mutationOptions({ onSuccess }));
  const named = { projectId, userId: user.id };
  const questions = {
    disable: {
      title: `Disable ${user.email}?`,
      description: "The user is signed out on every device within a second, and can't sign in until you enable them.",
      action: "Disable user",
      mutation: setDisabled,
      confirm: () => setDisabled.mutate({ ...named, disabled: true }),
    },
    enable: {
      title: `Enable ${user.email}?`,
      description: "The user can sign in again. Sessions that have ended stay ended.",
      action: "Enable user",
      mutation: setDisabled,
      confirm: () => setDisabled.mutate({ ...named, disabled: false }),
    },
    mail: {
      title: `Send a mail to ${user.email}?`,
      description: "The mail has a link to set a new password, which works for 30 minutes. Earlier links stop working.",
      action: "Send mail",
      mutation: mail,
      confirm: () => mail.mutate(named),
    },
  } as const;
  const question = unconfirmed === null ? null : questions[unconfirmed];
  return (
    <>
      <Button
        disabled={!user.canMail}
        title={user.canMail ? undefined : "The project has no connection for mail. Set one up under Mail."}
        onClick={() => setUnconfirmed("mail")}
      >
        Send password mail
      </Button>
      {user.disabledAt === null ? (
        <Button variant="danger" onClick={() => setUnconfirmed("disable")}>
          Disable
        </Button>
      ) : (
        <Button onClick={() => setUnconfirmed("enable")}>Enable</Button>
      )}
      <ConfirmDialog
        open={question !== null}
        onClose={() => setUnconfirmed(null)}
        title={question?.title ?? ""}
        description={question?.description ?? ""}
        action={question?.action ?? ""}
        mutation={question?.mutation}
        onConfirm={() => question?.confirm()}
      />
    </>
  );
}
