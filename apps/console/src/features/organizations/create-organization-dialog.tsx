// Creates an organization. In: a name. Out: the organization, which the caller owns, and its page.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { QueryError } from "../../ui/query-error.tsx";

export function CreateOrganizationDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const create = useMutation(
    trpc.organizations.create.mutationOptions({
      onSuccess: async ({ id }) => {
        await queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() });
        router.push(`/organizations/${id}`);
      },
    }),
  );

  function close(): void {
    onClose();
    setName("");
    create.reset();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate({ name: name.trim() });
  }

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="New organization"
      description="You own it, and can invite others to it."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label="Name of the organization"
          required
          maxLength={100}
          autoComplete="organization"
          placeholder="Harbour Parcels"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {create.error ? <QueryError error={create.error} what="The organization was not created" /> : null}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="primary" pending={create.isPending || create.isSuccess}>
            Create organization
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
