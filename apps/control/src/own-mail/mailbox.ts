// The mailbox of a Plinth on one's own machine. In: a mail. Out: a file that only the operator can read. It keeps the newest mails.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnMail } from "./own-mail.ts";

const KEPT_MAX = 50;

export async function storeInMailbox(folder: string, { to, subject, text }: OwnMail): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${new Date().toISOString().replaceAll(":", "-")}-${randomBytes(3).toString("hex")}.txt`;
  const aside = join(folder, `.${name}`);
  await writeFile(aside, `To: ${to}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 });
  await rename(aside, join(folder, name));
  const kept = (await readdir(folder)).filter((each) => each.endsWith(".txt") && !each.startsWith(".")).sort();
  for (const old of kept.slice(0, -KEPT_MAX)) await rm(join(folder, old), { force: true });
}
