// Kills parts of a cell and counts losses: `npm run crash`. In: --kills N, --seconds N (between kills), --only
// work|streams|mails|connections, --json FILE. Out: tables, the figures in FILE, and exit code 1 if something was lost or done
// twice.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ConnectionFigures, runConnectionCuts } from "./connection-run.ts";
import { type CrashFigures, runCrash } from "./crash-run.ts";
import { type MailCrashFigures, runMailCrash } from "./mail-run.ts";
import { runStreamCrash, type StreamCrashFigures } from "./stream-run.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    kills: { type: "string", default: "20" },
    only: { type: "string" },
    seconds: { type: "string", default: "3" },
  },
});
const kills = Number(options.kills);
const secondsBetween = Number(options.seconds);
const onKill = (what: string): void => console.error(`kill -9 ${what}`);

const names: Readonly<Record<keyof CrashFigures, string>> = {
  kills: "kills",
  acknowledged: "acknowledged writes",
  committed: "committed writes",
  auditRows: "audit rows",
  events: "events",
  runs: "completed runs",
  calls: "calls of the external service",
  lost: "acknowledged and lost",
  unfinishedRuns: "runs that did not complete",
  missingEffects: "missing effects",
  duplicatedEffects: "duplicated effects",
  inboundAcknowledged: "acknowledged inbound requests",
  inboundRepeated: "of them repeated",
  owed: "events that an endpoint must receive",
  deliveredAgain: "deliveries beyond the first",
  inboundLost: "inbound requests acknowledged and lost",
  inboundDoubled: "inbound requests with two events",
  undelivered: "events that were not delivered",
  renamed: "events with two webhook ids",
  unowed: "deliveries of events that never happened",
  longestPauseSeconds: "longest time without a completed run, s",
};
const streamNames: Readonly<Record<keyof Omit<StreamCrashFigures, "examples">, string>> = {
  kills: "kills",
  acknowledged: "acknowledged writes",
  together: "of them actions that change several records",
  refused: "refused or rolled back",
  changes: "states of records that were committed",
  subscribers: "subscribers",
  resumed: "streams that continued from their position",
  begunAgain: "subscribers that read all records again",
  expected: "changes that subscribers had to receive",
  missed: "of them missed",
  unexpected: "received twice, out of order, or by the wrong subscriber",
  stale: "records whose version differs from the database",
  failed: "subscribers that ended with an error",
};

const mailNames: Readonly<Record<keyof MailCrashFigures, string>> = {
  kills: "kills",
  promised: "mails about accounts that were promised",
  interrupted: "mails that a killed process was sending",
  arrived: "mails that arrived",
  repeated: "mails that arrived again, with the same id",
  lost: "promised and lost",
  renamed: "mails with two ids",
  unowed: "mails that nobody requested",
  left: "mails recorded and never sent",
};

const connectionNames: Readonly<Record<keyof Omit<ConnectionFigures, "examples">, string>> = {
  terminated: "connections that were terminated",
  killed: "backends that were killed, which restarts Postgres",
  silenced: "connections that went silent",
  requests: "requests",
  refused: "of them refused, to be sent again",
  longestGapSeconds: "longest time without a success of one caller, s",
  longestReplySeconds: "longest time until an answer, s",
  notReadySeconds: "time in which the web process was not ready, s",
  afterwards: "requests after the cuts, all at once",
  refusedAfterwards: "of them refused",
  wrong: "other errors",
  unfinishedRuns: "runs that did not complete",
  forgottenTransactions: "transactions that nobody continues",
};

function print(names: Readonly<Record<string, string>>, figures: object): void {
  console.log("| | |\n|---|---|");
  for (const [name, value] of Object.entries(figures)) {
    if (name in names) console.log(`| ${names[name]} | ${value} |`);
  }
}

/** Whether nothing was lost or done twice. */
function isWhole(figures: CrashFigures): boolean {
  const { committed, auditRows, events, runs, lost, unfinishedRuns, missingEffects, duplicatedEffects } = figures;
  const { inboundLost, inboundDoubled, undelivered, renamed, unowed } = figures;
  const isComplete = [auditRows, events, runs].every((each) => each === committed);
  const wrong = [lost, unfinishedRuns, missingEffects, duplicatedEffects, inboundLost, inboundDoubled, undelivered];
  return isComplete && [...wrong, renamed, unowed].every((each) => each === 0);
}

function isToldOnce({ missed, unexpected, stale, failed, begunAgain }: StreamCrashFigures): boolean {
  return [missed, unexpected, stale, failed, begunAgain].every((each) => each === 0);
}

function isHealed({ wrong, refusedAfterwards, unfinishedRuns, forgottenTransactions }: ConnectionFigures): boolean {
  return [wrong, refusedAfterwards, unfinishedRuns, forgottenTransactions].every((each) => each === 0);
}

function isDelivered({ lost, renamed, unowed, left }: MailCrashFigures): boolean {
  return [lost, renamed, unowed, left].every((each) => each === 0);
}

const found: {
  work?: CrashFigures;
  streams?: StreamCrashFigures;
  mails?: MailCrashFigures;
  connections?: ConnectionFigures;
} = {};
const wanted = (part: keyof typeof found): boolean => options.only === undefined || options.only === part;
if (wanted("work")) {
  found.work = await runCrash({ kills, secondsBetween, writers: 16, onKill });
  print(names, found.work);
}
if (wanted("streams")) {
  found.streams = await runStreamCrash({ kills, secondsBetween, writers: 12, onKill });
  print(streamNames, found.streams);
  for (const example of found.streams.examples) console.log(example);
}
if (wanted("mails")) {
  found.mails = await runMailCrash({ kills, secondsBetween, writers: 12, onKill });
  print(mailNames, found.mails);
}
if (wanted("connections")) {
  found.connections = await runConnectionCuts({ cuts: kills, secondsBetween, onCut: (what) => console.error(what) });
  print(connectionNames, found.connections);
  for (const example of found.connections.examples) console.log(example);
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(found, null, 2)}\n`);
const { work, streams, mails, connections } = found;
const verdicts = [
  work === undefined || isWhole(work),
  streams === undefined || isToldOnce(streams),
  mails === undefined || isDelivered(mails),
  connections === undefined || isHealed(connections),
];
process.exit(verdicts.every((isRight) => isRight) ? 0 : 1);
