// Callers of a cell that loses its connections. In: its address. Out: what they were answered: each kind of request
// uses other connections. A request can be refused with 503, or with 409 if it waited too long for another one's end;
// its caller then tries again. Everything else is wrong.
import { setTimeout as pause } from "node:timers/promises";

export interface Visited {
  readonly requests: number;
  readonly refused: number;
  /** The longest time without a success of one kind of request, while it was tried. */
  readonly longestGapSeconds: number;
  readonly longestReplySeconds: number;
  readonly notReadySeconds: number;
  /** Other answers than a success or a refusal, and requests without an answer. */
  readonly wrong: number;
  readonly examples: readonly string[];
}

export interface Visitors {
  visited(): Visited;
  /** Ends the load, then sends requests of each kind, more at once than a project has places. */
  stopAndCrowd(): Promise<{ readonly afterwards: number; readonly refusedAfterwards: number }>;
}

/** Of each kind, at once. */
const CALLERS = 3;
const CROWD = 5;
const CROWD_ROUNDS = 4;
const EXAMPLES_MAX = 10;

type Kind = (at: number) => readonly [path: string, body?: object];

const kinds: Readonly<Record<string, Kind>> = {
  write: (at) => ["/v1/resources/tickets", { title: `ticket ${at}` }],
  read: () => ["/v1/resources/tickets?limit=2"],
  "large list": () => ["/v1/resources/pages?limit=100"],
  action: (at) => ["/v1/actions/add-tickets", { title: `action ${at}` }],
  "sign-in": (at) => ["/v1/auth/sign-up", { email: `caller-${at}@example.com`, password: "correct horse battery" }],
};

export function createVisitors(origin: string, key: string): Visitors {
  const found = { requests: 0, refused: 0, wrong: 0, longestGapMs: 0, longestReplyMs: 0, notReadyMs: 0 };
  const examples: string[] = [];
  let count = 0;
  let isOver = false;

  /** Null: it had no answer. */
  const ask = async (kind: Kind): Promise<number | null> => {
    const [path, body] = kind(count++);
    const startedMs = performance.now();
    const reply = await fetch(origin + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    }).catch((error: unknown) => note(`${path}: ${error}`));
    const text = await reply?.text().catch((error: unknown) => note(`${path}: ${error}`));
    found.longestReplyMs = Math.max(found.longestReplyMs, performance.now() - startedMs);
    found.requests++;
    if (reply == null || text === null) found.wrong++;
    else if (reply.status === 503 || (reply.status === 409 && reply.headers.has("retry-after"))) {
      found.refused++;
      if (isOver) note(`${path}: ${reply.status} ${text}`);
    } else if (!reply.ok) {
      found.wrong++;
      note(`${path}: ${reply.status} ${text}`);
    }
    return reply?.status ?? null;
  };

  const note = (example: string): null => {
    if (examples.length < EXAMPLES_MAX) examples.push(example);
    return null;
  };

  const keepAsking = async (kind: Kind): Promise<void> => {
    let servedMs = performance.now();
    while (!isOver) {
      const status = await ask(kind);
      const now = performance.now();
      found.longestGapMs = Math.max(found.longestGapMs, now - servedMs);
      if (status !== null && status < 300) servedMs = now;
      await pause(kind === kinds["sign-in"] ? 1_000 : 50);
    }
  };

  const watchReady = async (): Promise<void> => {
    while (!isOver) {
      const startedMs = performance.now();
      const isReady = await fetch(`${origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      await pause(200);
      if (!isReady) found.notReadyMs += performance.now() - startedMs;
    }
  };

  const load = Promise.all([
    watchReady(),
    ...Object.values(kinds).flatMap((kind) => Array.from({ length: CALLERS }, () => keepAsking(kind))),
  ]);
  return {
    visited: () => ({
      requests: found.requests,
      refused: found.refused,
      wrong: found.wrong,
      longestGapSeconds: seconds(found.longestGapMs),
      longestReplySeconds: seconds(found.longestReplyMs),
      notReadySeconds: seconds(found.notReadyMs),
      examples,
    }),
    async stopAndCrowd() {
      isOver = true;
      await load;
      const statuses: (number | null)[] = [await fetch(`${origin}/readyz`).then(({ status }) => status)];
      for (let round = 0; round < CROWD_ROUNDS; round++) {
        const crowd = Object.values(kinds).flatMap((kind) => Array.from({ length: CROWD }, () => ask(kind)));
        statuses.push(...(await Promise.all(crowd)));
      }
      const isRefused = (status: number | null): boolean => status === null || status >= 300;
      return { afterwards: statuses.length, refusedAfterwards: statuses.filter(isRefused).length };
    },
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
