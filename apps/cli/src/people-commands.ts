// Declares the operator's commands about people of the console. In: the program. Out: the same with `people`.
import type { Command } from "commander";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declarePeople(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const people = program
    .command("people")
    .description("for the operator: the people of the console, by the database of control");
  people
    .command("reset-password")
    .description("print a link that sets a new password, once")
    .argument("<email>", "the address of the account")
    .action(async (email: string) => {
      const { resetPassword } = await import("./commands/people.ts");
      return run(resetPassword(terminal, readLocalSettings(env), email));
    });
  people
    .command("remove-second-factor")
    .description("turn off two-factor authentication of a person who has lost the app and the backup codes")
    .argument("<email>", "the address of the account")
    .action(async (email: string) => {
      const { removeSecondFactor } = await import("./commands/people.ts");
      return run(removeSecondFactor(terminal, readLocalSettings(env), email));
    });
  people
    .command("mails")
    .description("show the newest mails of the console on this machine, which sends none")
    .action(async () => {
      const { listMails } = await import("./commands/people.ts");
      return run(listMails(terminal, readLocalSettings(env)));
    });
}
