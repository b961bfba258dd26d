// The detail of a cell's refusal: the project's owner reads the reason, whichever part of the response contains it.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { newControlKeys, readControlSigner } from "@plinth/bundle";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCells } from "./client.ts";
import { CellRefused } from "./failures.ts";

let server: Server;
let answer = "";
let cellUrl: string;

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(422, { "content-type": "application/problem+json" }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cellUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const error = (message: string): object => ({ path: "/x", code: "required", message });
const problem = { code: "validation_failed", title: "Invalid" };

test.each([
  [{ ...problem, detail: "In short.", errors: [error("A.")] }, "validation_failed", "In short."],
  [{ ...problem, errors: [error("A."), error("B.")] }, "validation_failed", "A. B."],
  [{ ...problem, errors: [] }, "validation_failed", "Invalid"],
  [problem, "validation_failed", "Invalid"],
  [{ ...problem, errors: ["not as ours are"] }, "validation_failed", "Invalid"],
  [{ code: "conflict" }, "conflict", "No reason was given."],
  ["<html>", "unknown", "No reason was given."],
])("a refusal %j", async (body, code, detail) => {
  answer = typeof body === "string" ? body : JSON.stringify(body);
  const cells = createCells({
    secret: "a secret of the tests alone",
    signer: readControlSigner(newControlKeys().privateKey),
    timeoutMs: 5_000,
  });
  const refused = await cells
    .provision({ id: "prj_1", slug: "demo", cellId: "local", cellUrl })
    .catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(CellRefused);
  expect(refused).toMatchObject({ status: 422, code, detail });
});
