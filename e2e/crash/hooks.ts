// Webhooks in both directions while a cell is killed: a provider that sends and repeats, and a receiver that remembers.
// Both run in the harness, which is never killed. In: a cell and a project. Out: what was acknowledged, and what of it
// took effect.
import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** `inbound` and the events are counts; the other five must be zero. */
export interface HookFigures {
  readonly inboundAcknowledged: number;
  /** Requests that were sent again, with or without an acknowledgement. */
  readonly inboundRepeated: number;
  /** Events that an endpoint must receive. */
  readonly owed: number;
  /** Attempts that the receiver has seen in addition to the first of each event. */
  readonly deliveredAgain: number;
  readonly inboundLost: number;
  readonly inboundDoubled: number;
  readonly undelivered: number;
  /** Events that arrived with more than one webhook id. */
  readonly renamed: number;
  /** Deliveries of events that never happened. */
  readonly unowed: number;
}

const PAYMENT = "payment.received";
const TICKET = "ticket.created";
/** The part of the blueprint for a provider that signs like GitHub. */
export const HOOKS_TEXT = `events:
  ${PAYMENT}: { payload: { payment: string } }
webhooks:
  in:
    shop: { verify: github, type: headers.x-github-event, events: { paid: ${PAYMENT} } }
`;
const SOURCE = "shop";
const SENDERS = 4;
const REPEATED = 0.3;
/**
 * The share of deliveries that the receiver refuses at first. They arrive again some seconds later, with the same id.
 */
const REFUSED = 0.02;

export interface HookLoad {
  /** Until the run is over. */
  readonly send: (isOver: () => boolean) => Promise<void>;
  readonly count: (ask: Ask) => Promise<HookFigures>;
  readonly stop: () => void;
}

/** Returns the rows of a statement, in which `{s}` means the project's schema. */
type Ask = (sql: string) => Promise<readonly Readonly<Record<string, string>>[]>;

export async function startHooks(origin: string, schema: string, key: string): Promise<HookLoad> {
  const receiver = await startReceiver();
  const secret = randomBytes(24).toString("hex");
  const make = async (path: string, body: object): Promise<void> => {
    const reply = await fetch(`${origin}/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
  await make("webhooks/secrets", { source: SOURCE, secret });
  await make("webhook-endpoints", { url: receiver.url, events: [TICKET, PAYMENT] });
  const acknowledged = new Set<string>();
  let repeated = 0;
  const target = `${origin}/hooks/prj_${schema.slice("t_".length)}/${SOURCE}`;
  const tell = async (id: string): Promise<boolean> => {
    const body = JSON.stringify({ payment: id });
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const reply = await fetch(target, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-github-event": "paid",
        "x-github-delivery": id,
        "x-hub-signature-256": signature,
      },
      body,
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    await reply?.arrayBuffer().catch(() => null);
    if (reply?.status === 200) acknowledged.add(id);
    return reply?.status === 200;
  };
  const send = async (isOver: () => boolean): Promise<void> => {
    for (let number = 0; !isOver(); number++) {
      const id = `${randomBytes(6).toString("hex")}-${number}`;
      // Like real providers, it repeats everything that was not acknowledged, and some requests that were.
      while (!(await tell(id)) && !isOver()) {
        repeated++;
        await pause(100);
      }
      if (Math.random() < REPEATED) {
        repeated += 2;
        await Promise.all([tell(id), tell(id)]);
      }
      await pause(20);
    }
  };
  return {
    send: async (isOver) => void (await Promise.all(Array.from({ length: SENDERS }, () => send(isOver)))),
    count: (ask) => count(ask, { acknowledged, repeated, received: receiver.received }),
    stop: receiver.stop,
  };
}

interface Seen {
  readonly acknowledged: ReadonlySet<string>;
  readonly repeated: number;
  /** Event > webhook id > number of requests. */
  readonly received: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

async function count(ask: Ask, { acknowledged, repeated, received }: Seen): Promise<HookFigures> {
  const payments = (
    await ask(`SELECT data->>'payment' AS payment FROM {s}.workers__events WHERE name = '${PAYMENT}'`)
  ).map((row) => row["payment"] ?? "");
  const owed = (
    await ask(`SELECT id::text AS id FROM {s}.workers__events WHERE name IN ('${PAYMENT}', '${TICKET}')`)
  ).map((row) => row["id"] ?? "");
  const told = new Set(payments);
  const isOwed = new Set(owed);
  const attempts = [...received.values()].flatMap((ids) => [...ids.values()]).reduce((sum, one) => sum + one, 0);
  return {
    inboundAcknowledged: acknowledged.size,
    inboundRepeated: repeated,
    owed: owed.length,
    deliveredAgain: attempts - received.size,
    inboundLost: [...acknowledged].filter((id) => !told.has(id)).length,
    inboundDoubled: payments.length - told.size,
    undelivered: owed.filter((id) => !received.has(id)).length,
    renamed: [...received.values()].filter((ids) => ids.size > 1).length,
    unowed: [...received.keys()].filter((id) => !isOwed.has(id)).length,
  };
}

async function startReceiver() {
  const received = new Map<string, Map<string, number>>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const id = String(request.headers["webhook-id"]);
    const { id: event } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { readonly id: string };
    const ids = received.get(event) ?? new Map<string, number>();
    const isFirst = ids.size === 0;
    received.set(event, ids.set(id, (ids.get(id) ?? 0) + 1));
    // Long enough that a kill can happen between the effect and the answer.
    setTimeout(() => response.writeHead(isFirst && Math.random() < REFUSED ? 503 : 200).end(), 10);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
