// Creates an organization. In: a name. Out: the organization, which the caller owns, and its page.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

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

  function submit(): void {
    create.mutate({ name: name.trim() });
  }

  return (
    <FormDialog
      open={open}
      onClose={close}
      title="New organization"
      description="You become its owner, and can invite others."
      action="Create organization"
      pending={create.isPending || create.isSuccess}
      error={create.error}
      failure="The organization was not created"
      onSubmit={submit}
    >
      <TextField
        label="Name of the organization"
        required
        maxLength={100}
        autoComplete="organization"
        placeholder="Harbour Parcels"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
