// Who the person is to others. In: name and address. Out: both changed; a new address takes the password.
"use client";
import type { Me } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";

export function ProfileForm({ person }: { person: Me["person"] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email);
  const [password, setPassword] = useState("");
  const onSuccess = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() });
  const rename = useMutation(trpc.me.rename.mutationOptions());
  const changeEmail = useMutation(trpc.me.changeEmail.mutationOptions());
  const isNewEmail = email.trim().toLowerCase() !== person.email;
  const isNewName = name.trim() !== person.name;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      if (isNewEmail) await changeEmail.mutateAsync({ email: email.trim(), password });
      if (isNewName) await rename.mutateAsync({ name: name.trim() });
      await onSuccess();
    } catch {
      // Shown below.
    }
  }

  const problem = changeEmail.error ?? rename.error;
  return (
    <Card title="Profile" description="Members of your organizations see it.">
      <form className="flex max-w-sm flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Email"
          type="email"
          name="email"
          autoComplete="email"
          required
          maxLength={254}
          hint="You sign in with it."
          value={email}
          onChange={(event) => {
            setEmail(event.target.value);
            changeEmail.reset();
          }}
        />
        {isNewEmail ? (
          <TextField
            label="Password, to change the email"
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => {
              setPassword(event.target.value);
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
