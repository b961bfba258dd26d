// Attacks with many small requests, or with ordinary work that is heavy. In: a target. Out: the answers.
import { randomBytes } from "node:crypto";
import { largeBlueprint } from "../../bench/large-blueprint.ts";
import { atRate, inParallel, Tally } from "../../pace.ts";
import { createSender, type Sender, type Shot } from "../../sender.ts";
import { type Attack, onlyStatuses } from "../attack.ts";
import { openConsole, publishText } from "../publish.ts";
import { attackerAddress, bearer } from "../target.ts";

/** For each caller and each user, unless a blueprint says otherwise. */
const allowedPerSecond = 100;

export const busyCustomers: readonly Attack[] = [
  {
    name: "sign-in-flood",
    about: "20 sign-ins a second in each of three projects, from 100 addresses",
    kind: "neighbour",
    run: async (target, seconds) => {
      const senders: Sender[] = Array.from({ length: 100 }, (_, i) =>
        createSender({ origin: target.origin, from: `127.0.1.${1 + i}`, socketsMax: 4 }),
      );
      const projects = [target.plain, ...target.greedy];
      const tally = new Tally();
      await atRate({ perSecond: 20 * projects.length, seconds }, async (index) => {
        const project = projects[index % projects.length];
        const email = `${randomBytes(6).toString("hex")}@example.com`;
        const body = JSON.stringify({ email, password: "not the password" });
        const headers = bearer(project?.publishable ?? "");
        const shot = { method: "POST", path: "/v1/auth/sign-in", headers, body };
        tally.add((await senders[index % senders.length]?.send(shot)) ?? 0);
      });
      for (const sender of senders) sender.close();
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(401, 429, 503),
  },
  {
    name: "over-limit",
    about: "one key sends ten times its rate limit",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 200 });
      const tally = new Tally();
      const shot = { method: "GET", path: "/v1/resources/pages?limit=0", headers: bearer(target.plain.publishable) };
      await atRate({ perSecond: allowedPerSecond * 10, seconds }, async () => tally.add(await send(shot)));
      close();
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(400, 429, 503),
  },
  {
    name: "many-users",
    about: "one project's 200 signed-in users, each within their limit, as fast as the service answers",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { tokens, publishable } = target.plain;
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 200 });
      const tally = new Tally();
      const body = JSON.stringify({ text: "A short text." });
      const mostPerSecond = Math.min(tokens.length * allowedPerSecond, 5_000);
      let sent = 0;
      const startMs = performance.now();
      await inParallel(Math.min(tokens.length, 64), seconds, async (index) => {
        if (sent > ((performance.now() - startMs) / 1000) * mostPerSecond)
          return new Promise((done) => setTimeout(done, 5));
        sent++;
        const headers = bearer(publishable, tokens[index % tokens.length]);
        tally.add(await send({ method: "POST", path: "/v1/resources/documents", headers, body }));
      });
      close();
      return { statuses: tally.statuses, facts: {} };
    },
    problems: onlyStatuses(201, 429, 503),
  },
  {
    name: "sync-actions-200",
    about: "synchronous actions with two writes each, 200 times a second",
    kind: "neighbour",
    run: async (target, seconds) => {
      const { send, close } = createSender({ origin: target.origin, from: attackerAddress, socketsMax: 200 });
      const tally = new Tally();
      const shot: Shot = {
        method: "POST",
        path: "/v1/actions/note",
        headers: bearer(target.plain.secret),
        body: JSON.stringify({ text: "A short text." }),
      };
      await atRate({ perSecond: 200, seconds }, async () => tally.add(await send(shot)));
      close();
      return { statuses: tally.statuses, facts: {} };
    },
    // 409: the call waited too long for its turn.
    problems: onlyStatuses(200, 409, 429, 503, 504),
  },
  {
    name: "large-deployment",
    about: "an author deploys a blueprint of 95 kB",
    kind: "neighbour",
    // Each window adds a field to every entity, so that each deployment changes the tables.
    prepare: async () => editions++,
    run: async ({ console, size }, _seconds, edition) => {
      const session = openConsole(console.origin, console.author, attackerAddress);
      const text = largeBlueprint({ entities: size.deployedEntities, fields: 20 + Number(edition) });
      const startMs = performance.now();
      await publishText(session, console.largeProjectId, text);
      session.close();
      const deployedAfter = Math.round((performance.now() - startMs) / 100) / 10;
      return { statuses: { 200: 1 }, facts: { deployed_after_s: deployedAfter } };
    },
    problems: onlyStatuses(200),
  },
];

let editions = 0;
