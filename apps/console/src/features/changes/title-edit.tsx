// The title of a change, and a button to edit it. In: the proposal. Out: the title, or a field: Enter saves the text, Esc discards it.
"use client";
import type { Proposal } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { TextField } from "../../ui/field.tsx";

export function TitleEdit({ proposal, mayChange }: { proposal: Proposal; mayChange: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState<string | null>(null);
  const rename = useMutation(
    trpc.proposals.rename.mutationOptions({
      onSuccess: (renamed) => {
        queryClient.setQueryData(trpc.proposals.get.queryKey({ proposalId: renamed.id }), renamed);
        setTyped(null);
        return queryClient.invalidateQueries({ queryKey: trpc.proposals.pathKey() });
      },
    }),
  );

  function submit(event: FormEvent): void {
    event.preventDefault();
    const title = typed?.trim() ?? "";
    if (title === "" || title === proposal.title) setTyped(null);
    else rename.mutate({ proposalId: proposal.id, title });
  }

  if (typed === null) {
    return (
      <>
        <span className="min-w-0 break-words">{proposal.title}</span>
        {mayChange ? (
          <Button
            variant="ghost"
            size="icon-small"
            aria-label="Edit the title"
            icon={<Pencil />}
            onClick={() => setTyped(proposal.title)}
          />
        ) : null}
      </>
    );
  }
  return (
    <form className="flex min-w-0 flex-1 basis-80 flex-wrap items-start gap-2 font-normal" onSubmit={submit}>
      <div className="min-w-48 flex-1">
        <TextField
          label="Title of the change"
          hideLabel
          autoFocus
          maxLength={120}
          value={typed}
          error={rename.error ? errorText(rename.error) : null}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && setTyped(null)}
        />
      </div>
      <Button type="submit" className="h-9" pending={rename.isPending}>
        Save
      </Button>
      <Button variant="ghost" className="h-9" onClick={() => setTyped(null)}>
        Cancel
      </Button>
    </form>
  );
}
