// The control database's migrations are as they were released. A changed migration would keep every installation from starting that has applied it: even a comment counts.
// A new migration needs a new line here, and no other line ever changes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** The first characters of the SHA-256 of each migration. */
const released: Readonly<Record<string, string>> = {
  "001-first": "23c37564e247",
  "002-consents": "bf15ab9cf03e",
  "003-provenance": "aba977957226",
  "004-cells": "73fc846a55c8",
  "005-names": "98f67a4e8a2a",
  "006-models": "a392560b69dc",
  "010-invitations": "8b0b0ba98751",
  "011-texts": "fea8cdfc2f04",
  "012-roles": "b34253a947f2",
  "013-deleted-projects": "e9a851bb6a74",
  "014-accounts": "9d61883868dc",
  "016-access-tokens": "4bf8f27b21ef",
  "020-submissions": "514b3946fdaf",
  "021-timeline": "d64fde49891f",
  "022-drafts": "8a954413ee0a",
  "023-environments": "47513804f7a0",
  "024-used-codes": "baec52dbf261",
  "025-own-mail": "b9bc564be987",
  "026-programs": "9181c1b5a4fc",
};

const hashOf = (sql: string): string => createHash("sha256").update(sql).digest("hex").slice(0, 12);

it("no released migration has changed", () => {
  const folder = join(import.meta.dirname, "migrations");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const found = names.map((name) => [name.slice(0, -".sql".length), hashOf(readFileSync(join(folder, name), "utf8"))]);
  expect(Object.fromEntries(found)).toEqual(released);
});
