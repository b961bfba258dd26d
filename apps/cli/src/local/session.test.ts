// The session that commands share: readable only by its owner, and ignored if the file is broken.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptSession } from "./session.ts";

test("is stored in a file of mode 600, and an unreadable one is ignored", () => {
  const home = join(mkdtempSync(join(tmpdir(), "plinth-session-")), "home");
  try {
    const session = keptSession(home);
    expect(session.read()).toBeNull();
    session.write("a=b");
    expect(session.read()).toBe("a=b");
    expect(keptSession(home).read()).toBe("a=b");
    expect(statSync(join(home, "session.json")).mode & 0o777).toBe(0o600);
    for (const broken of ["", "{", "[]", '{"cookie":1}']) {
      writeFileSync(join(home, "session.json"), broken);
      expect(session.read()).toBeNull();
    }
  } finally {
    rmSync(join(home, ".."), { recursive: true, force: true });
  }
});
