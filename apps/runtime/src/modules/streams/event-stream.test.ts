// One stream by itself: what is said after its end, and how it is written.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { EventStream } from "./event-stream.ts";

it("says nothing after its end, however long its reader takes", async () => {
  const stream = new EventStream(() => {});
  const errors: unknown[] = [];
  stream.on("error", (error) => errors.push(error));
  stream.send({ id: "1", event: "created", data: "x".repeat(100_000) });
  stream.send({ event: "closed", data: "{}" });
  stream.finish(1_000);
  stream.send({ event: "closed", data: '{"again":true}' });
  stream.beat(null);
  stream.finish(1_000);
  await sleep(10);
  expect(errors).toEqual([]);
  let text = "";
  for await (const part of stream) text += part;
  expect(text.slice(100_000)).toMatch(/event: closed\ndata: \{\}\n\nretry: 1000\n\n$/);
});
