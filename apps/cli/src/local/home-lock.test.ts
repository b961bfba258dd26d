// One Plinth for each home: a second one is refused while another runs, and can start after that; with real processes.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProcess } from "@plinth/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockHome } from "./home-lock.ts";

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plinth-lock-"));
  file = join(home, "plinth.lock");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const locker = (): string => `
  import { lockHome } from ${JSON.stringify(join(import.meta.dirname, "home-lock.ts"))};
  try {
    await lockHome(${JSON.stringify(home)});
    console.log("locked");
    setInterval(() => {}, 1000);
  } catch (error) { console.log("refused: " + error.message); }`;
const args = (): string[] => ["--input-type=module", "--eval", locker()];
const start = (readyPattern: RegExp) => startProcess({ command: process.execPath, args: args(), readyPattern });

test("a second one is refused with the process that holds the lock; it can start after the first", async () => {
  const first = await start(/locked/);
  await expect(lockHome(home)).rejects.toThrow(
    new RegExp(
      `${home} is in use by another Plinth \\(process ${first.pid}, since 20.*\\): stop that one, or set PLINTH_HOME`,
    ),
  );
  await first.stop();
  const lock = await lockHome(home);
  lock.release();
  lock.release();
  expect(readdirSync(home)).toEqual([]);
});

test("a lock of a process that was killed is taken over", async () => {
  const first = await start(/locked/);
  await first.stop("SIGKILL");
  expect(existsSync(file)).toBe(true);
  const lock = await lockHome(home);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid: process.pid });
  lock.release();
});

test("a reused process id holds no lock", async () => {
  const other = spawn("sleep", ["60"]);
  writeFileSync(file, JSON.stringify({ pid: other.pid, processStart: "1", since: "2026-01-01T00:00:00.000Z" }));
  (await lockHome(home)).release();
  other.kill();
});

test("a file that is not a lock is taken over", async () => {
  writeFileSync(file, "");
  (await lockHome(home)).release();
});

test("exactly one of many simultaneous processes takes over a stale lock", async () => {
  writeFileSync(file, JSON.stringify({ pid: 999_999_999, processStart: "1", since: "2026-01-01T00:00:00.000Z" }));
  const all = await Promise.all(Array.from({ length: 5 }, () => start(/locked|refused/)));
  expect(all.map((one) => one.ready?.[0]).sort()).toEqual(["locked", "refused", "refused", "refused", "refused"]);
  await Promise.all(all.map((one) => one.stop()));
});
