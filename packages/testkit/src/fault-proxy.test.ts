import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFaultProxy, type FaultProxy } from "./fault-proxy.ts";

let echo: Server;
let proxy: FaultProxy;
beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  proxy = await createFaultProxy({ target: `127.0.0.1:${(echo.address() as { port: number }).port}` });
});
afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

type Caller = { readonly socket: Socket; readonly heard: () => string; readonly closed: Promise<string> };
function call(): Caller {
  const socket = connect(proxy.port, "127.0.0.1");
  let heard = "";
  let failure = "closed";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    heard += chunk;
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    failure = error.code ?? "error";
  });
  return { socket, heard: () => heard, closed: new Promise((resolve) => socket.on("close", () => resolve(failure))) };
}

test("passes bytes on while it is whole", async () => {
  const caller = call();
  caller.socket.write("hello");
  await expect.poll(caller.heard).toBe("hello");
  expect(proxy.connections()).toBe(1);
  expect(proxy.through("postgres://a:b@db:5432/x")).toBe(`postgres://a:b@127.0.0.1:${proxy.port}/x`);
  caller.socket.end();
  await caller.closed;
  await expect.poll(() => proxy.connections()).toBe(0);
});

test("a cut resets current and new connections, until it is restored", async () => {
  const before = call();
  before.socket.write("x");
  await expect.poll(before.heard).toBe("x");
  proxy.cut();
  expect(await before.closed).toBe("ECONNRESET");
  expect(await call().closed).toBe("ECONNRESET");
  proxy.restore();
  const after = call();
  after.socket.write("y");
  await expect.poll(after.heard).toBe("y");
  after.socket.destroy();
});

test("a freeze holds bytes back and loses none", async () => {
  const caller = call();
  caller.socket.write("1");
  await expect.poll(caller.heard).toBe("1");
  proxy.freeze();
  caller.socket.write("2");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(caller.heard()).toBe("1");
  proxy.restore();
  await expect.poll(caller.heard).toBe("12");
  caller.socket.destroy();
});

test("a silence lets a part of the next reply pass, on one connection, and loses nothing", async () => {
  const [first, second] = [call(), call()];
  first.socket.write("1");
  await expect.poll(first.heard).toBe("1");
  second.socket.write("1");
  await expect.poll(second.heard).toBe("1");
  proxy.silence(2, 0);
  first.socket.write("2345");
  second.socket.write("2345");
  await expect.poll(second.heard).toBe("12345");
  expect(first.heard()).toBe("123");
  proxy.restore();
  await expect.poll(first.heard).toBe("12345");
  first.socket.destroy();
  second.socket.destroy();
});
