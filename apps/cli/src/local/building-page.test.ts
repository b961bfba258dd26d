// The page at the console's address while the console is being built.
import { createServer } from "node:net";
import { freePort } from "@plinth/testkit";
import { expect, test } from "vitest";
import { serveBuildingPage } from "./building-page.ts";

test("it shows a page with the status 503, and frees the port", async () => {
  const port = await freePort();
  const page = await serveBuildingPage(port);
  const response = await fetch(`http://127.0.0.1:${port}/projects?x=1`);
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("5");
  expect(await response.text()).toContain("The console is being built");
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x" })).status).toBe(503);
  await Promise.all([page.stop(), page.stop()]);
  await new Promise<void>((done, failed) => {
    const next = createServer()
      .once("error", failed)
      .listen(port, "127.0.0.1", () => next.close(() => done()));
  });
});

test("it doesn't take a port that is in use", async () => {
  const port = await freePort();
  const other = createServer().listen(port, "127.0.0.1");
  await new Promise((done) => other.once("listening", done));
  await (await serveBuildingPage(port)).stop();
  other.close();
});
