// Proposes an earlier version again. In: the project's id. Out: a mutation that takes the id of a version and opens the new change.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTRPC } from "../../trpc.ts";

export function useProposeVersion(projectId: string) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.proposals.createFromVersion.mutationOptions({
      onSuccess: async (created) => {
        await queryClient.invalidateQueries({ queryKey: trpc.proposals.pathKey() });
        router.push(`/projects/${projectId}/changes/${created.id}`);
      },
    }),
  );
}
