// Our own runtime, with the benchmark's project published to it. In: a cell database. Out: its process, a user's token,
// a key. Each request passes the whole pipeline: key, token, permission, limit, audit.
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPublishedCell } from "../../published-cell.ts";

export interface Ours {
  readonly origin: string;
  readonly process: ChildProcess;
  readonly schema: string;
  readonly userId: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function startOurs(cellUrl: string): Promise<Ours> {
  const cell = await startPublishedCell(cellUrl, "bench");
  await cell.publish(readFileSync(join(import.meta.dirname, "../blueprint.yaml"), "utf8"));
  const key = await cell.makeKey("publishable");
  const signedUp = await fetch(`${cell.origin}/v1/auth/sign-up`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ email: "bench@example.com", password: randomBytes(16).toString("hex") }),
  });
  if (!signedUp.ok) throw new Error(`sign-up: ${signedUp.status} ${await signedUp.text()}`);
  const { data } = (await signedUp.json()) as { data: { user: { id: string }; access_token: string } };
  return {
    origin: cell.origin,
    process: cell.process,
    schema: cell.schema,
    userId: data.user.id,
    headers: {
      authorization: `Bearer ${key}`,
      "plinth-user-token": data.access_token,
      "content-type": "application/json",
    },
  };
}
