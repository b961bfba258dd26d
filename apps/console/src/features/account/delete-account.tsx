// Deletes the account. In: the password. Out: the person's data is deleted; records of their actions stay without their name.
"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { CurrentPasswordField } from "./account-fields.tsx";

export function DeleteAccount({ email }: { email: string }) {
  const trpc = useTRPC();
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const remove = useMutation(
    trpc.me.remove.mutationOptions({
      // A full page load discards all data of this session.
      onSuccess: () => location.assign("/sign-in"),
    }),
  );

  function close(): void {
    setOpen(false);
    setPassword("");
    remove.reset();
  }

  return (
    <Card
      title="Delete account"
      description="You leave all organizations. Organizations with no other members and no projects are deleted with the account."
    >
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      <FormDialog
        open={open}
        onClose={close}
        title="Delete your account?"
        description={`${email} can't sign in any more. This can't be undone. If you are the last owner of an organization with projects or members, name another owner first.`}
        action="Delete account"
        danger
        pending={remove.isPending || remove.isSuccess}
        error={remove.error}
        failure="The account was not deleted"
        onSubmit={() => remove.mutate({ password })}
      >
        <CurrentPasswordField
          label="Your password"
          value={password}
          onChange={(typed) => {
            setPassword(typed);
            remove.reset();
          }}
        />
      </FormDialog>
    </Card>
  );
}
