// Keeps statements of transactions prepared on the connection that ran them. In: a connection, a text, values. Out: raw
// rows. Planning the few texts of a workflow's step cost Postgres more than running them.
import type { ClientBase } from "pg";
import { sqlState } from "./errors.ts";
import type { RawResult } from "./lane-statement.ts";
import type { LaneWire } from "./lane-wire.ts";
import type { RawRow } from "./row-bytes.ts";

export type RawQuery = (client: ClientBase, text: string, values: readonly unknown[]) => Promise<RawResult>;

export const rawTypes: { getTypeParser: () => (text: string) => string } = {
  getTypeParser: () => (text: string) => text,
};

/** For one connection. */
interface Kept {
  /** Text to its name on the server, least recently used first. */
  readonly names: Map<string, string>;
  /** Names that are no longer used but still take memory on the server. */
  readonly dead: string[];
  /** No name is used twice. */
  count: number;
}

/** @param keptMax The maximum number of texts for each connection, about 50 kB each in its backend; 0: none. */
export function createRawQuery(keptMax: number): RawQuery {
  const connections = new WeakMap<ClientBase, Kept>();
  if (keptMax === 0) return (client, text, values) => send(client, text, values, null);

  function keptOf(client: ClientBase): Kept {
    let kept = connections.get(client);
    if (kept === undefined) {
      kept = { names: new Map(), dead: [], count: 0 };
      connections.set(client, kept);
    }
    return kept;
  }

  return async (client, text, values) => {
    const kept = keptOf(client);
    for (let name = kept.dead.pop(); name !== undefined; name = kept.dead.pop()) await release(client, name);
    const known = kept.names.get(text);
    if (known === undefined && kept.names.size >= keptMax) {
      const [[oldest, itsName] = ["", ""]] = kept.names;
      kept.names.delete(oldest);
      await release(client, itsName);
    }
    const name = known ?? `k${(kept.count++).toString(36)}`;
    kept.names.delete(text);
    kept.names.set(text, name);
    try {
      return await send(client, text, values, name);
    } catch (error) {
      // Not parsed, or changed by a deployment: the next transaction parses it again.
      if (["26000", "0A000", "42601", "42P01", "42703"].includes(sqlState(error) ?? "")) {
        kept.names.delete(text);
        kept.dead.push(name);
      }
      throw error;
    }
  };
}

async function release(client: ClientBase, name: string): Promise<void> {
  const { parsedStatements, submittedNamedStatements } = (client as unknown as { readonly connection: LaneWire })
    .connection;
  // Deallocating a statement that was never parsed must not fail the transaction.
  if (parsedStatements[name] !== undefined) await client.query(`DEALLOCATE ${name}`);
  delete parsedStatements[name];
  delete submittedNamedStatements[name];
}

async function send(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
  name: string | null,
): Promise<RawResult> {
  const result = await client.query({
    text,
    values: values as unknown[],
    rowMode: "array",
    queryMode: "extended",
    types: rawTypes,
    ...(name === null ? {} : { name }),
  } as never as { text: string; rowMode: "array" });
  return { rows: result.rows as RawRow[], rowCount: result.rowCount ?? 0 };
}
