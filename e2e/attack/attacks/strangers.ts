// Attacks without a credential, or with one that everybody can get. In: a target. Out: the answers, and the answers to
// an innocent caller.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { newApiKey } from "@plinth/bundle";
import { atRate, inParallel, Tally } from "../../pace.ts";
import { createSender, type Shot } from "../../sender.ts";
import { type Attack, type Outcome, onlyStatuses, type Stage } from "../attack.ts";
import { attackerAddress, bearer, type Target } from "../target.ts";

/** Started at once, and repeated as fast as the service answers. */
const workers = 32;
const otherVisitor = "127.0.0.77";

export const strangers: readonly Attack[] = [
  {
    name: "forged-keys",
    about: "300 forged keys a second, and from the same address a valid key that the service has never seen",
    kind: "stranger",
    prepare: async ({ freshKey }) => freshKey(),
    run: async (target, seconds, prepared) => {
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 100 });
      const tally = new Tally();
      const flood = atRate({ perSecond: 300, seconds }, async () => {
        const headers = bearer(newApiKey("secret"));
        tally.add(await send({ method: "GET", path: "/v1/resources/pages?limit=1", headers }));
      });
      await pause((seconds * 1000) / 2);
      const shot = { method: "GET", path: "/v1/openapi.json", headers: bearer(String(prepared)) };
      const goodKey = await send(shot);
      await flood;
      close();
      return { statuses: tally.statuses, facts: { good_key_status: goodKey } };
    },
    problems: (outcome) => [
      ...onlyStatuses(401, 429)(outcome),
      ...(outcome.facts["good_key_status"] === 200 ? [] : [`a good key got ${outcome.facts["good_key_status"]}`]),
    ],
  },
  {
    name: "many-unknown-keys",
    about: "90,000 unknown keys from 20 addresses, half of them for the second time, as fast as the service answers",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { unknownKeys } = target.size;
      const senders = Array.from({ length: 20 }, (_, i) =>
        createSender({ origin: target.origin, from: `127.0.2.${1 + i}`, socketsMax: 4 }),
      );
      const tally = new Tally();
      const keys: string[] = [];
      let sent = 0;
      await inParallel(workers, seconds, async () => {
        if (sent === unknownKeys) return pause(5);
        const known = sent % 2 === 1 ? keys[Math.floor(Math.random() * keys.length)] : undefined;
        const key = known ?? newApiKey("secret");
        if (known === undefined) keys.push(key);
        const shot = { method: "GET", path: "/v1/resources/pages?limit=1", headers: bearer(key) };
        tally.add((await senders[sent++ % senders.length]?.send(shot)) ?? 0);
      });
      for (const sender of senders) sender.close();
      return { statuses: tally.statuses, facts: { tried: sent } };
    },
    problems: onlyStatuses(401, 429),
  },
  {
    name: "ended-session",
    about: "300 requests a second with the token of a session that has ended",
    kind: "stranger",
    prepare: async (stage) => ({ token: await endedToken(stage.target), before: await sessionLookUps(stage) }),
    run: async (target, seconds, prepared) => {
      const { token } = prepared as EndedSession;
      return flood(target, seconds, () => ({
        method: "GET",
        path: "/v1/users/me",
        headers: bearer(target.plain.publishable, token),
      }));
    },
    count: async (stage, prepared) => {
      // Each connection reports its counts once a second.
      await pause(1_500);
      return { look_ups: (await sessionLookUps(stage)) - (prepared as EndedSession).before };
    },
    problems: (outcome) => [
      ...onlyStatuses(401, 429)(outcome),
      ...((outcome.facts["look_ups"] ?? 0) > 100 ? [`${outcome.facts["look_ups"]} look-ups`] : []),
    ],
  },
  {
    name: "shared-publishable-key",
    about: "one visitor at full speed, and another with the same key 5 times a second",
    kind: "stranger",
    run: async (target, seconds) => {
      const headers = bearer(target.greedy[0].publishable);
      const shot = (): Shot => ({ method: "GET", path: `/v1/resources/pages/${randomUUID()}`, headers });
      const other = createSender({ origin: target.origin, from: otherVisitor, socketsMax: 10 });
      const others = new Tally();
      const [outcome] = await Promise.all([
        asFastAsAnswered(target, seconds, shot),
        atRate({ perSecond: 5, seconds }, async () => others.add(await other.send(shot()))),
      ]);
      other.close();
      const answered = others.statuses["404"] ?? 0;
      const all = Object.values(others.statuses).reduce((sum, count) => sum + count, 0);
      return { ...outcome, facts: { other_answered: answered, other_refused: all - answered } };
    },
    problems: (outcome) => [
      ...onlyStatuses(404, 429)(outcome),
      ...(outcome.facts["other_refused"] === 0
        ? []
        : [`the other visitor was refused ${outcome.facts["other_refused"]} x`]),
    ],
  },
  {
    name: "preflight-flood",
    about: "CORS preflights, 32 at a time",
    kind: "stranger",
    run: (target, seconds) => {
      const headers = { origin: "https://example.com", "access-control-request-method": "POST" };
      return asFastAsAnswered(target, seconds, () => ({ method: "OPTIONS", path: "/v1/resources/pages", headers }));
    },
    problems: onlyStatuses(200, 204, 429, 503),
  },
  {
    name: "not-found-flood",
    about: "paths that don't exist, without a credential, 32 at a time",
    kind: "stranger",
    run: (target, seconds) =>
      asFastAsAnswered(target, seconds, () => ({ method: "GET", path: `/nothing/${randomUUID()}` })),
    problems: onlyStatuses(401, 404, 429, 503),
  },
  {
    name: "connection-churn",
    about: "a new connection for each request, 32 at a time",
    kind: "stranger",
    run: (target, seconds) =>
      asFastAsAnswered(target, seconds, () => ({ method: "GET", path: "/v1/openapi.json" }), false),
    // A refused connection brings no answer.
    problems: onlyStatuses(0, 401, 429, 503),
  },
];

