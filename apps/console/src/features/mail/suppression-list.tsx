// Addresses to which a project sends no mail. In: the project's id. Out: the list, a form to add an address, and a button to remove one.
"use client";
import type { MailSuppression } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useTRPC } from "../../trpc.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";

const reasons: Readonly<Record<MailSuppression["reason"], { readonly word: string; readonly tone: Tone }>> = {
  bounced: { word: "bounced", tone: "bad" },
  complained: { word: "complained", tone: "bad" },
  manual: { word: "by hand", tone: "neutral" },
};

export function SuppressionList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const suppressions = useQuery(trpc.mail.suppressions.queryOptions({ projectId }));
  const onSuccess = (): Promise<void> =>
    queryClient.invalidateQueries({ queryKey: trpc.mail.suppressions.queryKey({ projectId }) });
  const add = useMutation(trpc.mail.suppress.mutationOptions({ onSuccess }));
  const remove = useMutation(trpc.mail.unsuppress.mutationOptions({ onSuccess }));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const address = String(new FormData(form).get("address") ?? "");
    add.mutate({ projectId, address }, { onSuccess: () => form.reset() });
  };
  if (suppressions.error) return <QueryError error={suppressions.error} what="The addresses could not be loaded" />;
  if (suppressions.isPending) return <SkeletonRows rows={3} className="h-12" />;
  if (suppressions.data === null) return <p className="text-ink-soft">The live version sends no mail.</p>;
  return (
    <Card
      title="Suppressed addresses"
      description="The project sends no mail to them. Reports of a mail provider add addresses that bounce or complain."
      flush
    >
      <ul className="divide-y">
        {suppressions.data.map(({ address, reason, createdAt }) => (
          <li key={address} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <span className="min-w-0 flex-1 truncate">{address}</span>
            <Badge tone={reasons[reason].tone}>{reasons[reason].word}</Badge>
            <Time at={createdAt} className="text-ink-faint" />
            <Button
              size="small"
              pending={remove.isPending && remove.variables.address === address}
              onClick={() => remove.mutate({ projectId, address })}
            >
              Send mail again
            </Button>
          </li>
        ))}
        {suppressions.data.length === 0 ? (
          <li className="px-4 py-3 text-ink-soft">None: every address gets mail.</li>
        ) : null}
      </ul>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2 border-t bg-sunken px-4 py-3">
        <div className="min-w-56 flex-1">
          <TextField name="address" label="Address" type="email" required autoComplete="off" />
        </div>
        <Button type="submit" pending={add.isPending}>
          Suppress
        </Button>
      </form>
      {add.error || remove.error ? (
        <div className="p-4">
          <QueryError error={add.error ?? remove.error} what="The list was not changed" />
        </div>
      ) : null}
    </Card>
  );
}
