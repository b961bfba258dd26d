// The cell's migrations are as they were released. A changed migration would keep every installation from starting that has applied it: even a comment counts.
// A new migration needs a new line here, and no other line ever changes.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { cellMigrations } from "./cell-tables.ts";

/** The first characters of the SHA-256 of each migration. */
const released: Readonly<Record<string, string>> = {
  "001-projects-and-releases": "6e2640d12666",
  "002-credentials": "9ecb27e26eb9",
  "003-phases-and-set-aside": "a1bb7076f626",
  "004-retention": "a445190f65e7",
  "005-names-of-organizations": "42b45ac442fa",
  "006-events-and-runs": "006023cef68f",
  "007-signed-calls": "9fe062caf922",
  "008-bounded-workers": "71cd97ac983d",
  "009-what-is-due-next": "41281bbb30cf",
  "010-paused-schedules": "6bfee53f4fbe",
  "011-open-offers": "606eb62f4d98",
  "012-retention-of-work": "c9a4b3ae9f79",
  "013-used-assertions": "0ed60ab3eff2",
  "014-webhook-endpoints": "cfd61940349e",
  "015-webhook-deliveries": "64cece851139",
  "016-webhooks-in": "6d30bba45ef6",
  "018-email": "659dd1db5e23",
  "019-account-tokens": "14651e67b8e1",
  "025-names-of-mails": "bc71f492cc0c",
  "026-account-mails": "7d997b6652c8",
  "020-followed-changes": "973a46757eb9",
  "021-webhook-subjects": "a94bb007528a",
  "023-secrets-that-end": "cad455861c2d",
  "024-signatures-used-once": "9b2dee86caa1",
  "029-webhook-settings": "8c54dd0ccd24",
  "031-webhook-lanes": "142a18597d35",
  "033-webhook-listeners": "462bd3f8696e",
  "034-payload-versions": "d4a1ceaad158",
  "035-indexes-of-exclusions": "babac929d463",
  "036-similar-words": "552aaf51aaed",
  "037-descriptions": "c393df87eed1",
  "038-imports": "d7c32a34df4d",
  "039-disabled-users": "b1441947efc0",
  "040-suspended-projects": "4fa46a9f226b",
  "041-screened-requests": "04dae496c1dd",
  "042-shared-webhook-bodies": "4adedf333bd6",
  "043-claims-of-processes": "4613cf0a40a2",
};

const hashOf = (sql: string): string => createHash("sha256").update(sql).digest("hex").slice(0, 12);

it("no released migration has changed", () => {
  expect(Object.fromEntries(cellMigrations.map(({ id, sql }) => [id, hashOf(sql)]))).toEqual(released);
});
