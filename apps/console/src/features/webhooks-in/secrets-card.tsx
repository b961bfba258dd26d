// The secrets with which requests to a source are verified. In: a source. Out: the secrets with their times, a form to add one, and a button
// to remove one. A secret is sent to the server once and never shown again.
"use client";
import type { InboundSource } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";
import { guideOf } from "./provider-guides.ts";

interface SecretsCardProps {
  projectId: string;
  source: InboundSource;
  mayAct: boolean;
}

export function SecretsCard({ projectId, source, mayAct }: SecretsCardProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: trpc.inbound.pathKey() });
  const remove = useMutation(
    trpc.inbound.removeSecret.mutationOptions({ onSettled, onSuccess: () => setRemoving(null) }),
  );
  const isLast = source.secrets.length === 1;
  return (
    <Card
      title="Secrets"
      description={`A request is accepted if its signature matches one of them. For this source, use ${guideOf(source).secret}.`}
      actions={
        mayAct && !isAdding ? (
          <Button size="small" variant={source.enabled ? "secondary" : "primary"} onClick={() => setAdding(true)}>
            {source.enabled ? "Rotate secret" : "Add secret"}
          </Button>
        ) : null
      }
    >
      {source.secrets.length === 0 ? (
        <p className="text-[0.8125rem] text-ink-soft">
          None: every request is refused.{mayAct ? "" : " An admin or owner of the project can add one."}
        </p>
      ) : (
        <ul className="flex flex-col gap-2 text-[0.8125rem]" aria-label="Secrets">
          {source.secrets.map(({ id, createdAt, expiresAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 flex-1">
                Added <Time at={createdAt} />
                {expiresAt === null ? null : (
                  <span className="text-warn">
                    , ends <Time at={expiresAt} />
                  </span>
                )}
              </span>
              {mayAct ? (
                <Button size="small" variant="danger" onClick={() => setRemoving(id)}>
                  Remove
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {isAdding ? <SecretForm projectId={projectId} source={source} onDone={() => setAdding(false)} /> : null}
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title="Remove this secret?"
        description={
          isLast
            ? "It is the only secret. From now on, every request to this source is refused."
            : "From now on, requests that are signed with it are refused."
        }
        action="Remove secret"
        mutation={remove}
        onConfirm={() => (removing === null ? undefined : remove.mutate({ projectId, secretId: removing }))}
      />
    </Card>
  );
}

const overlaps = [
  ["24", "for one day"],
  ["1", "for one hour"],
  ["168", "for seven days"],
  ["0", "no longer: they end now"],
  ["", "until they are removed"],
] as const;

function SecretForm({ projectId, source, onDone }: Omit<SecretsCardProps, "mayAct"> & { onDone: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [overlap, setOverlap] = useState("24");
  const add = useMutation(
    trpc.inbound.addSecret.mutationOptions({
      gcTime: 0,
      onSuccess: async () => {
        onDone();
        await queryClient.invalidateQueries({ queryKey: trpc.inbound.pathKey() });
      },
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const secret = String(new FormData(event.currentTarget).get("secret") ?? "").trim();
    const ends = source.enabled && overlap !== "" ? { overlapHours: Number(overlap) } : {};
    add.mutate({ projectId, source: source.name, secret, ...ends });
  };
  return (
    <form onSubmit={submit} className="mt-4 flex flex-col gap-4 border-t pt-4" autoComplete="off">
      {add.error ? <QueryError error={add.error} what="The secret was not added" /> : null}
      <TextField
        name="secret"
        type="password"
        label={source.enabled ? "New secret" : "Secret"}
        hint={`Paste ${guideOf(source).secret}. It is stored encrypted and never shown again.`}
        required
        minLength={8}
        maxLength={4096}
        autoComplete="off"
      />
      {source.enabled ? (
        <SelectField
          label="Present secrets stay valid"
          hint="Until the provider signs with the new secret."
          value={overlap}
          onChange={(event) => setOverlap(event.target.value)}
        >
          {overlaps.map(([hours, word]) => (
            <option key={hours} value={hours}>
              {word}
            </option>
          ))}
        </SelectField>
      ) : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" pending={add.isPending}>
          Save secret
        </Button>
      </div>
    </form>
  );
}
