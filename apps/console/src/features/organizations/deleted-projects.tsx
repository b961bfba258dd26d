// Recently deleted projects. In: an organization that the caller manages. Out: each with the end of its restore period and a button to
// restore it; nothing if there are none.
"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Time } from "../../ui/time.tsx";

export function DeletedProjects({ organizationId }: { organizationId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const deleted = useQuery(trpc.projects.deleted.queryOptions({ organizationId }));
  const restore = useMutation(
    trpc.projects.restore.mutationOptions({
      onSettled: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.projects.pathKey() });
      },
    }),
  );
  const problem = restore.error ?? deleted.error;
  if (!problem && !deleted.data?.length) return null;
  return (
    <Card title="Recently deleted" description="A deleted project is erased with all its data after seven days." flush>
      {problem ? (
        <div className="p-4">
          <QueryError
            error={problem}
            what={restore.error ? "The project was not restored" : "Deleted projects could not be loaded"}
            {...(restore.error ? {} : { onRetry: () => void deleted.refetch() })}
          />
        </div>
      ) : null}
      <ul className="divide-y" aria-label="Recently deleted projects">
        {deleted.data?.map(({ id, slug, deletedAt, deletedBy, restorableUntil }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-52">
              <p className="truncate font-medium">{slug}</p>
              <p className="text-[0.8125rem] text-ink-soft">
                Deleted <Time at={deletedAt} />
                {deletedBy ? ` by ${deletedBy}` : ""}, restorable until{" "}
                {new Date(restorableUntil).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
              </p>
            </div>
            <Button
              size="small"
              aria-label={`Restore ${slug}`}
              pending={restore.isPending && restore.variables.projectId === id}
              onClick={() => restore.mutate({ organizationId, projectId: id })}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
