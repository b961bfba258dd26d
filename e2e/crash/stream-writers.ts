// Writers of the followed records: single writes, and actions that change several records in one transaction. Some
// actions wait in the middle for a row that the harness has locked, so they commit long after others that started
// later. Some fail in their last step, and no event of them is allowed. In: an address and a user. Out: the number of
// answers of each kind.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { callerOf } from "../api.ts";

export const BLUEPRINT = `project: streams
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    realtime: true
    soft_delete: true
    fields:
      text: string
      status: enum[open, done] = open
      owner_id: user_ref?
    permissions:
      admin: { all: true }
      user: { read: owner_id == current_user.id }
  note:
    realtime: true
    fields: { text: string }
    permissions: { admin: { all: true } }
  gate:
    fields: { passed: string }
    permissions: { admin: { all: true } }
  stamp:
    fields: { code: string unique }
    permissions: { admin: { all: true } }
actions:
  change-together:
    input: { first: ref(ticket), text: string, gate: ref(gate), code: string }
    permissions: { admin: true }
    steps:
      - record.create: { with: { entity: ticket, text: "\${{ input.text }}" } }
      - record.create: { with: { entity: note, text: "\${{ input.text }}" }, id: noted }
      - record.update: { with: { entity: ticket, id: "\${{ input.first }}", text: "\${{ input.text }}" } }
      - record.update: { with: { entity: gate, id: "\${{ input.gate }}", passed: "\${{ input.text }}" }, id: pass }
      - record.create: { with: { entity: stamp, code: "\${{ input.code }}" }, id: stamped }
`;

const GATES = 3;
/** Every action that uses this stamp fails. */
const TAKEN = "taken";
const ROLLED_BACK = 0.3;

export interface WriterOptions {
  readonly url: string;
  readonly databaseUrl: string;
  readonly schema: string;
  readonly key: string;
  /** Users who own tickets, in turn with nobody. */
  readonly owners: readonly string[];
  readonly writers: number;
}

export interface Writers {
  /** Resolves when each writer has ended its last write. */
  stop(): Promise<{ readonly acknowledged: number; readonly together: number; readonly refused: number }>;
}

export async function startWriters(options: WriterOptions): Promise<Writers> {
  const { url, key, owners, writers, databaseUrl, schema } = options;
  const admin = callerOf(url, key);
  const counts = { acknowledged: 0, together: 0, refused: 0 };
  const gates: string[] = [];
  for (let i = 0; i < GATES; i++) {
    gates.push((await admin.post("/v1/resources/gates", { passed: "" })).body.data.id);
  }
  await admin.post("/v1/resources/stamps", { code: TAKEN });
  let isOver = false;
  const any = <Each>(all: readonly Each[]): Each => all[Math.floor(Math.random() * all.length)] as Each;
  const tickets: string[] = [];
  const notes: string[] = [];

  const create = async (): Promise<number> => {
    const body = { text: "new", owner_id: any([null, ...owners]), status: any(["open", "done"]) };
    const reply = await admin.post("/v1/resources/tickets", body);
    if (reply.status === 201) tickets.push(reply.body.data.id);
    return reply.status;
  };
  const note = async (): Promise<number> => {
    if (notes.length > 0 && Math.random() < 0.5) {
      return (await admin.patch(`/v1/resources/notes/${any(notes)}`, { text: crypto.randomUUID() })).status;
    }
    const reply = await admin.post("/v1/resources/notes", { text: "n" });
    if (reply.status === 201) notes.push(reply.body.data.id);
    return reply.status;
  };
  const together = async (): Promise<number> => {
    const code = Math.random() < ROLLED_BACK ? TAKEN : crypto.randomUUID();
    const body = { first: any(tickets), text: crypto.randomUUID(), gate: any(gates), code };
    const { status } = await admin.post("/v1/actions/change-together", body);
    if (status === 200) counts.together++;
    return status;
  };
  const change = async (): Promise<number> => {
    const path = `/v1/resources/tickets/${any(tickets)}`;
    switch (any(["text", "text", "owner", "status", "delete", "restore"])) {
      case "owner":
        return (await admin.patch(path, { owner_id: any([null, ...owners]) })).status;
      case "status":
        return (await admin.patch(path, { status: any(["open", "done"]) })).status;
      case "delete":
        return (await admin.delete(path)).status;
      case "restore":
        return (await admin.post(`${path}/restore`, {})).status;
      default:
        return (await admin.patch(path, { text: crypto.randomUUID() })).status;
    }
  };
  const write = async (): Promise<void> => {
    while (!isOver) {
      const kind = tickets.length < 5 ? create : any([create, note, note, change, change, change, together, together]);
      const status = await kind().catch(() => 0);
      if (status >= 200 && status < 300) counts.acknowledged++;
      else if (status >= 400) counts.refused++;
      await pause(status === 0 ? 100 : Math.random() * 30);
    }
  };
  const hold = async (gate: string): Promise<void> => {
    while (!isOver) {
      const client = new pg.Client({ connectionString: databaseUrl });
      client.on("error", () => {});
      try {
        await client.connect();
        await client.query("BEGIN");
        await client.query(`SELECT 1 FROM "${schema}".gates WHERE id = $1 FOR UPDATE`, [gate]);
        await pause(Math.random() * 1_500);
        await client.query("COMMIT");
      } catch {
        // The database is restarting.
      } finally {
        await client.end().catch(() => {});
      }
      await pause(Math.random() * 300);
    }
  };
  const all = Promise.all([...Array.from({ length: writers }, write), ...gates.map(hold)]);
  return {
    async stop() {
      isOver = true;
      await all;
      return counts;
    },
  };
}
