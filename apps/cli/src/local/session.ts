// The local developer's session with the control API, between commands. In: the home. Out: the storage of the cookie, in a file
// of mode 600. It is a separate file, because several commands write it at the same time, and must not lose other secrets.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionStore } from "../control-client.ts";

export function keptSession(home: string): SessionStore {
  const file = join(home, "session.json");
  return {
    // An unreadable session is ignored and replaced.
    read() {
      try {
        const { cookie } = JSON.parse(readFileSync(file, "utf8")) as { readonly cookie?: unknown };
        return typeof cookie === "string" ? cookie : null;
      } catch {
        return null;
      }
    },
    write(cookie) {
      mkdirSync(home, { recursive: true });
      const temporary = `${file}.${process.pid}`;
      writeFileSync(temporary, `${JSON.stringify({ cookie })}\n`, { mode: 0o600 });
      renameSync(temporary, file);
    },
  };
}
