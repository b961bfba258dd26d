// What survives kills: `npm run crash`. In: --kills N, --seconds N (between kills), --json FILE. Out: a table, the figures in FILE, and
// exit code 1 where something was lost, or done twice.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type CrashFigures, runCrash } from "./crash-run.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "string" },
    kills: { type: "string", default: "20" },
    seconds: { type: "string", default: "3" },
  },
});

const figures = await runCrash({
  kills: Number(options.kills),
  secondsBetween: Number(options.seconds),
  writers: 16,
  onKill: (what) => console.error(`kill -9 ${what}`),
});
const names: Readonly<Record<keyof CrashFigures, string>> = {
  kills: "kills",
  acknowledged: "acknowledged writes",
  committed: "committed writes",
  auditRows: "audit rows",
  events: "events",
  runs: "completed runs",
  calls: "calls of the outside service",
  lost: "acknowledged and lost",
  unfinishedRuns: "runs that did not complete",
  missingEffects: "missing effects",
  duplicatedEffects: "duplicated effects",
  inboundAcknowledged: "acknowledged inbound requests",
  inboundRepeated: "of them repeated",
  owed: "events that an endpoint is owed",
  deliveredAgain: "deliveries beyond the first",
  inboundLost: "inbound requests acknowledged and lost",
  inboundDoubled: "inbound requests with two events",
  undelivered: "events that were not delivered",
  renamed: "events under two webhook ids",
  unowed: "deliveries of nothing that happened",
  longestPauseSeconds: "longest time without a completed run, s",
};
console.log("| | |\n|---|---|");
for (const [name, value] of Object.entries(figures)) console.log(`| ${names[name as keyof CrashFigures]} | ${value} |`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
const { committed, auditRows, events, runs, lost, unfinishedRuns, missingEffects, duplicatedEffects } = figures;
const { inboundLost, inboundDoubled, undelivered, renamed, unowed } = figures;
const isWhole = [auditRows, events, runs].every((each) => each === committed);
const wrong = [lost, unfinishedRuns, missingEffects, duplicatedEffects, inboundLost, inboundDoubled, undelivered];
process.exit(isWhole && [...wrong, renamed, unowed].every((each) => each === 0) ? 0 : 1);
