// The commands about who is signed in where, and what they may see there, declared. In: the program. Out: `login`, `logout`, `whoami`
// and `projects` in it.
import type { Command } from "commander";
import type { LoginOptions } from "./commands/login.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareAccount(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const url = "address of the console; without it, PLINTH_URL or the Plinth on this machine";
  program
    .command("login")
    .description("sign in to a Plinth, so that --project reaches the projects that you see in its console")
    .option("--url <url>", url)
    .option("--with-token", "read an access token from stdin; the console makes one under Account", false)
    .option("--no-browser", "print the address only")
    .action(async (options: LoginOptions) => {
      const { login } = await import("./commands/login.ts");
      return run(login(terminal, readLocalSettings(env), options));
    });
  program
    .command("logout")
    .description("sign out, and revoke the access token")
    .option("--url <url>", "address of the console; without it, the one that commands ask")
    .action(async (options: { url?: string }) => {
      const { logout } = await import("./commands/login.ts");
      return run(logout(terminal, readLocalSettings(env), options));
    });
  program
    .command("whoami")
    .description("say whom commands act as, and at which Plinth")
    .option("--json", "print it as JSON", false)
    .action(async (options: { json: boolean }) => {
      const { whoami } = await import("./commands/login.ts");
      return run(whoami(terminal, readLocalSettings(env), options));
    });
  program
    .command("projects")
    .description("list the projects that you may see, with their organizations")
    .option("--json", "print them as JSON", false)
    .action(async (options: { json: boolean }) => {
      const { listProjects } = await import("./commands/projects.ts");
      return run(listProjects(terminal, readLocalSettings(env), options));
    });
}
