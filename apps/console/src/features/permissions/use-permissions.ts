// The permissions of the live version. In: a project's id. Out: the matrix and the data for explanations; null before the first deployment.
// The package of the language is loaded when it is first needed, not with the first page.
import type { CheckedBlueprint, MatrixRow, Model } from "@plinth/blueprint";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "../../trpc.ts";

export interface LivePermissions {
  readonly model: Model;
  readonly places: CheckedBlueprint["places"];
  readonly lines: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly MatrixRow[];
}

export function usePermissions(projectId: string): UseQueryResult<LivePermissions | null> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  return useQuery({
    queryKey: [...trpc.blueprints.current.queryKey({ projectId }), "permissions"],
    // `places` is keyed by the nodes of the tree, so the nodes must not be copied.
    structuralSharing: false,
    queryFn: async () => {
      const current = await client.blueprints.current.query({ projectId });
      if (current === null) return null;
      const { checkBlueprint, columnsOf, matrixOf } = await import("@plinth/blueprint");
      const { draft: model, places } = checkBlueprint(current.text);
      if (model === null) throw new Error("The live blueprint can't be read.");
      return { model, places, lines: current.text.split(/\r?\n/), columns: columnsOf(model), rows: matrixOf(model) };
    },
  });
}
