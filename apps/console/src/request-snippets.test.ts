// The snippets work in a shell, whatever characters are in them.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlSnippet, sdkSnippet } from "./request-snippets.ts";

const target = {
  apiUrl: "http://127.0.0.1:4000/",
  project: "parcel-desk",
  entity: "order_item",
  plural: "order_items",
  key: null,
};

function argumentsOf(command: string, key: string): string[] {
  const printed = command.replace(/^curl/, "printf '%s\\n'");
  return execFileSync("/bin/sh", ["-c", printed], { env: { NODE_ENV: "test", PLINTH_KEY: key }, encoding: "utf8" })
    .trimEnd()
    .split("\n");
}

test("curl takes the key from the environment", () => {
  expect(argumentsOf(curlSnippet(target), "plk_sec_x")).toEqual([
    "http://127.0.0.1:4000/v1/resources/order_items",
    "-H",
    "Authorization: Bearer plk_sec_x",
  ]);
});

test("curl with a key, and an address with characters that a shell interprets", () => {
  const odd = { ...target, apiUrl: "http://a/$(id)'b", key: "plk_sec_y" };
  expect(argumentsOf(curlSnippet(odd), "")).toEqual([
    "http://a/$(id)'b/v1/resources/order_items",
    "-H",
    "Authorization: Bearer plk_sec_y",
  ]);
});

test("the snippet for the SDK has project, address and entity", () => {
  expect(sdkSnippet(target)).toBe(`import { createClient } from "@plinth/sdk";

const db = createClient({
  project: "parcel-desk",
  apiKey: process.env.PLINTH_KEY,
  baseUrl: "http://127.0.0.1:4000",
});

const orderItems = await db.entity("order_item").findMany();`);
});
