// The live model, read from the live blueprint in the browser. In: a project's id. Out: the model; null before the first deployment. The
// package of the language is loaded when it is first needed, not with the first page.
import type { Entity, Model } from "@plinth/blueprint";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "./trpc.ts";

export function useLiveModel(projectId: string): UseQueryResult<Model | null> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  return useQuery({
    queryKey: [...trpc.blueprints.current.queryKey({ projectId }), "model"],
    queryFn: async () => {
      const current = await client.blueprints.current.query({ projectId });
      if (current === null) return null;
      const { checkBlueprint } = await import("@plinth/blueprint");
      // The language may have changed since the deployment. The parts that it still reads are shown; the page of the blueprint lists problems.
      return checkBlueprint(current.text).draft;
    },
  });
}

/** The entity for a first request with a key of this role. Null if such a key can read no records. */
export function useEntityForKey(projectId: string, role: string): UseQueryResult<Entity | null> {
  const trpc = useTRPC();
  const { data: model, dataUpdatedAt } = useLiveModel(projectId);
  return useQuery({
    queryKey: [...trpc.blueprints.current.queryKey({ projectId }), "entity for a key", role, dataUpdatedAt],
    enabled: Boolean(model),
    queryFn: async () => {
      const { entityForKey } = await import("@plinth/blueprint");
      return model ? entityForKey(model, role) : null;
    },
  });
}
