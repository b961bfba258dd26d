// What may be done to an account as a whole. In: the user. Out: it is disabled or enabled, or a mail is on its way.
"use client";
import type { EndUserDetail } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

type Asked = "disable" | "enable" | "mail";

export function AccountActions({ projectId, user }: { projectId: string; user: EndUserDetail }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const onSuccess = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: trpc.users.pathKey() });
    setAsked(null);
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
      description: "It holds a link that sets a new password, and works for 30 minutes. Earlier links end.",
      action: "Send mail",
      mutation: mail,
      confirm: () => mail.mutate(named),
    },
  } as const;
  const question = asked === null ? null : questions[asked];
  return (
    <>
      <Button
        disabled={!user.canMail}
        title={user.canMail ? undefined : "The project has no connection for mail. Set one up under Mail."}
        onClick={() => setAsked("mail")}
      >
        Send password mail
      </Button>
      {user.disabledAt === null ? (
        <Button variant="danger" onClick={() => setAsked("disable")}>
          Disable
        </Button>
      ) : (
        <Button onClick={() => setAsked("enable")}>Enable</Button>
      )}
      <ConfirmDialog
        open={question !== null}
        onClose={() => setAsked(null)}
        title={question?.title ?? ""}
        description={question?.description ?? ""}
        action={question?.action ?? ""}
        mutation={question?.mutation}
        onConfirm={() => question?.confirm()}
      />
    </>
  );
}
