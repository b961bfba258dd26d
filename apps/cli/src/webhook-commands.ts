// The commands about webhooks that leave a project, declared. In: the program. Out: `webhooks` in it.
import { type Command, Option } from "commander";
import type { OfProject } from "./commands/runs.ts";
import type { DeliveryFilters, Replaying } from "./commands/webhooks.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import type { Terminal } from "./terminal.ts";
import { ofProject } from "./work-commands.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareWebhooks(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const webhooks = program
    .command("webhooks")
    .description("where a project's events are sent: list, deliveries, trigger, replay");
  ofProject(webhooks.command("list"))
    .description("the endpoints, and how they are")
    .action(async (options: OfProject) => {
      const { listEndpoints } = await import("./commands/webhooks.ts");
      return run(listEndpoints(terminal, readLocalSettings(env), options));
    });
  ofProject(webhooks.command("deliveries"))
    .description("the newest deliveries")
    .option("--endpoint <id>", "only those of this endpoint")
    .addOption(
      new Option("--status <status>", "only those of this status").choices([
        "pending",
        "delivered",
        "failed",
        "revoked",
      ]),
    )
    .action(async (options: DeliveryFilters) => {
      const { listDeliveries } = await import("./commands/webhooks.ts");
      return run(listDeliveries(terminal, readLocalSettings(env), options));
    });
  ofProject(webhooks.command("trigger").argument("<id>", "an endpoint"))
    .description("send it the event webhook.test")
    .action(async (id: string, options: OfProject) => {
      const { triggerTest } = await import("./commands/webhooks.ts");
      return run(triggerTest(terminal, readLocalSettings(env), id, options));
    });
  ofProject(webhooks.command("replay").argument("<id>", "a delivery; with --since an endpoint"))
    .description("send a delivery again, or what an endpoint has not been sent")
    .option("--since <time>", "all that failed since then, as 2026-01-31T00:00:00Z")
    .action(async (id: string, options: Replaying) => {
      const { replay } = await import("./commands/webhooks.ts");
      return run(replay(terminal, readLocalSettings(env), id, options));
    });
}
