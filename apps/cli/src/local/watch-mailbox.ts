// Tells the operator about new mails of the console on this machine. In: the folder of the mailbox. Out: one line for each new mail,
// without its text: the terminal may be recorded, and a link signs somebody in.
import { type FSWatcher, mkdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";

export function watchMailbox(folder: string, progress: (line: string) => void): { stop(): void } {
  const seen = new Set<string>();
  let watcher: FSWatcher | null = null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    watcher = watch(folder, (_event, name) => {
      if (name === null || !/^\d.*\.txt$/.test(name) || seen.has(name)) return;
      const head = headOf(join(folder, name));
      if (head === null) return;
      seen.add(name);
      progress(`${head}. Read it with: npx plinth people mails`);
    });
    watcher.on("error", () => {});
  } catch {
    // Without it, `plinth people mails` still shows the mails.
  }
  return { stop: () => watcher?.close() };
}

/** Null if the file is gone: the oldest mails are deleted. */
function headOf(file: string): string | null {
  try {
    const [to = "", subject = ""] = readFileSync(file, "utf8").split("\n", 2);
    return `Mail for ${to.replace("To: ", "")}: ${subject.replace("Subject: ", "")}`;
  } catch {
    return null;
  }
}
