// `plinth webhooks sources|requests|secret`, and replays of received requests. In: a project, a source or a request; a secret
// from standard input, never from the arguments, which other users of the machine can see. Out: sources with their state,
// requests with their results, or the result of an action. With `json`, exactly control's answer.
import { text } from "node:stream/consumers";
import type { InboundSource, InboundStatus } from "@plinth/control/router";
import { columns } from "../columns.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";
import { noWebhooks } from "./webhooks.ts";

const dim = (word: string): { readonly text: string; readonly colour: "dim" } => ({ text: word, colour: "dim" });

export async function listSources(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const sources = await control.inbound.sources.query({ projectId });
    if (sources === null) throw noWebhooks(project);
    if (json) terminal.out(JSON.stringify(sources));
    else if (sources.length === 0) terminal.err("no source: the blueprint declares them under `webhooks.in`");
    else {
      const rows = sources.map((source) => [source.name, source.verify, stateOf(source), source.url]);
      for (const line of columns(terminal, [["SOURCE", "VERIFY", "STATE", "URL"].map(dim), ...rows]))
        terminal.out(line);
    }
    return 0;
  });
}

function stateOf({ enabled, secrets, lastReceivedAt }: InboundSource): string {
  if (!enabled) return "needs a secret";
  const count = secrets.length === 1 ? "1 secret" : `${secrets.length} secrets`;
  return lastReceivedAt === null ? `${count}, nothing received` : `${count}, last received ${lastReceivedAt}`;
}

export interface RequestFilters extends OfProject {
  readonly source?: string;
  readonly status?: InboundStatus;
  /** The id of one request, to show its content. */
  readonly show?: string;
}

export async function listRequests(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json, source, status, show }: RequestFilters,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    if (show !== undefined) {
      const whole = await control.inbound.request.query({ projectId, requestId: show });
      terminal.out(json ? JSON.stringify(whole) : (whole.body ?? whole.bodyBase64 ?? "its body was not stored"));
      return 0;
    }
    const page = await control.inbound.requests.query({ projectId, source, status });
    if (page === null) throw noWebhooks(project);
    if (json) terminal.out(JSON.stringify(page.data));
    else if (page.data.length === 0) terminal.err("no request matches");
    else {
      const rows = page.data.map((one) => [
        one.id,
        one.source,
        one.status,
        one.type ?? "",
        one.event ?? one.reason ?? "",
        one.receivedAt,
      ]);
      const head = ["ID", "SOURCE", "STATUS", "TYPE", "BECAME", "RECEIVED"].map(dim);
      for (const line of columns(terminal, [head, ...rows])) terminal.out(line);
    }
    return 0;
  });
}

export interface SecretChange extends OfProject {
  /** Hours until the current secrets end. Without it, they stay valid. */
  readonly overlap?: number;
  /** The id of the secret to remove, instead of adding one. */
  readonly remove?: string;
}

export async function changeSecret(
  terminal: Terminal,
  settings: LocalSettings,
  source: string,
  { project, json, overlap, remove }: SecretChange,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    if (remove !== undefined) {
      const removed = await control.inbound.removeSecret.mutate({ projectId, secretId: remove });
      terminal.out(json ? JSON.stringify(removed) : `${removed.id} is removed`);
      return 0;
    }
    if (process.stdin.isTTY) terminal.err("paste the secret, then press Enter and Ctrl+D:");
    const secret = (await text(process.stdin)).trim();
    if (secret === "") throw new CommandFailure("standard input has no secret", 2);
    const added = await control.inbound.addSecret.mutate({ projectId, source, secret, overlapHours: overlap });
    terminal.out(json ? JSON.stringify(added) : `${source} has the secret ${added.id}`);
    return 0;
  });
}

export async function replayReceived(
  terminal: Terminal,
  settings: LocalSettings,
  requestId: string,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const answer = await control.inbound.replay.mutate({ projectId, requestId });
    terminal.out(json ? JSON.stringify(answer) : `${answer.event} is emitted again`);
    return 0;
  });
}

export async function replayUnmapped(
  terminal: Terminal,
  settings: LocalSettings,
  source: string,
  { project, json, since }: OfProject & { readonly since?: string },
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const answer = await control.inbound.replayUnmapped.mutate({ projectId, source, since });
    const more = answer.hasMore ? "; there are more, run it again" : "";
    const none = answer.requests === 0 && !answer.hasMore;
    if (none && !json) terminal.err("no request became an event: the live version maps none of their types");
    else terminal.out(json ? JSON.stringify(answer) : `${answer.requests} requests became events${more}`);
    return 0;
  });
}
