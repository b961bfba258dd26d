// `plinth people`. In: the address of a person of the console. Out: a link for a new password, or an account without a second factor;
// or the mails of a Plinth that sends none. It needs the database of control, so only the operator can use it.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadDatabaseSecrets } from "@plinth/postgres/embedded";
import { CommandFailure, type ExitCode } from "../failure.ts";
import { runningAddresses } from "../local/running.ts";
import { type LocalSettings, mailboxFolder, repository } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";

const MAILS_SHOWN = 5;

export async function resetPassword(terminal: Terminal, settings: LocalSettings, email: string): Promise<ExitCode> {
  const { link, minutes } = await operate<{ link: string; minutes: number }>(settings, "reset-password", email);
  terminal.out(`Send this link to ${email}. It sets a new password, once, for ${minutes} minutes:`);
  terminal.out("");
  terminal.out(`  ${link}`);
  terminal.out("");
  terminal.out("The new password signs the person out everywhere. A second factor stays on.");
  return 0;
}

export async function removeSecondFactor(
  terminal: Terminal,
  settings: LocalSettings,
  email: string,
): Promise<ExitCode> {
  const { removed } = await operate<{ removed: boolean }>(settings, "remove-second-factor", email);
  terminal.out(
    removed
      ? `${email} now signs in with the password alone. They can set up an authenticator app again, under Account.`
      : `${email} has no second factor. Nothing was changed.`,
  );
  return 0;
}

/** The newest mails, the newest last. */
export async function listMails(terminal: Terminal, settings: LocalSettings): Promise<ExitCode> {
  const folder = mailboxFolder(settings);
  const files = namesIn(folder).slice(-MAILS_SHOWN);
  if (files.length === 0) terminal.out("No mails yet.");
  for (const file of files) {
    terminal.out(
      file
        .slice(0, "0000-00-00T00-00".length)
        .replace("T", " ")
        .replace(/-(\d\d)$/, ":$1"),
    );
    terminal.out(readFileSync(join(folder, file), "utf8").trimEnd().replaceAll(/^/gm, "  "));
    terminal.out("");
  }
  return 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d.*\.txt$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** @throws CommandFailure if no account has the address, or the database can't be reached. */
async function operate<Answer>(settings: LocalSettings, command: string, email: string): Promise<Answer> {
  const main = join(repository, "apps/control/src/operator/main.ts");
  const { databaseUrl, consoleUrl } = settings.operator;
  const env = {
    ...settings.passedOn,
    CONTROL_DATABASE_URL: databaseUrl ?? localDatabaseUrl(settings),
    PLINTH_CONSOLE_URL: consoleUrl ?? runningAddresses(settings).console,
  };
  const text = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [main, command, email], { cwd: repository, env }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new CommandFailure(UNREACHABLE, 1, { cause: error }));
    });
  });
  const answer = JSON.parse(text) as Answer & { readonly found: boolean };
  if (!answer.found) throw new CommandFailure(`no account of this Plinth has the address ${email}`);
  return answer;
}

const UNREACHABLE =
  "the database of control can't be used: is this Plinth running? On a server, set CONTROL_DATABASE_URL and PLINTH_CONSOLE_URL as for control";

/** The database that `plinth up` has created. */
function localDatabaseUrl({ home, databaseUrl }: LocalSettings): string {
  const { controlPassword, port } = loadDatabaseSecrets(home);
  const url = new URL(databaseUrl ?? `postgres://127.0.0.1:${port}`);
  url.username = "plinth_control";
  url.password = controlPassword;
  url.pathname = "/plinth_control";
  return url.href;
}
