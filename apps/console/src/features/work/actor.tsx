// The actor of an operation. In: its kind and id. Out: the email of a person, the name of a key, or the kind and id of anything else.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useTRPC } from "../../trpc.ts";

export function Actor({ kind, id }: { kind: string | null; id: string | null }) {
  if (kind === "key" && id !== null) return <KeyActor id={id} />;
  if (kind === "operator" || id === null) return <span className="truncate">{id ?? kind ?? "–"}</span>;
  return <NamedActor kind={kind} id={id} />;
}

/** People know a key by its name. A key of a deleted environment has only its id. */
function KeyActor({ id }: { id: string }) {
  const trpc = useTRPC();
  const { projectId } = useParams<{ projectId: string }>();
  const keys = useQuery(trpc.keys.list.queryOptions({ projectId }, { staleTime: 60_000 }));
  const name = keys.data?.find((key) => key.id === id)?.name;
  if (name === undefined) return <NamedActor kind="key" id={id} />;
  return (
    <span className="truncate" title={id}>
      key {name}
    </span>
  );
}

function NamedActor({ kind, id }: { kind: string | null; id: string }) {
  return (
    <span className="truncate" title={id}>
      {kind} <span className="font-mono text-xs">{id}</span>
    </span>
  );
}