interface EndedSession {
  readonly token: string;
  readonly before: number;
}

async function flood(target: Target, seconds: number, shotOf: () => Shot): Promise<Outcome> {
  const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 100 });
  const tally = new Tally();
  await atRate({ perSecond: 300, seconds }, async () => tally.add(await send(shotOf())));
  close();
  return { statuses: tally.statuses, facts: {} };
}

async function asFastAsAnswered(
  target: Target,
  seconds: number,
  shotOf: () => Shot,
  keepAlive = true,
): Promise<Outcome> {
  const sender = createSender({ origin: target.origin, from: attackerAddress, socketsMax: workers, keepAlive });
  const tally = new Tally();
  await inParallel(workers, seconds, async () => {
    const status = await sender.send(shotOf());
    tally.add(status);
    // Without this pause, a refused caller would loop.
    if (status === 0) await pause(10);
  });
  sender.close();
  return { statuses: tally.statuses, facts: {} };
}

async function endedToken({ origin, plain }: Target): Promise<string> {
  const { ask, close } = createSender({ origin, from: "127.0.0.88", socketsMax: 1 });
  const email = `${randomUUID()}@example.com`;
  const body = JSON.stringify({ email, password: "correct horse battery" });
  const headers = bearer(plain.publishable);
  const signedUp = await ask({ method: "POST", path: "/v1/auth/sign-up", headers, body });
  if (signedUp.status !== 201) throw new Error(`sign-up: ${signedUp.status} ${signedUp.text}`);
  const { access_token: token } = (JSON.parse(signedUp.text) as { readonly data: { readonly access_token: string } })
    .data;
  const signOut = { method: "POST", path: "/v1/auth/sign-out", headers: bearer(plain.publishable, token), body: "{}" };
  const { status, text } = await ask(signOut);
  if (status !== 204) throw new Error(`sign-out: ${status} ${text}`);
  close();
  return token;
}

/** How often Postgres has read the project's sessions. */
async function sessionLookUps({ query, target }: Stage): Promise<number> {
  const [row] = await query(
    `select (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int as scans from pg_stat_user_tables
     where schemaname = '${target.plain.schema}' and relname = 'sessions'`,
  );
  return Number(row?.["scans"] ?? 0);
}
