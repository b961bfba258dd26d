// Declares the commands about sign-ins and visible projects. In: the program. Out: the same with `login`, `logout`, `whoami` and
// `projects`.
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
    .description("sign in to a Plinth, so that --project finds the projects that you see in its console")
    .option("--url <url>", url)
    .option("--with-token", "read an access token from stdin; you create one in the console, under Account", false)
    .option("--no-browser", "print the address only")
    .action(async (options: LoginOptions) => {
      const { login } = await import("./commands/login.ts");
      return run(login(terminal, readLocalSettings(env), options));
    });
  program
    .command("logout")
    .description("sign out, and revoke the access token")
    .option("--url <url>", "address of the console; without it, the current one")
    .action(async (options: { url?: string }) => {
      const { logout } = await import("./commands/login.ts");
      return run(logout(terminal, readLocalSettings(env), options));
    });
  program
    .command("whoami")
    .description("show the person that commands act for, and the Plinth that they use")
    .option("--json", "print it as JSON", false)
    .action(async (options: { json: boolean }) => {
      const { whoami } = await import("./commands/login.ts");
      return run(whoami(terminal, readLocalSettings(env), options));
    });
  const projects = program
    .command("projects")
    .description("list the projects that you can see, with their organizations")
    .option("--json", "print them as JSON", false)
    .action(async (options: { json: boolean }) => {
      const { listProjects } = await import("./commands/projects.ts");
      return run(listProjects(terminal, readLocalSettings(env), options));
    });
  projects
    .command("create <name>")
    .description("create a project; `plinth deploy FILE --project NAME` then proposes its first version")
    .option("--organization <name>", "the organization, by its name or id, if you belong to more than one")
    .action(async (name: string, options: { organization?: string }) => {
      const { createProject } = await import("./commands/projects.ts");
      return run(createProject(terminal, readLocalSettings(env), name, { ...projects.opts(), ...options }));
    });
}
