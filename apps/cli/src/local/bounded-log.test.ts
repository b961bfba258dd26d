// A log is bounded while a process writes to it, never cuts a line, and works on a full disk.
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boundLog, olderLog } from "./bounded-log.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plinth-bounded-log-"));
  file = join(folder, "service.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (i: number): string => `line ${String(i).padStart(7, "0")} ${"x".repeat(80)}\n`;
const numbersIn = (text: string): number[] => {
  const lines = text.split("\n").slice(0, -1);
  for (const each of lines) expect(each).toMatch(/^line \d{7} x{80}$/);
  return lines.map((each) => Number(each.slice(5, 12)));
};

test("one older part is kept, and no later line is lost", () => {
  const log = openSync(file, "a");
  for (let first = 0; first < 600; first += 200) {
    for (let i = first; i < first + 200; i++) writeSync(log, line(i));
    boundLog(file, 10_000);
    expect(statSync(file).size).toBe(0);
    const older = numbersIn(readFileSync(olderLog(file), "utf8"));
    expect(older).toEqual(Array.from({ length: 200 }, (_, i) => first + i));
  }
  writeSync(log, line(600));
  boundLog(file, 10_000);
  expect(numbersIn(readFileSync(file, "utf8"))).toEqual([600]);
  closeSync(log);
  expect(statSync(olderLog(file)).mode & 0o777).toBe(0o600);
});

test("it waits for an unfinished line, but not forever", () => {
  writeFileSync(file, `${line(1).repeat(20)}line 000`);
  boundLog(file, 1_000);
  expect(existsSync(olderLog(file))).toBe(false);
  appendFileSync(file, "0002 end\n");
  boundLog(file, 1_000);
  expect(readFileSync(olderLog(file), "utf8")).toMatch(/line 0000002 end\n$/);
  writeFileSync(file, "x".repeat(2_001));
  boundLog(file, 1_000);
  expect(statSync(file).size).toBe(0);
});

test("while another process writes as fast as it can, every line is whole and both files stay small", async () => {
  const script = `const { writeSync } = require("node:fs");
    for (let i = 0; i < 60000; i++) {
      writeSync(1, "line " + String(i).padStart(7, "0") + " " + "x".repeat(80) + "\\n");
      if (i % 500 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }`;
  const log = openSync(file, "a");
  const child = spawn(process.execPath, ["--eval", script], { stdio: ["ignore", log, log] });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const seen = new Set<number>();
  let largest = 0;
  while (!isOver) {
    boundLog(file, 200_000);
    if (existsSync(olderLog(file))) {
      const older = readFileSync(olderLog(file), "utf8");
      largest = Math.max(largest, older.length, statSync(file).size);
      for (const number of numbersIn(older)) seen.add(number);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  for (const number of numbersIn(readFileSync(file, "utf8"))) seen.add(number);
  expect(largest).toBeLessThan(1_500_000);
  // Lines that are written in the moment in which the log is emptied are lost. On a busy machine, this moment is longer.
  expect(seen.size).toBeGreaterThan(55_000);
}, 60_000);

const isMountable = spawnSync("unshare", ["--mount", "true"]).status === 0;

test.skipIf(!isMountable)("on a full disk the last lines are kept, and space is freed", () => {
  const script = `set -e
    mount -t tmpfs -o size=1m tmpfs "$1"
    "$2" --input-type=module --eval '
      import { appendFileSync, statSync, readFileSync } from "node:fs";
      const { boundLog, olderLog } = await import(process.argv[1]);
      const file = process.argv[2] + "/service.log";
      const line = (i) => "line " + String(i).padStart(7, "0") + " " + "x".repeat(80) + "\\n";
      for (let i = 0; i < 7000; i++) appendFileSync(file, line(i));
      try { for (;;) appendFileSync(process.argv[2] + "/ballast", Buffer.alloc(4096)); } catch {}
      boundLog(file, 300_000);
      const older = readFileSync(olderLog(file), "utf8");
      appendFileSync(file, line(7000));
      console.log(JSON.stringify({ size: statSync(file).size, first: older.slice(0, 5), last: older.slice(-94, -82), bytes: older.length }));
    ' "$3" "$1"`;
  const program = join(import.meta.dirname, "bounded-log.ts");
  const ran = spawnSync("unshare", ["--mount", "sh", "-c", script, "sh", folder, process.execPath, program], {
    encoding: "utf8",
  });
  expect(ran.stderr).toBe("");
  const result = JSON.parse(ran.stdout) as { size: number; first: string; last: string; bytes: number };
  expect(result).toMatchObject({ size: line(0).length, first: "line ", last: "line 0006999" });
  expect(result.bytes).toBeGreaterThan(250_000);
  expect(result.bytes).toBeLessThanOrEqual(300_000);
});
