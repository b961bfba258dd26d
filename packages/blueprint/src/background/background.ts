// Reads the background sections. In: their syntax. Out: their checked declarations, sorted by name. What isn't
// available yet is checked as if it were, and reported in `unserved.ts`.
import type { Background } from "../model/background.ts";
import type { Node } from "../text/syntax.ts";
import { readAccounts } from "./accounts.ts";
import { readActions } from "./actions.ts";
import { checkFlow } from "./check-flow.ts";
import type { BackgroundContext } from "./context.ts";
import { withEgressOfWorkers } from "./egress-through-workers.ts";
import { readEmails } from "./emails.ts";
import { declaredEvents, entityEvents, mappedEvents, readEvents } from "./events.ts";
import { namedConnections, readIntegrations } from "./integrations.ts";
import { readSchedules } from "./schedules.ts";
import { readWebhooks } from "./webhooks.ts";
import { readWork } from "./work.ts";
import { readWorkers } from "./workers.ts";
import { readWorkflows } from "./workflows.ts";

export type Surroundings = Omit<
  BackgroundContext,
  "workers" | "workflows" | "connections" | "events" | "payloads" | "mapped" | "emails"
>;

export function checkBackground(sections: ReadonlyMap<string, Node>, surroundings: Surroundings): Background {
  const named = new Map<string, string | null>(entityEvents(surroundings));
  const mapped = new Set(mappedEvents(sections.get("webhooks")));
  for (const name of [...declaredEvents(sections.get("events")), ...mapped])
    if (!named.has(name)) named.set(name, null);
  const declared = sections.get("events");
  const events = declared === undefined ? [] : byName(readEvents(surroundings, declared));
  const declaring: BackgroundContext = {
    ...surroundings,
    workers: keysOf(sections.get("workers")),
    workflows: keysOf(sections.get("workflows")),
    connections: namedConnections(sections.get("integrations")),
    events: named,
    mapped,
    payloads: new Map(events.map((event) => [event.name, event.payload])),
    emails: new Map(),
  };
  const mails = sections.get("emails");
  const emails = mails === undefined ? [] : byName(readEmails(declaring, mails));
  const context: BackgroundContext = { ...declaring, emails: new Map(emails.map((one) => [one.name, one])) };
  const read = <Part extends { readonly name: string }>(
    section: string,
    reading: (context: BackgroundContext, node: Node) => readonly Part[],
  ): readonly Part[] => {
    const node = sections.get(section);
    return node === undefined ? [] : byName(reading(context, node));
  };
  const webhooks = sections.get("webhooks");
  const { inbound, outbound } =
    webhooks === undefined ? { inbound: [], outbound: null } : readWebhooks(context, webhooks);
  const work = sections.get("work");
  const auth = sections.get("auth");
  const background: Background = {
    events,
    workers: read("workers", readWorkers),
    workflows: read("workflows", readWorkflows),
    schedules: read("schedules", readSchedules),
    actions: read("actions", readActions),
    inboundWebhooks: byName(inbound),
    outboundWebhooks: outbound,
    integrations: read("integrations", readIntegrations),
    emails,
    accounts: auth === undefined ? null : readAccounts(context, auth),
    retentionDays: work === undefined ? null : readWork(context, work),
  };
  checkFlow(background, sections, context);
  return withEgressOfWorkers(background);
}

function keysOf(node: Node | undefined): ReadonlySet<string> {
  return new Set(node?.kind === "map" ? node.entries.map((entry) => entry.key.text) : []);
}

function byName<Part extends { readonly name: string }>(parts: readonly Part[]): readonly Part[] {
  return [...parts].sort((a, b) => (a.name < b.name ? -1 : 1));
}
