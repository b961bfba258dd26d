// Makes a text live as a person does at the console. In: the control API, a person's headers, a project and a text.
// Out: nothing, once it is live.
import { until } from "../published-cell.ts";
import { createSender } from "../sender.ts";

export type Person = Readonly<Record<string, string>>;
// biome-ignore lint/suspicious/noExplicitAny: whatever control answered
export type Answer = any;

export interface Console {
  call(method: "GET" | "POST", procedure: string, input: unknown): Promise<Answer>;
  close(): void;
}

export function openConsole(origin: string, person: Person, from = "127.0.0.1"): Console {
  const { ask, close } = createSender({ origin, from, socketsMax: 1, timeoutMs: 60_000 });
  return {
    async call(method, procedure, input) {
      const json = JSON.stringify(input);
      const shot =
        method === "GET"
          ? { method, path: `/trpc/${procedure}?input=${encodeURIComponent(json)}`, headers: person }
          : { method, path: `/trpc/${procedure}`, headers: person, body: json };
      const reply = await ask(shot);
      if (reply.status !== 200) throw new Error(`${procedure}: ${reply.status} ${reply.text}`);
      return (JSON.parse(reply.text) as { readonly result: { readonly data: Answer } }).result.data;
    },
    close,
  };
}

/** @throws Error if it is not live within a minute. */
export async function publishText({ call }: Console, projectId: string, text: string): Promise<void> {
  const { id: proposalId, hash, consents } = await call("POST", "proposals.create", { projectId, text });
  await call("POST", "proposals.approve", { proposalId, hash, consents });
  const { deploymentId } = await call("POST", "deployments.create", { proposalId });
  await until(async () => {
    const { status, error } = await call("GET", "deployments.get", { deploymentId });
    if (error !== null) throw new Error(`the deployment failed: ${error}`);
    return status === "active";
  }, 60);
}
