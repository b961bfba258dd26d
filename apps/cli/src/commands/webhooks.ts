// `plinth webhooks endpoints|deliveries|trigger|replay`. In: a project, an endpoint or a delivery. Out: endpoints with their
// state, deliveries, or the result of an action. With `json`, exactly control's answer.
import type { DeliveryStatus, WebhookEndpoint } from "@plinth/control/router";
import { columns } from "../columns.ts";
import { isControlError } from "../control-client.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, requireId, withProject } from "./runs.ts";

const dim = (text: string): { readonly text: string; readonly colour: "dim" } => ({ text, colour: "dim" });

export async function listEndpoints(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const all: WebhookEndpoint[] = [];
    let cursor: string | undefined;
    do {
      const page = await control.webhooks.endpoints.query({ projectId, limit: 100, cursor });
      if (page === null) throw noWebhooks(project);
      all.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    if (json) terminal.out(JSON.stringify(all));
    else if (all.length === 0)
      terminal.err("no endpoint: create one in the console or with `POST /v1/webhook-endpoints`");
    else {
      const rows = all.map((one) => [one.id, one.url, one.events.join(" "), stateOf(one)]);
      for (const line of columns(terminal, [["ID", "URL", "EVENTS", "STATE"].map(dim), ...rows])) terminal.out(line);
    }
    return 0;
  });
}

function stateOf({ enabled, disabledReason, failures, listensUntil }: WebhookEndpoint): string {
  if (listensUntil !== null) return enabled && Date.parse(listensUntil) > Date.now() ? "listening" : "listener, ended";
  if (!enabled) return `disabled (${disabledReason ?? ""})`;
  return failures > 0 ? `${failures} consecutive failures` : "enabled";
}

export interface DeliveryFilters extends OfProject {
  readonly endpoint?: string;
  readonly status?: DeliveryStatus;
}

export async function listDeliveries(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json, endpoint, status }: DeliveryFilters,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const page = await control.webhooks.deliveries.query({ projectId, endpointId: endpoint, status });
    if (page === null) throw noWebhooks(project);
    if (json) terminal.out(JSON.stringify(page.data));
    else if (page.data.length === 0) terminal.err("no delivery matches");
    else {
      const rows = page.data.map((one) => [
        one.id,
        one.event,
        one.status,
        String(one.attempts),
        one.createdAt,
        one.error ?? "",
      ]);
      const head = ["ID", "EVENT", "STATUS", "ATTEMPTS", "CREATED", "ERROR"].map(dim);
      for (const line of columns(terminal, [head, ...rows])) terminal.out(line);
    }
    return 0;
  });
}

export async function triggerTest(
  terminal: Terminal,
  settings: LocalSettings,
  endpointId: string,
  { project, json }: OfProject,
): Promise<ExitCode> {
  requireId(endpointId, "an endpoint", `plinth webhooks endpoints --project ${project}`);
  return withProject(settings, project, async (control, projectId) => {
    const answer = await control.webhooks.test.mutate({ projectId, endpointId });
    terminal.out(json ? JSON.stringify(answer) : `webhook.test is sent as ${answer.id}`);
    return 0;
  });
}

export interface Replaying extends OfProject {
  /** RFC 3339: the deliveries of the named endpoint that failed since this time. */
  readonly since?: string;
}

export async function replay(
  terminal: Terminal,
  settings: LocalSettings,
  id: string,
  { project, json, since }: Replaying,
): Promise<ExitCode> {
  const [what, list] = since === undefined ? ["a delivery", "deliveries"] : ["an endpoint", "list"];
  requireId(id, what, `plinth webhooks ${list} --project ${project}`);
  return withProject(settings, project, async (control, projectId) => {
    if (since === undefined) {
      const answer = await control.webhooks.replay.mutate({ projectId, deliveryId: id }).catch((error: unknown) => {
        if (!isControlError(error) || error.data?.code !== "NOT_FOUND") throw error;
        throw new CommandFailure(`there is no delivery ${id}; for a received request, add --received`, 1, {
          cause: error,
        });
      });
      terminal.out(json ? JSON.stringify(answer) : `${answer.id} is sent again`);
      return 0;
    }
    const answer = await control.webhooks.replayFailed.mutate({ projectId, endpointId: id, since });
    terminal.out(json ? JSON.stringify(answer) : `${answer.deliveries} deliveries are sent again`);
    return 0;
  });
}

export function noWebhooks(project: string): CommandFailure {
  return new CommandFailure(`the live version of ${project} has no module \`webhooks\``, 1);
}
