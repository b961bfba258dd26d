import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { acceptsGzip, createUnpacker, UNPACKING_BYTES } from "./unpacked.ts";

const text = JSON.stringify(Array.from({ length: 200_000 }, (_, i) => ({ name: `entity ${i}` })));
const compressed = gzipSync(text);

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test("what is read is the whole text", async () => {
  expect(await textOf(createUnpacker().stream("p", compressed))).toBe(text);
});

test("no more than one piece is unpacked without a reader", async () => {
  const stream = createUnpacker().stream("p", compressed);
  await sleep(20);
  expect(stream.readableLength).toBe(0);
  stream.read(0);
  await sleep(100);
  expect(stream.readableLength).toBeGreaterThan(0);
  expect(stream.readableLength).toBeLessThanOrEqual(UNPACKING_BYTES);
  stream.destroy();
});

test("one project's many documents don't delay another's", async () => {
  const unpacker = createUnpacker();
  const ended: string[] = [];
  const read = async (project: string): Promise<void> => {
    await textOf(unpacker.stream(project, compressed));
    ended.push(project);
  };
  await Promise.all([...Array.from({ length: 6 }, () => read("greedy")), sleep(20).then(() => read("other"))]);
  expect(ended.indexOf("other")).toBeLessThan(3);
});

test("gzip is accepted if the header names it with a weight", () => {
  const taken = ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "deflate,gzip ; q=1"];
  expect(taken.filter(acceptsGzip)).toEqual(taken);
  expect([undefined, "", "br", "gzip;q=0", "gzip; q=0.000", "x-gzipped"].filter(acceptsGzip)).toEqual([]);
});
