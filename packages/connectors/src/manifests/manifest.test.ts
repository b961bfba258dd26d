// The input of a person for a connection: split into settings and secrets, or refused with all mistakes.
import { expect, test } from "vitest";
import { connectorManifests, readConnection } from "./all.ts";

const manifest = connectorManifests.get("smtp")!;
const given = { host: "smtp.example.com", from_address: "desk@example.com" };

test("a missing setting gets its default, and secrets are separate", () => {
  expect(readConnection(manifest, { ...given, user: "desk", password: "p" })).toEqual({
    settings: { ...given, port: 587, security: "starttls", user: "desk" },
    secrets: { password: "p" },
  });
});

test.each([
  [{ host: undefined }, ["host"]],
  [{ host: "a b" }, ["host"]],
  [{ port: 0 }, ["port"]],
  [{ port: "587" }, ["port"]],
  [{ security: "ssl" }, ["security"]],
  [{ from_address: "desk@example.com, x@example.com" }, ["from_address"]],
  [{ from_name: "a\nBcc: b" }, ["from_name"]],
  [{ api_key: "k", host: 1 }, ["api_key", "host"]],
])("%j is refused", (more, fields) => {
  const read = readConnection(manifest, { ...given, ...more });
  expect(Array.isArray(read) ? read.map(({ field }) => field) : read).toEqual(fields);
});
