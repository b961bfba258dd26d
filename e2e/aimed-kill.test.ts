// A worker dies after a receiver has answered and before the answer is recorded. The delivery is sent again with the
// same id. Guarantee 2.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeEmbeddedServer, startEmbeddedPostgres } from "@plinth/postgres/embedded";
import { createLogger } from "@plinth/service";
import { expect, it } from "vitest";
import { killAfterAnswer } from "./crash/aimed-kill.ts";
import { startBareCell } from "./published-cell.ts";

it("a delivery whose answer was not recorded is sent again, with the same id", { timeout: 180_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), "plinth-aimed-"));
  const postgres = await startEmbeddedPostgres({ home, logger: createLogger({ name: "aimed", level: "error" }) });
  const cell = await startBareCell(postgres.urls.cell, {
    PLINTH_OUTBOUND_ALLOW: "127.0.0.1",
    PLINTH_LOG_LEVEL: "fatal",
  });
  try {
    const { ids, status, noted } = await killAfterAnswer(cell, postgres.urls.cell);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
    expect({ status, noted }).toEqual({ status: "delivered", noted: [false, true] });
  } finally {
    cell.process.kill("SIGKILL");
    await removeEmbeddedServer(home);
    rmSync(home, { recursive: true, force: true });
  }
});
