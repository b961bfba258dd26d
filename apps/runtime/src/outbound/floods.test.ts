// Services that send without end, in parts that aren't a body: the connection is closed after a few megabytes, whatever
// time is left.
import { type AddressInfo, createServer, type Server } from "node:net";
import { networksOf } from "@plinth/service";
import { afterEach, expect, it } from "vitest";
import { createOutbound } from "./call.ts";

const outbound = createOutbound({ outboundAllowed: networksOf(["127.0.0.1"]) });

let server: Server | null = null;
afterEach(() => server?.close());

/** The result of a call to a service that sends `first`, and then `again` as long as it is read. */
async function call(first: string, again: string): Promise<{ readonly problem: string; readonly ms: number }> {
  const flooding = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write(again));
      };
      socket.on("drain", flood);
      socket.write(first);
      flood();
    });
  });
  server = flooding;
  await new Promise<void>((resolve) => flooding.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(flooding.address() as AddressInfo).port}/`;
  const start = performance.now();
  const request = { method: "POST", url, headers: {}, body: "{}", timeoutMs: 4_000, keepFor: "endpoint" };
  const problem = await outbound
    .call("p", async () => request)
    .then(
      () => "none",
      (error: { readonly problem: string }) => error.problem,
    );
  return { problem, ms: performance.now() - start };
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

it.each([
  ["interim answers", "", "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n".repeat(1_000)],
  ["extensions of chunks", CHUNKED, `1;${"x".repeat(8_000)}\r\na\r\n`.repeat(10)],
  ["a body", CHUNKED, `2710\r\n${"a".repeat(10_000)}\r\n`.repeat(10)],
])("%s", async (_, first, again) => {
  const { problem, ms } = await call(first, again);
  expect(problem).toBe("too_large");
  expect(ms).toBeLessThan(3_500);
});
