// Which texts are e-mail addresses, and their form for SMTP: never more than one address, and nothing that ends a
// header.
import fc from "fast-check";
import { expect, it } from "vitest";
import { wireAddress } from "./address.ts";

it.each([
  ["ana@example.com", "ana@example.com"],
  ["Ana.Maria+tag@Example.COM", "Ana.Maria+tag@example.com"],
  ["o'neil_x=%&*!#$/?^`{|}~-@example.com", "o'neil_x=%&*!#$/?^`{|}~-@example.com"],
  ["a@localhost", "a@localhost"],
  ["ana@exämple.de", "ana@xn--exmple-cua.de"],
  ["ana@例え.jp", "ana@xn--r8jz45g.jp"],
  ["ana@xn--exmple-cua.de", "ana@xn--exmple-cua.de"],
  [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  ["ana@１２３.com", "ana@123.com"],
])("%s is %s", (text, wire) => expect(wireAddress(text)).toBe(wire));

it.each([
  "",
  "@",
  "ana",
  "ana@",
  "@example.com",
  "ana@@example.com",
  "ana@b@example.com",
  '"a b"@example.com',
  "ana @example.com",
  "ana@exa mple.com",
  "ana@example.com, bo@example.com",
  "ana@example.com;bo@example.com",
  "Ana <ana@example.com>",
  "ana@example.com\r\nBcc: bo@example.com",
  "ana\r\n@example.com",
  "ana@example.com\0",
  "ana@example.com:25",
  "ana@example.com/x",
  "ana@exam%70le.com",
  "ana@[127.0.0.1]",
  "ana@127.0.0.1",
  "ana@2130706433",
  "ana@-example.com",
  "ana@example..com",
  "ana@.example.com",
  "ana@example.com.",
  `${"a".repeat(65)}@example.com`,
  `ana@${"a".repeat(64)}.com`,
  `ana@${"abc.".repeat(70)}com`,
  "änä@example.com",
  "ana@example.com\u2028",
  "ana@exa\u202emple.com",
])("%j is not an address", (text) => expect(wireAddress(text)).toBeNull());

it("any text gives at most one address in ASCII, which stays unchanged", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.tuple(fc.string(), fc.string({ unit: "grapheme" })).map(([local, domain]) => `${local}@${domain}`),
    fc.emailAddress(),
  );
  fc.assert(
    fc.property(text, (given) => {
      const wire = wireAddress(given);
      if (wire === null) return;
      expect(wire).toMatch(/^[\x21-\x7e]+@[a-z0-9.-]+$/);
      expect(wire).not.toMatch(/[\s<>,;:"()[\]\\]/);
      expect(wireAddress(wire)).toBe(wire);
    }),
    { numRuns: 2_000 },
  );
});
