// The local developer's session with the control API, between commands. In: the home. Out: where the cookie is kept, in a file of
// mode 600. A file of its own: several commands write it at once, and none may take another's secrets away.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionStore } from "../control-client.ts";

export function keptSession(home: string): SessionStore {
  const file = join(home, "session.json");
  return {
    // One that can't be read is none: the next takes its place.
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
      const aside = `${file}.${process.pid}`;
      writeFileSync(aside, `${JSON.stringify({ cookie })}\n`, { mode: 0o600 });
      renameSync(aside, file);
    },
  };
}
