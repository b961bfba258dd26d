// Starts processes outside of Plinth. In: which ones. Out: what each has said of itself, and a way to ask and tell it.
import { join } from "node:path";
import { startProcess } from "@plinth/testkit";

export interface Outside {
  readonly url: string;
  /** What it says besides, such as the port of its mail server. */
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
