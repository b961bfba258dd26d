// The name and email of the person. In: the present values. Out: changed values; a new email requires the password.
"use client";
import type { Me } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { CurrentPasswordField, EmailField, NameField } from "./account-fields.tsx";

export function ProfileForm({ person }: { person: Me["person"] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email);
  const [password, setPassword] = useState("");
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() });
  const rename = useMutation(trpc.me.rename.mutationOptions());
  const changeEmail = useMutation(trpc.me.changeEmail.mutationOptions());
  const isNewEmail = email.trim().toLowerCase() !== person.email;
  const isNewName = name.trim() !== person.name;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      if (isNewEmail) await changeEmail.mutateAsync({ email: email.trim(), password });
      if (isNewName) await rename.mutateAsync({ name: name.trim() });
      await refresh();
    } catch {
      // The mutation has the error, which is shown below.
    }
  }

  const problem = changeEmail.error ?? rename.error;
  return (
    <Card title="Profile" description="Members of your organizations see it.">
      <form className="flex max-w-sm flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <NameField value={name} onChange={setName} />
        <EmailField
          hint="You sign in with it."
          value={email}
          onChange={(typed) => {
            setEmail(typed);
            changeEmail.reset();
          }}
        />
        {isNewEmail ? (
          <CurrentPasswordField
            label="Password, to change the email"
            value={password}
            onChange={(typed) => {
              setPassword(typed);
              changeEmail.reset();
            }}
          />
        ) : null}
        {problem ? <QueryError error={problem} what="The profile was not changed" /> : null}
        <div>
          <Button
            type="submit"
            pending={rename.isPending || changeEmail.isPending}
            disabled={!(isNewName || isNewEmail)}
          >
            Save profile
          </Button>
        </div>
      </form>
    </Card>
  );
}
