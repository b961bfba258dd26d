// Declares the commands about a project's sent and received webhooks. In: the program. Out: the same with `webhooks`.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Listening } from "./commands/listen.ts";
import type { OfProject } from "./commands/runs.ts";
import type { DeliveryFilters, Replaying } from "./commands/webhooks.ts";
import type { RequestFilters, SecretChange } from "./commands/webhooks-in.ts";
import type { ExitCode } from "./failure.ts";
import { type Environment, readLocalSettings } from "./local/settings.ts";
import { listenForStop } from "./stop-signal.ts";
import type { Terminal } from "./terminal.ts";
import { ofProject } from "./work-commands.ts";

type Run = (work: Promise<ExitCode>) => Promise<void>;

export function declareWebhooks(program: Command, env: Environment, terminal: Terminal, run: Run): void {
  const webhooks = program
    .command("webhooks")
    .description(
      "what a project sends: endpoints, deliveries, trigger, listen; what it receives: sources, requests, secret; replay",
    );
  ofProject(webhooks.command("endpoints").alias("list"))
    .description("the endpoints, and their state")
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
    .description("send the event webhook.test to an endpoint")
    .action(async (id: string, options: OfProject) => {
      const { triggerTest } = await import("./commands/webhooks.ts");
      return run(triggerTest(terminal, readLocalSettings(env), id, options));
    });
  ofProject(
    webhooks
      .command("replay")
      .argument(
        "<id>",
        "a delivery; with --since an endpoint, with --received a received request, with --unmapped a source",
      ),
  )
    .description("send a delivery or all failed ones again, or process a received request again")
    .option("--since <time>", "all failed deliveries of an endpoint since this time, such as 2026-01-31T00:00:00Z")
    .option("--received", "emit the event of a received request again")
    .option(
      "--unmapped",
      "emit the events of all requests of a source that had no event when they arrived; --since limits them",
    )
    .action(async (id: string, options: Replaying & { received?: true; unmapped?: true }) => {
      const settings = readLocalSettings(env);
      if (options.received || options.unmapped) {
        const { replayReceived, replayUnmapped } = await import("./commands/webhooks-in.ts");
        return run((options.received ? replayReceived : replayUnmapped)(terminal, settings, id, options));
      }
      const { replay } = await import("./commands/webhooks.ts");
      return run(replay(terminal, settings, id, options));
    });
  declareListen(webhooks, env, terminal, run);
  declareReceived(webhooks, env, terminal, run);
}

function declareListen(webhooks: Command, env: Environment, terminal: Terminal, run: Run): void {
  ofProject(webhooks.command("listen"))
    .description("forward new events of the project to an address on this machine, until Ctrl-C")
    .requiredOption("--forward-to <url>", "such as http://localhost:3000/hooks, or only a port")
    .option("--events <names>", "only these, separated by commas, such as order.created,parcel.*", namesOf, ["*"])
    .option("--api <url>", "address of a hosted project's API; PLINTH_KEY has its secret key")
    .action(async (options: Listening) => {
      const { forwardTarget } = await import("./commands/forward.ts");
      const { listenToWebhooks } = await import("./commands/listen.ts");
      const from = { settings: readLocalSettings(env), key: env["PLINTH_KEY"] };
      const listening = { ...options, forwardTo: forwardTarget(options.forwardTo) };
      return run(listenToWebhooks(terminal, from, listenForStop(), listening));
    });
}

function namesOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Separate the names by commas.");
  return names;
}

function declareReceived(webhooks: Command, env: Environment, terminal: Terminal, run: Run): void {
  ofProject(webhooks.command("sources"))
    .description("the services that send to the project: their addresses and state")
    .action(async (options: OfProject) => {
      const { listSources } = await import("./commands/webhooks-in.ts");
      return run(listSources(terminal, readLocalSettings(env), options));
    });
  ofProject(webhooks.command("requests"))
    .description("the newest requests that were received")
    .option("--source <name>", "only those of this source")
    .addOption(
      new Option("--status <status>", "only those of this status").choices(["accepted", "unmapped", "refused"]),
    )
    .option("--show <id>", "the body of this one")
    .action(async (options: RequestFilters) => {
      const { listRequests } = await import("./commands/webhooks-in.ts");
      return run(listRequests(terminal, readLocalSettings(env), options));
    });
  ofProject(webhooks.command("secret").argument("<source>", "a source"))
    .description("add a secret, read from standard input; or remove one")
    .option(
      "--overlap <hours>",
      "end the current secrets after this number of hours, at most 168; without it, they stay valid",
      hoursOf,
    )
    .option("--remove <id>", "remove this secret instead of adding one")
    .action(async (source: string, options: SecretChange) => {
      const { changeSecret } = await import("./commands/webhooks-in.ts");
      return run(changeSecret(terminal, readLocalSettings(env), source, options));
    });
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,3}$/.test(text) || hours > 168) throw new InvalidArgumentError("Give whole hours from 0 to 168.");
  return hours;
}
