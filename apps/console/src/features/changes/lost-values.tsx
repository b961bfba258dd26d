// Examples of the data that a change drops, next to its consent. In: the path of the change: `listing.price`, or `listing`. Out: a few values
// of live records, which the person can read; nothing if there are none, or if they can't be read.
"use client";
import type { AppRouter, DataRow } from "@plinth/control/router";
import { useQuery } from "@tanstack/react-query";
import type { TRPCClient } from "@trpc/client";
import { useTRPCClient } from "../../trpc.ts";
import { exampleValues } from "./example-values.ts";

const EXAMPLES = 3;
/** Some types can't be filtered. Then values are looked for in a page. */
const LOOKED_AT = 50;

export function LostValues({ projectId, path }: { projectId: string; path: string }) {
  const client = useTRPCClient();
  const [entity = "", field] = path.split(".");
  const rows = useQuery({
    queryKey: ["lost-values", projectId, path],
    queryFn: () => readRows(client, projectId, entity, field),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const examples = exampleValues(rows.data ?? [], field).slice(0, EXAMPLES);
  if (examples.length === 0) return null;
  return (
    <p className="text-[0.8125rem] text-ink-soft">
      Now, for example:{" "}
      {examples.map((example, index) => (
        <span key={example}>
          {index === 0 ? null : ", "}
          <code className="rounded bg-sunken px-1 font-mono text-xs break-words text-ink">{example}</code>
        </span>
      ))}
    </p>
  );
}

async function readRows(
  client: TRPCClient<AppRouter>,
  projectId: string,
  entity: string,
  field: string | undefined,
): Promise<readonly DataRow[]> {
  const read = async (limit: number, filters: Record<string, string>): Promise<readonly DataRow[]> =>
    (await client.data.rows.query({ projectId, entity, limit, filters })).data;
  if (field === undefined) return read(EXAMPLES, {});
  return read(EXAMPLES, { [`${field}[is_null]`]: "false" }).catch(() => read(LOOKED_AT, {}));
}
