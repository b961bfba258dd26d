// `plinth webhooks listen`. In: a project, and an address on this machine. Out: each new event of the project, forwarded there as
// its webhook, and a line with the result, until Ctrl-C. The project's listener ends with the command.
import { setTimeout as pause } from "node:timers/promises";
import type { ForwardOutcome, PulledDelivery } from "@plinth/control/router";
import { CommandFailure, type ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { StopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { type Forwarded, forward } from "./forward.ts";
import { doorByControl, doorByKey, type ListenerDoor } from "./listener-door.ts";
import { type OfProject, withProject } from "./runs.ts";

export interface Listening extends OfProject {
  readonly forwardTo: string;
  /** Names of events, `order.*`, or `*`. */
  readonly events: readonly string[];
  /** The address of a hosted project's API, instead of the local Plinth. */
  readonly api?: string;
}

/** The time between two pulls: when idle, and while deliveries are forwarded. */
const IDLE_MS = 1_000;
const BUSY_MS = 200;
/** The time after a pull without an answer. */
const LOST_MS = 2_000;
/** How many deliveries are forwarded at the same time. */
const UNDER_WAY_MAX = 40;
const OUTCOMES_MAX = 100;
/** How long the command waits for running deliveries when it is stopped. */
const END_MS_MAX = 3_000;

/** @param key A secret key of the hosted project whose role is `admin`. */
export async function listenToWebhooks(
  terminal: Terminal,
  { settings, key }: { readonly settings: LocalSettings; readonly key: string | undefined },
  stop: StopSignal,
  options: Listening,
): Promise<ExitCode> {
  const { api, project } = options;
  if (api === undefined) {
    return withProject(settings, project, async (control, projectId) =>
      listen(terminal, doorByControl(control, { projectId, project }), stop, options),
    );
  }
  if (!key) {
    throw new CommandFailure("`--api` needs a secret key whose role is admin, in the variable PLINTH_KEY", 2);
  }
  return listen(terminal, doorByKey(api, key), stop, options);
}

async function listen(
  terminal: Terminal,
  door: ListenerDoor,
  stop: StopSignal,
  { forwardTo, events, json }: Listening,
): Promise<ExitCode> {
  const { id, secret } = await door.open(forwardTo, events);
  if (json) terminal.out(JSON.stringify({ endpoint: id, secret, forward_to: forwardTo }));
  else {
    terminal.err(`${events.join(", ")} to ${forwardTo} until Ctrl-C`);
    terminal.err(`the secret for their signatures: ${secret}`);
  }
  const underWay = new Set<Promise<void>>();
  let outcomes: ForwardOutcome[] = [];
  const begin = (delivery: PulledDelivery): void => {
    const going = forward(forwardTo, delivery).then((forwarded) => {
      outcomes.push(outcomeOf(delivery, forwarded));
      terminal.out(json ? jsonLine(delivery, forwarded) : line(terminal, delivery, forwarded));
    });
    underWay.add(going);
    void going.finally(() => underWay.delete(going));
  };
  /** Out: the due deliveries. Null if there was no answer: then the outcomes are reported again. */
  const pull = async (): Promise<readonly PulledDelivery[] | null> => {
    const sent = outcomes.slice(0, OUTCOMES_MAX);
    const deliveries = await door.pull(id, sent);
    if (deliveries !== null) outcomes = outcomes.slice(sent.length);
    return deliveries;
  };
  try {
    let isLost = false;
    while (!stop.isRequested()) {
      const deliveries = underWay.size < UNDER_WAY_MAX ? await pull() : [];
      if (deliveries === null && !isLost) terminal.err("no answer from Plinth; trying again");
      if (deliveries !== null && isLost) terminal.err("Plinth answers again");
      isLost = deliveries === null;
      for (const delivery of deliveries ?? []) begin(delivery);
      const isBusy = underWay.size > 0 || outcomes.length > 0;
      await stop.or(pause(isLost ? LOST_MS : isBusy ? BUSY_MS : IDLE_MS));
    }
    await Promise.race([Promise.all(underWay), pause(END_MS_MAX)]);
    while (outcomes.length > 0 && (await pull()) !== null);
  } finally {
    await door.close(id);
  }
  return 0;
}

function outcomeOf({ id, attempt }: PulledDelivery, { status, body, error }: Forwarded): ForwardOutcome {
  return status === null ? { id, attempt, error } : { id, attempt, status, body };
}

function line(terminal: Terminal, { event, id }: PulledDelivery, { status, error, ms }: Forwarded): string {
  const isFine = status !== null && status >= 200 && status < 300;
  const answer = terminal.paint(isFine ? "green" : "red", String(status ?? error));
  return [new Date().toISOString().slice(11, 19), event, id, answer, `${ms} ms`].join("  ");
}

function jsonLine({ event, id, body }: PulledDelivery, { status, error, ms }: Forwarded): string {
  return JSON.stringify({ id, event, status, error: status === null ? error : null, ms, body });
}
