// The neighbour, in a separate process. In: messages with a target, a rate and a time. Out: a report for each message.
// Requests are sent at fixed times, and a latency counts from the time when the request was due. So a service can't
// hide a stall by delaying the load generator.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { atRate, Tally } from "../pace.ts";
import { createSender, type Sender, type Shot } from "../sender.ts";
import { bearer, idOfRow, type Neighbour, neighbourPerSecond, type Target, victimAddress } from "./target.ts";

export interface VictimOrder {
  readonly target: Target;
  readonly neighbour: Neighbour;
  readonly seconds: number;
}

export interface VictimReport {
  readonly sent: number;
  /** Answers other than 2xx, and requests without an answer. */
  readonly failed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The longest delay of this process itself. If it is large, the machine was busy, and the figures are imprecise. */
  readonly ownStallMs: number;
}

const senders = new Map<string, Sender>();

process.on("message", async (order: VictimOrder) => {
  const { target, neighbour } = order;
  const origin = neighbour === "app" ? target.origin : target.console.origin;
  const sender =
    senders.get(origin) ?? createSender({ origin, from: victimAddress, socketsMax: 64, timeoutMs: 20_000 });
  senders.set(origin, sender);
  process.send?.(await drive(order, sender));
});
process.on("disconnect", () => process.exit(0));

async function drive({ target, neighbour, seconds }: VictimOrder, { send }: Sender): Promise<VictimReport> {
  const latencies: number[] = [];
  const tally = new Tally();
  let failed = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const perSecond = neighbourPerSecond[neighbour];
  await atRate({ perSecond, seconds, inFlightMax: Number.POSITIVE_INFINITY }, async (index, dueMs) => {
    const status = await send(
      neighbour === "app" ? shotOf(index, target) : { ...ownPage, headers: target.console.other },
    );
    latencies.push(performance.now() - dueMs);
    tally.add(status);
    if (status < 200 || status > 299) failed++;
  });
  delay.disable();
  latencies.sort((a, b) => a - b);
  return {
    sent: latencies.length,
    failed,
    statuses: tally.statuses,
    p50Ms: at(latencies, 0.5),
    p99Ms: at(latencies, 0.99),
    maxMs: at(latencies, 1),
    ownStallMs: delay.max / 1e6,
  };
}

/** The first request of each console page. */
const ownPage: Shot = { method: "GET", path: "/trpc/me.get" };

/** Of ten requests, five read one record, three list twenty, and two create one. */
function shotOf(index: number, { victim }: Target): Shot {
  const headers = bearer(victim.key, victim.tokens[index % victim.tokens.length]);
  const kind = index % 10;
  const path = "/v1/resources/articles";
  if (kind < 5) {
    return { method: "GET", path: `${path}/${idOfRow(1 + Math.floor(Math.random() * victim.rows))}`, headers };
  }
  if (kind < 8) return { method: "GET", path: `${path}?status=active&limit=20`, headers };
  const body = JSON.stringify({ title: "A title", body: "A body of some length", score: index % 100 });
  return { method: "POST", path, headers, body };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
