// Which callers share the event loop.
import { generateKeyPairSync } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { callerOf } from "./caller-of.ts";

it("two users of one project are two callers, and so are two keys", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const token = (user: string): Promise<string> =>
    new SignJWT({ sid: user }).setProtectedHeader({ alg: "EdDSA", kid: "abcdefghijkl", typ: "JWT" }).sign(privateKey);
  const credentials = [await token("one"), await token("two"), "pk_one", "pk_two"];
  const callers = credentials.map((each) => callerOf(`Bearer ${each}`, "192.0.2.1"));
  expect(new Set(callers).size).toBe(4);
});

it("without a credential a caller is a network", () => {
  expect(callerOf(undefined, "2001:db8:1:2:3::4")).toBe(callerOf(undefined, "2001:db8:1:2:5::6"));
  expect(callerOf(undefined, "192.0.2.1")).not.toBe(callerOf(undefined, "192.0.2.2"));
});

it("only the distinguishing part of a long header is kept", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const padding = Buffer.alloc(15_000, "x");
  const header = (at: number): string => Buffer.concat([padding, Buffer.from(String(at))]).toString("latin1");
  collect();
  const before = process.memoryUsage().heapUsed;
  const callers = Array.from({ length: 2_000 }, (_, at) => callerOf(header(at), ""));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  expect(new Set(callers).size).toBe(2_000);
});
