// Where the embedded server lives and as whom it runs. In: the state home. Out: a folder and a user.
// Never runs Postgres as root (it refuses), and never puts its data where its user cannot reach it.
import { createHash } from "node:crypto";
import { chownSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";

export type ServerUser = { readonly uid: number; readonly gid: number };

export type ServerPlace = {
  /** Holds the program, the data and the log of the server. Absolute. */
  readonly folder: string;
  /** Null: the server runs as the caller. */
  readonly user: ServerUser | null;
};

/** Where a state home that the server's user cannot enter (root's own, mode 700) has its data instead. */
const systemFolder = "/var/lib/plinth";

export function findPlace(home: string): ServerPlace {
  mkdirSync(home, { recursive: true, mode: 0o755 });
  const absolute = realpathSync(home);
  if (process.getuid?.() !== 0) return { folder: ownFolder(path.join(absolute, "postgres"), null), user: null };
  const user = nobody();
  if (othersMayEnter(absolute)) return { folder: ownFolder(path.join(absolute, "postgres"), user), user };
  const name = createHash("sha256").update(absolute).digest("hex").slice(0, 16);
  mkdirSync(systemFolder, { recursive: true, mode: 0o755 });
  return { folder: ownFolder(path.join(systemFolder, name), user), user };
}

function ownFolder(folder: string, user: ServerUser | null): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user !== null) chownSync(folder, user.uid, user.gid);
  return folder;
}

function othersMayEnter(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

function nobody(): ServerUser {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error("Postgres cannot run as root and there is no user `nobody` here: start as an ordinary user.");
  }
  return { uid: Number(uid), gid: Number(gid) };
}
