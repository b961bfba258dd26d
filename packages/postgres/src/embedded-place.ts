// Where the embedded server is stored, and as which user it runs. In: the state home. Out: a folder and a user.
// Postgres never runs as root (it refuses), and its data is never where its user can't reach it.
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, readFileSync, readlinkSync, realpathSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";

export type ServerUser = { readonly uid: number; readonly gid: number };

export type ServerPlace = {
  /** Holds the program, the data and the log of the server. Absolute. */
  readonly folder: string;
  /** Null: the server runs as the caller. */
  readonly user: ServerUser | null;
};

/** The data folder for a state home that the server's user can't enter (root's own, mode 700). */
const systemFolder = "/var/lib/plinth";

export function findPlace(home: string): ServerPlace {
  mkdirSync(home, { recursive: true, mode: 0o755 });
  const absolute = realpathSync(home);
  if (process.getuid?.() !== 0) return { folder: ownFolder(path.join(absolute, "postgres"), null), user: null };
  const user = nobody();
  if (othersMayEnter(absolute)) return { folder: ownFolder(path.join(absolute, "postgres"), user), user };
  mkdirSync(systemFolder, { recursive: true, mode: 0o755 });
  return { folder: ownFolder(linkedFolder(path.join(absolute, "postgres-data")), user), user };
}

/**
 * The folder behind the home's link, created at the first call. It is a link and not a name derived from the path:
 * whoever deletes the home starts fresh, instead of finding old data whose passwords are gone.
 */
function linkedFolder(link: string): string {
  try {
    const target = readlinkSync(link);
    if (path.dirname(target) === systemFolder) return target;
    throw new Error(`${link} must point into ${systemFolder}, but points to ${target}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const target = path.join(systemFolder, randomBytes(8).toString("hex"));
  symlinkSync(target, link, "dir");
  return target;
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
    throw new Error(
      "Postgres can't run as root, and there is no user `nobody` on this machine: start as an ordinary user.",
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}
