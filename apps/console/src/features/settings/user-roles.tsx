// Names the roles of a user of the project's own app; so the first admin comes to be. In: an email and roles of the
// live model. Out: the user's roles as they now are. It replaces what the user had, and says so.
"use client";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLiveModel } from "../../live-model.ts";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { errorCode } from "../../ui/error-text.ts";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { QueryError } from "../../ui/query-error.tsx";

export function UserRoles({ projectId, live }: { projectId: string; live: boolean }) {
  const trpc = useTRPC();
  const model = useLiveModel(projectId);
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const grant = useMutation(trpc.projects.grantUser.mutationOptions());
  const declared = model.data?.roles.filter(({ builtin }) => !builtin).map(({ name }) => name) ?? [];

  function submit(event: FormEvent): void {
    event.preventDefault();
    // Every user keeps `user`: it is what being signed in means.
    grant.mutate({ projectId, email: email.trim(), roles: ["user", ...chosen] });
  }

  return (
    <Card
      title="Roles of your app's users"
      description="Give someone who has signed up in your app more rights there, such as the first admin."
    >
      {live ? (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <div className="max-w-sm">
            <TextField
              label="Email of the user"
              type="email"
              required
              value={email}
              onChange={(event) => {
                setEmail(event.target.value);
                grant.reset();
              }}
            />
          </div>
          <fieldset>
            <legend className="mb-1.5 text-[0.8125rem] font-medium">Roles</legend>
            <div className="flex flex-wrap gap-x-5 gap-y-2">
              <RoleBox name="user" checked disabled onToggle={() => undefined} />
              {["admin", ...declared].map((name) => (
                <RoleBox
                  key={name}
                  name={name}
                  checked={chosen.includes(name)}
                  onToggle={() =>
                    setChosen(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
                  }
                />
              ))}
            </div>
          </fieldset>
          {grant.data ? (
            <Notice tone="good">
              {grant.data.email} now holds {grant.data.roles.join(", ")}.
            </Notice>
          ) : null}
          {grant.error ? (
            errorCode(grant.error) === "NOT_FOUND" ? (
              <Notice tone="bad" title="No such user">
                Nobody has signed up in this app with that email. They sign up first, then you give them a role.
              </Notice>
            ) : (
              <QueryError error={grant.error} what="The roles were not changed" />
            )
          ) : null}
          <div>
            <Button type="submit" pending={grant.isPending}>
              Set roles
            </Button>
          </div>
        </form>
      ) : (
        <p className="text-ink-soft">The app has no users before its first deployment.</p>
      )}
    </Card>
  );
}

interface RoleBoxProps {
  name: string;
  checked: boolean;
  disabled?: boolean;
  onToggle: () => void;
}

function RoleBox({ name, checked, disabled = false, onToggle }: RoleBoxProps) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={onToggle}
        className="size-4 rounded accent-accent"
      />
      <span className="font-mono text-[0.8125rem]">{name}</span>
    </label>
  );
}
