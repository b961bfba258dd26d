// If the log can't be written, lines are lost, but the process continues.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logDestination, type Write } from "./log-destination.ts";

function failing(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A device that accepts as much as `room` says, and then fails. */
function device(room: { bytes: number; code: string }): { write: Write; text: () => string } {
  let text = "";
  return {
    text: () => text,
    write: (_, bytes) => {
      if (room.bytes === 0) throw failing(room.code);
      const taken = bytes.subarray(0, room.bytes);
      room.bytes -= taken.length;
      text += new TextDecoder().decode(taken);
      return taken.length;
    },
  };
}

test("lines are complete and in order", () => {
  const folder = mkdtempSync(join(tmpdir(), "plinth-log-"));
  const file = openSync(join(folder, "log"), "a");
  const destination = logDestination(file);
  for (const line of ["one\n", "zwei: ü\n", `${"x".repeat(100_000)}\n`]) destination.write(line);
  closeSync(file);
  expect(readFileSync(join(folder, "log"), "utf8")).toBe(`one\nzwei: ü\n${"x".repeat(100_000)}\n`);
  rmSync(folder, { recursive: true });
});

test("a full disk loses lines, and the next line that can be written contains their number", () => {
  const room = { bytes: 7, code: "ENOSPC" };
  const { write, text } = device(room);
  const destination = logDestination(1, write);
  for (const line of ["one\n", "second\n", "third\n"]) destination.write(line);
  expect(text()).toBe("one\nsec");
  room.bytes = 1_000;
  destination.write("fourth\n");
  destination.write("fifth\n");
  const [, , told, ...after] = text().split("\n");
  expect(JSON.parse(told ?? "")).toMatchObject({ level: "warn", lost: 2, msg: "log lines were lost" });
  expect(after).toEqual(["fourth", "fifth", ""]);
});

test("a slow reader is waited for, but not forever", () => {
  const room = { bytes: 0, code: "EAGAIN" };
  const { write, text } = device(room);
  let tries = 0;
  const destination = logDestination(1, (descriptor, bytes) => {
    if (++tries === 3) room.bytes = 1_000;
    return write(descriptor, bytes);
  });
  destination.write("one\n");
  expect(text()).toBe("one\n");
  room.bytes = 0;
  const started = performance.now();
  destination.write("two\n");
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(text()).toBe("one\n");
});

const service = `
  import { createLogger, runService } from ${JSON.stringify(join(import.meta.dirname, "index.ts"))};
  const logger = createLogger({ name: "t" });
  await runService({ name: "t", logger, start: async () => ({ stop: async () => {} }) });
  for (let i = 0; i < 20; i++) {
    logger.info("line");
    process.stdout.write("raw\\n");
    await new Promise((done) => setTimeout(done, 10));
  }
  process.exit(7);`;

test.each([
  ["a device that is full", "exec 1>/dev/full 2>&1"],
  ["a reader that has gone", "exec 1> >(true) 2>&1; sleep 0.2"],
])("a service continues with %s behind its output", (_, shell) => {
  const args = ["-c", `${shell}; exec "$0" --input-type=module --eval "$1"`, process.execPath, service];
  expect(spawnSync("bash", args, { timeout: 20_000, killSignal: "SIGKILL" }).status).toBe(7);
});
