// Generates load with wrk, which needs a fraction of the CPU of a load generator in JavaScript. In: a request and a
// number of seconds. Out: a count and latencies. Its script fills the placeholders of the request and prints the result
// as JSON.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { idPrefix, rowCount, topicCount } from "../workloads.ts";
import { connections, type Drive, type Work } from "./drive.ts";

export function wrkIsInstalled(): boolean {
  return spawnSync("wrk", ["--version"]).error === undefined;
}

interface Printed {
  readonly requests: number;
  readonly us: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Replies with a status of 400 or more. */
  readonly refusals: number;
  readonly errors: number;
  readonly timeouts: number;
}

export const driveByWrk: Drive = async (work, seconds) => {
  const folder = mkdtempSync(join(tmpdir(), "plinth-wrk-"));
  try {
    const script = join(folder, "script.lua");
    writeFileSync(script, scriptOf(work));
    // The same timeout as autocannon's.
    const args = [
      "--threads",
      "1",
      "--connections",
      String(connections),
      "--duration",
      `${seconds}s`,
      "--timeout",
      "10s",
    ];
    const { stdout } = await promisify(execFile)("wrk", [...args, "--script", script, work.origin]);
    const printed = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{"))) as Printed;
    const { requests, us, p50Us, p99Us, refusals, errors, timeouts } = printed;
    if (refusals + errors + timeouts > 0) {
      throw new Error(`${refusals} refusals, ${errors} errors, ${timeouts} timeouts at ${work.origin}`);
    }
    return { requests, seconds: us / 1_000_000, p50Ms: p50Us / 1000, p99Ms: p99Us / 1000 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A JSON string of plain ASCII is also a string in Lua. */
function scriptOf({ request, headers }: Work): string {
  const { method, path, body } = request;
  const fixed = !/\{(?:id|topic|n)\}/.test(`${path}${body ?? ""}`);
  const fill = (text: string): string =>
    `(${JSON.stringify(text)}):gsub("{id}", ${JSON.stringify(idPrefix)} .. string.format("%012x", n)):gsub("{topic}", ${JSON.stringify(idPrefix)} .. string.format("%012x", 1 + n % ${topicCount})):gsub("{n}", tostring(n))`;
  const filledBody = body === undefined ? "nil" : `(${fill(body)})`;
  const made = `wrk.format(${JSON.stringify(method)}, (${fill(path)}), nil, ${filledBody})`;
  const headerLines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  return `${headerLines.join("\n")}
math.randomseed(os.time())
local function make()
  local n = math.random(1, ${rowCount})
  return ${made}
end
local always
request = function()
  ${fixed ? "always = always or make() return always" : "return make()"}
end
done = function(summary, latency)
  local e = summary.errors
  print(string.format('\\n{"requests":%d,"us":%d,"p50Us":%.0f,"p99Us":%.0f,"refusals":%d,"errors":%d,"timeouts":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.status, e.connect + e.read + e.write, e.timeout))
end
`;
}
