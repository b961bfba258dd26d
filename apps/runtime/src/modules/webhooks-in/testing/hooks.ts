// For tests: a cell with a real listener and Postgres that receives webhooks for one project. In: a blueprint. Out: the
// cell, its address, and an admin who calls the project's routes.
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { checkBlueprint } from "@plinth/blueprint";
import { compileModel } from "@plinth/compiler";
import { createLogger } from "@plinth/service";
import { createHttpServer, defaultHttpLimits } from "../../../http/server.ts";
import { createSecretBox } from "../../../identity/secret-box.ts";
import { callModule, dataOf, kek, makeKey } from "../../../modes/testing/cell.ts";
import { openWorkCell, type WorkCell } from "../../../workflows/testing/work-cell.ts";

export interface HooksCell {
  readonly work: WorkCell;
  readonly url: string;
  /** A key that is not an admin's. */
  readonly publishable: string;
  /** A module's route: GET without a body, else POST; as an admin unless a key is given. */
  readonly call: (address: string, body?: object, key?: string) => ReturnType<typeof dataOf>;
  /** Sends a provider's request to a source of the project. */
  readonly send: (source: string, init?: RequestInit & { readonly query?: string }) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export async function openHooksCell(text: string): Promise<HooksCell> {
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  const work = await openWorkCell(text, compileModel(model).background);
  const { cell, projectId } = work;
  const server = createHttpServer({
    ...cell,
    tenants: cell.scope,
    limits: defaultHttpLimits,
    onWrite: cell.signal.raise,
    logger: createLogger({ name: "test", level: "silent" }),
    clock: { now: Date.now },
    cursorSecret: randomBytes(32),
    secretBox: createSecretBox(kek),
    ready: async () => null,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const { key: admin } = await makeKey(cell, projectId, { role: "admin" });
  return {
    work,
    url,
    publishable: (await makeKey(cell, projectId, { kind: "publishable" })).key,
    call: async (address, body, key = admin) => {
      const [path = "", query = ""] = address.split("?");
      return dataOf(
        await callModule(cell, body === undefined ? { method: "GET", path, query, key } : { path, key, body }),
      );
    },
    send: (source, { query = "", ...init } = {}) =>
      fetch(`${url}/hooks/${projectId}/${source}${query === "" ? "" : `?${query}`}`, { method: "POST", ...init }),
    close: async () => {
      await server.close();
      await work.close();
    },
  };
}
