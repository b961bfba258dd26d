// Leaves or deletes an organization. In: the organization. Out: the caller is no longer a member, or the organization is deleted.
"use client";
import type { OrganizationSummary } from "@plinth/control/router";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

export function LeaveOrganization({ organization: { id, name, may } }: { organization: OrganizationSummary }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [unconfirmed, setUnconfirmed] = useState<"leave" | "delete" | null>(null);
  const onSuccess = async (): Promise<void> => {
    router.push("/organizations");
    await queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() });
  };
  const leave = useMutation(trpc.organizations.leave.mutationOptions({ onSuccess }));
  const remove = useMutation(trpc.organizations.remove.mutationOptions({ onSuccess }));
  const mutation = unconfirmed === "delete" ? remove : leave;

  return (
    <Card
      title={may.own ? "Leave or delete" : "Leave"}
      description={
        may.own
          ? "An organization needs at least one owner. It can be deleted when it has no projects."
          : "You lose access to its projects. An admin can invite you again."
      }
    >
      <div className="flex flex-wrap gap-2">
        <Button variant="danger" onClick={() => setUnconfirmed("leave")}>
          Leave organization
        </Button>
        {may.own ? (
          <Button variant="danger" onClick={() => setUnconfirmed("delete")}>
            Delete organization
          </Button>
        ) : null}
      </div>
      <ConfirmDialog
        open={unconfirmed !== null}
        onClose={() => setUnconfirmed(null)}
        title={unconfirmed === "delete" ? `Delete ${name}?` : `Leave ${name}?`}
        description={
          unconfirmed === "delete"
            ? "Its members and invitations are deleted with it. This can't be undone."
            : "You lose access to its projects at once, and your open invitations are revoked."
        }
        action={unconfirmed === "delete" ? "Delete organization" : "Leave organization"}
        mutation={mutation}
        onConfirm={() => mutation.mutate({ organizationId: id })}
      />
    </Card>
  );
}
