// Queries the cell's database, for facts that the API can't show (such as committed rows). In: a stack's home, SQL.
// Out: rows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

interface Secrets {
  readonly postgres: { readonly cellPassword: string; readonly port: number };
}

export async function queryCell(home: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const { postgres } = JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")) as Secrets;
  const client = new pg.Client({
    host: "127.0.0.1",
    port: postgres.port,
    user: "plinth_cell",
    password: postgres.cellPassword,
    database: "plinth_cell",
  });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}
