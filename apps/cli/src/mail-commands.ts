// Declares the commands about a project's mail. In: the program. Out: the same with `mail`.
import type { Command } from "commander";
import type { OfProject } from "./commands/runs.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";
import { ofProject } from "./work-commands.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareMail(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const mail = program
    .command("mail")
    .description("the mail of a project: connections, test, list, templates, suppressions");
  ofProject(mail.command("connections"))
    .description("the connections that send mail")
    .action(async (options: OfProject) => {
      const { listConnections } = await import("./commands/mail.ts");
      return run(listConnections(terminal, readLocalSettings(env), options));
    });
  ofProject(mail.command("test").argument("<name>", "a connection"))
    .description("test a connection, without sending anything")
    .action(async (name: string, options: OfProject) => {
      const { testConnection } = await import("./commands/mail.ts");
      return run(testConnection(terminal, readLocalSettings(env), name, options));
    });
  ofProject(mail.command("list"))
    .description("the newest mails, and their state")
    .action(async (options: OfProject) => {
      const { listMails } = await import("./commands/mail.ts");
      return run(listMails(terminal, readLocalSettings(env), options));
    });
  ofProject(mail.command("templates"))
    .description("the templates of the live version")
    .action(async (options: OfProject) => {
      const { listTemplates } = await import("./commands/mail.ts");
      return run(listTemplates(terminal, readLocalSettings(env), options));
    });
  ofProject(mail.command("suppressions"))
    .description("suppressed addresses, which get no more mail, with the reasons")
    .action(async (options: OfProject) => {
      const { listSuppressions } = await import("./commands/mail.ts");
      return run(listSuppressions(terminal, readLocalSettings(env), options));
    });
}
