// For tests: a project with webhooks, a receiver on this machine, and an admin who calls its routes.
import { callModule, dataOf, makeKey } from "../../modes/testing/cell.ts";
import { createRecord } from "../../query/run.ts";
import { type Answer, type Received, type Receiver, startReceiver } from "../../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../../workflows/testing/work-cell.ts";

export interface Hooked {
  readonly work: WorkCell;
  readonly receiver: Receiver;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  call(method: string, path: string, body?: unknown, query?: string): Promise<any>;
  createTicket(title?: string, values?: Readonly<Record<string, string>>): Promise<string>;
  /** Attempts waiting deliveries now, until the condition holds. */
  until(look: () => Promise<boolean> | boolean): Promise<void>;
  close(): Promise<void>;
}

export async function openHooked(
  blueprint: string,
  answer: (request: Received, at: number) => Answer = () => ({}),
  settings: Parameters<typeof openWorkCell>[2] = {},
): Promise<Hooked> {
  const receiver = await startReceiver(answer);
  const work = await openWorkCell(blueprint, {}, settings);
  const { cell, projectId, request, sql } = work;
  const { key } = await makeKey(cell, projectId, { role: "admin" });
  return {
    work,
    receiver,
    async call(method, path, body, query = "") {
      const reply = await callModule(cell, { key, method, path, query, ...(body === undefined ? {} : { body }) });
      return reply.status === 204 ? null : dataOf(reply);
    },
    async createTicket(title = "first", values = {}) {
      const id = crypto.randomUUID();
      await createRecord(await request("ticket"), id, new Map(Object.entries({ title, ...values })));
      return id;
    },
    async until(look) {
      const deadline = performance.now() + 8_000;
      while (performance.now() < deadline) {
        if (await look()) return;
        await sql("UPDATE plinth.webhook_deliveries SET due_at = now() WHERE status = 'pending' AND due_at > now()");
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      throw new Error("it did not happen");
    },
    async close() {
      await work.close();
      await receiver.close();
    },
  };
}
