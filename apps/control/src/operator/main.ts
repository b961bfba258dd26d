// Commands for the operator of the machine, who has access to the database. In: a command and an address. Out: one line of JSON. It
// needs no running control plane, and accepts no request.
import { createPool } from "@plinth/postgres";
import { readConfig } from "@plinth/service";
import { z } from "zod";
import { connectDatabase, migrateDatabase } from "../database/connect.ts";
import { newResetLink, RESET_MINUTES } from "../people/password-reset.ts";
import { createResetStore, type ResetStore } from "../people/reset-store.ts";

const settings = z.object({
  CONTROL_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL"),
  PLINTH_CONSOLE_URL: z.url().default("http://127.0.0.1:3000"),
});

async function answer(store: ResetStore, consoleUrl: string, command: string, email: string): Promise<object> {
  switch (command) {
    case "reset-password": {
      const { link, tokenHash } = newResetLink(consoleUrl.replace(/\/+$/, ""));
      const created = await store.create({ email, tokenHash, mailed: false, minutes: RESET_MINUTES });
      return created === null ? { found: false } : { found: true, link, minutes: RESET_MINUTES };
    }
    case "remove-second-factor": {
      const removed = await store.removeSecondFactor(email);
      return removed === null ? { found: false } : { found: true, removed };
    }
    default:
      throw new Error(`${command} is not a command of the operator`);
  }
}

const [, , command = "", email = ""] = process.argv;
const given = readConfig(settings, process.env);
const pool = createPool({
  connectionString: given.CONTROL_DATABASE_URL,
  max: 1,
  applicationName: "plinth-operator",
  statementTimeoutMs: 15_000,
  lockTimeoutMs: 10_000,
  onIdleError: () => {},
});
try {
  await migrateDatabase(pool);
  const store = createResetStore(connectDatabase(pool));
  process.stdout.write(`${JSON.stringify(await answer(store, given.PLINTH_CONSOLE_URL, command, email))}\n`);
} finally {
  await pool.end();
}
