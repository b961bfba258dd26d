// The ways out of an organization. In: the organization. Out: the caller is no longer a member, or the organization is gone.
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
  const [asking, setAsking] = useState<"leave" | "delete" | null>(null);
  const onSuccess = async (): Promise<void> => {
    router.push("/organizations");
    await queryClient.invalidateQueries({ queryKey: trpc.me.get.queryKey() });
  };
  const leave = useMutation(trpc.organizations.leave.mutationOptions({ onSuccess }));
  const remove = useMutation(trpc.organizations.remove.mutationOptions({ onSuccess }));
  const act = asking === "delete" ? remove : leave;

  return (
    <Card
      title={may.own ? "Leave or delete" : "Leave"}
      description={
        may.own
          ? "An organization keeps at least one owner, and can be deleted once it has no projects."
          : "You lose access to its projects. An admin can invite you again."
      }
    >
      <div className="flex flex-wrap gap-2">
        <Button variant="danger" onClick={() => setAsking("leave")}>
          Leave organization
        </Button>
        {may.own ? (
          <Button variant="danger" onClick={() => setAsking("delete")}>
            Delete organization
          </Button>
        ) : null}
      </div>
      <ConfirmDialog
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={asking === "delete" ? `Delete ${name}?` : `Leave ${name}?`}
        description={
          asking === "delete"
            ? "Its members and invitations are deleted with it. This can't be undone."
            : "You lose access to its projects at once, and the open invitations that you made end."
        }
        action={asking === "delete" ? "Delete organization" : "Leave organization"}
        mutation={act}
        onConfirm={() => act.mutate({ organizationId: id })}
      />
    </Card>
  );
}
