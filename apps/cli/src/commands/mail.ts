// `plinth mail connections|test|list|templates|suppressions`. In: a project. Out: its connections, sent mails, templates or
// suppressed addresses, or the test of a connection. With `json`, exactly control's answer.
import { columns } from "../columns.ts";
import { CommandFailure, type ExitCode } from "../failure.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export async function listConnections(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const connections = await control.mail.connections.query({ projectId });
    const rows = connections?.map((one) => [
      one.name,
      one.provider,
      String(one.settings["from_address"] ?? ""),
      one.updatedAt,
    ]);
    show(terminal, { project, json, data: connections }, ["NAME", "PROVIDER", "FROM", "SET"], rows, NO_CONNECTION);
    return 0;
  });
}

const NO_CONNECTION = "no connection: set one in the console under Mail, or with `POST /v1/connections`";

export async function testConnection(
  terminal: Terminal,
  settings: LocalSettings,
  name: string,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const answer = await control.mail.testConnection.mutate({ projectId, name });
    terminal.out(json ? JSON.stringify(answer) : `${answer.name} works; nothing was sent`);
    return 0;
  });
}

export async function listMails(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const mails = await control.mail.list.query({ projectId });
    const rows = mails?.map((one) => [one.createdAt, one.status, one.to.join(" "), one.subject, one.error ?? ""]);
    show(
      terminal,
      { project, json, data: mails },
      ["CREATED", "STATUS", "TO", "SUBJECT", "ERROR"],
      rows,
      "no mail yet",
    );
    return 0;
  });
}

export async function listTemplates(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const templates = await control.mail.templates.query({ projectId });
    const rows = templates?.map((one) => [one.name, one.languages.join(" "), Object.keys(one.example).join(" ")]);
    const none = "no template: the section `emails` of the blueprint declares them";
    show(terminal, { project, json, data: templates }, ["NAME", "LANGUAGES", "VARIABLES"], rows, none);
    return 0;
  });
}

export async function listSuppressions(
  terminal: Terminal,
  settings: LocalSettings,
  { project, json }: OfProject,
): Promise<ExitCode> {
  return withProject(settings, project, async (control, projectId) => {
    const suppressions = await control.mail.suppressions.query({ projectId });
    const rows = suppressions?.map((one) => [one.address, one.reason, one.createdAt]);
    const none = "no suppressed address";
    show(terminal, { project, json, data: suppressions }, ["ADDRESS", "REASON", "SINCE"], rows, none);
    return 0;
  });
}

/** @throws CommandFailure if the live version sends no mail. */
function show(
  terminal: Terminal,
  { project, json, data }: OfProject & { readonly data: readonly object[] | null },
  head: readonly string[],
  rows: readonly (readonly string[])[] | undefined,
  none: string,
): void {
  if (data === null || rows === undefined) throw new CommandFailure(`the live version of ${project} sends no mail`, 1);
  if (json) terminal.out(JSON.stringify(data));
  else if (rows.length === 0) terminal.err(none);
  else {
    const titles = head.map((text) => ({ text, colour: "dim" as const }));
    for (const line of columns(terminal, [titles, ...rows.map((row) => [...row])])) terminal.out(line);
  }
}
