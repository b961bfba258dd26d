// Starts processes outside of Plinth. In: their names. Out: the facts that each has printed, and a client for each.
import { join } from "node:path";
import { startProcess } from "@plinth/testkit";
import type { Caller } from "../api.ts";

export interface Outside {
  readonly url: string;
  /** Other facts, such as the port of its mail server. */
  readonly facts: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly get: (path: string) => Promise<any>;
  readonly put: (path: string, body: unknown) => Promise<void>;
  readonly stop: () => Promise<unknown>;
}

export async function startOutside(name: "mail" | "provider" | "receiver"): Promise<Outside> {
  const started = await startProcess({ command: process.execPath, args: [join(import.meta.dirname, `${name}.ts`)] });
  const [, said = "{}"] = await started.waitFor(/^ready (.*)$/m);
  const { url, ...facts } = JSON.parse(said) as { readonly url: string };
  return {
    url,
    facts,
    get: async (path) => (await fetch(url + path)).json(),
    put: async (path, body) => {
      const reply = await fetch(url + path, { method: "PUT", body: JSON.stringify(body) });
      if (!reply.ok) throw new Error(`${name}: ${path}: ${reply.status} ${await reply.text()}`);
    },
    stop: () => started.stop(),
  };
}

export interface Received {
  readonly path: string;
  /** `webhook-id`. */
  readonly id: string;
  /** Whether the receiver accepted its signature. */
  readonly verified: boolean;
  /** The status of the receiver's answer. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  readonly event: any;
}

/** Creates an endpoint of a project at the receiver, and gives the receiver its secret. */
export async function endpointAt(receiver: Outside, admin: Caller, path: string, of: object): Promise<void> {
  const url = receiver.url.replace("127.0.0.1", "localhost") + path;
  const made = await admin.post("/v1/webhook-endpoints", { url, ...of });
  if (made.status !== 201) throw new Error(`an endpoint: ${made.status} ${made.text}`);
  await receiver.put("/fake/secrets", { [path]: made.body.data.secret });
}

/** Requests to a path of the receiver that contain a text, in the order of their arrival. */
export async function receivedAt(receiver: Outside, path: string, about: string): Promise<readonly Received[]> {
  const all: readonly Received[] = await receiver.get("/fake/received");
  return all.filter((one) => one.path === path && JSON.stringify(one.event).includes(about));
}
