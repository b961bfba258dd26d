// Deletes a project. In: the project, and its name as a confirmation. Out: its API stops; it can be restored for seven days.
"use client";
import type { Project } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

export function DeleteProject({ project }: { project: Project }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { id: projectId, slug, organizationId } = project;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const remove = useMutation(
    trpc.projects.remove.mutationOptions({
      onSuccess: async () => {
        router.push(`/organizations/${organizationId}`);
        await queryClient.invalidateQueries({ queryKey: trpc.projects.list.queryKey() });
        await queryClient.invalidateQueries({ queryKey: trpc.projects.deleted.queryKey() });
      },
    }),
  );

  function close(): void {
    setOpen(false);
    setTyped("");
    remove.reset();
  }

  function submit(): void {
    if (typed === slug) remove.mutate({ projectId, name: typed });
  }

  return (
    <Card
      title="Delete project"
      description="The APIs of all its environments stop at once. For seven days an admin of the organization can restore it; then all its data is erased."
    >
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete project
      </Button>
      <FormDialog
        open={open}
        onClose={close}
        title={`Delete ${slug}?`}
        description="Keys are refused, users are signed out, and workflows and schedules stop within a second. No other project can use the name while this one can be restored."
        action="Delete project"
        danger
        disabled={typed !== slug}
        pending={remove.isPending || remove.isSuccess}
        error={remove.error}
        failure="The project was not deleted"
        onSubmit={submit}
      >
        <TextField
          label={`Type ${slug} to confirm`}
          className="font-mono"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </FormDialog>
    </Card>
  );
}
