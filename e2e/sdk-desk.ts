// The project of the SDK's README in a separate cell. Out: clients of several users, with the types that the compiler
// generates.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Client, type ClientOptions, createClient } from "@plinth/sdk";
import { createTestDatabase } from "@plinth/testkit";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";
import type { TodoDesk } from "./sdk-types.gen.ts";

export const readme: string = readFileSync(resolve(import.meta.dirname, "../packages/sdk/README.md"), "utf8");
export const blueprint: string = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";

export interface Desk {
  readonly cell: PublishedCell;
  readonly publishable: string;
  /** With the secret key. */
  readonly admin: Client<TodoDesk>;
  /** Signs a new user up. */
  readonly user: (
    name: string,
    nickname?: string | null,
    options?: Partial<ClientOptions<TodoDesk>>,
  ) => Promise<Client<TodoDesk>>;
  readonly close: () => Promise<void>;
}

export async function startDesk(): Promise<Desk> {
  const database = await createTestDatabase();
  const cell = await startPublishedCell(database.url, "todo-desk");
  await cell.publish(blueprint);
  const [publishable, secret] = [await cell.makeKey("publishable"), await cell.makeKey("secret")];
  const at = { project: "todo-desk", baseUrl: cell.origin };
  return {
    cell,
    publishable,
    admin: createClient<TodoDesk>({ ...at, apiKey: secret }),
    user: async (name, nickname = null, options = {}) => {
      const client = createClient<TodoDesk>({ ...at, apiKey: publishable, ...options });
      await client.auth.signUp({
        email: `${name}@example.com`,
        password: "correct horse battery",
        profile: { nickname },
      });
      return client;
    },
    close: async () => {
      cell.process.kill("SIGTERM");
      await database.drop();
    },
  };
}
