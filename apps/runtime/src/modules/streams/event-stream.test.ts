// A single stream: what is sent after its end, and its format.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { EventStream } from "./event-stream.ts";

it("sends nothing after its end, however slow its reader is", async () => {
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
