// `plinth export --project NAME --out DIR`. In: a project. Out: a CSV file for each entity and each many-to-many field, all as of
// one moment, and a manifest with counts and checksums. Passwords and encrypted values are not exported.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExportPart } from "@plinth/control/router";
import { readCopyLine } from "@plinth/postgres";
import type { ControlClient } from "../control-client.ts";
import { CommandFailure, type ExitCode, messageOf } from "../failure.ts";
import {
  type ExportedPart,
  type ExportManifest,
  FORMAT,
  headerOf,
  MANIFEST_FILE,
} from "../import/data/folder/manifest.ts";
import { createProgress, grouped, type Progress } from "../import/data/progress.ts";
import type { LocalSettings } from "../local/settings.ts";
import type { Terminal } from "../terminal.ts";
import { type OfProject, withProject } from "./runs.ts";

export interface ExportOptions extends OfProject {
  /** A new or empty folder. */
  readonly out: string;
}

export async function exportData(
  terminal: Terminal,
  settings: LocalSettings,
  { project, out, json }: ExportOptions,
): Promise<ExitCode> {
  await makeFolder(out);
  return withProject(settings, project, async (control, projectId) => {
    const opened = await control.transfers.openExport.mutate({ projectId });
    const progress = createProgress(terminal, null);
    const parts: ExportedPart[] = [];
    try {
      for (const part of opened.parts) {
        parts.push(await writePart({ control, projectId, exportId: opened.id, out, progress }, part));
      }
    } finally {
      progress.done();
      await control.transfers.closeExport.mutate({ projectId, exportId: opened.id });
    }
    const exportedAt = new Date().toISOString();
    const manifest: ExportManifest = { format: FORMAT, project, exportedAt, parts };
    // Written last: a folder without it is incomplete.
    await writeFile(join(out, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    if (json) terminal.out(JSON.stringify(manifest));
    else {
      for (const { file, count } of parts) terminal.out(`${file}: ${grouped(count)} rows`);
      terminal.out(`Counts and checksums: ${join(out, MANIFEST_FILE)}`);
    }
    return 0;
  });
}

interface Writing {
  readonly control: ControlClient;
  readonly projectId: string;
  readonly exportId: string;
  readonly out: string;
  readonly progress: Progress;
}

async function writePart(
  { control, projectId, exportId, out, progress }: Writing,
  part: ExportPart,
): Promise<ExportedPart> {
  const file = `${part.name}.csv`;
  // The folder has customers' data, so other users of this machine can't read it.
  const stream = createWriteStream(join(out, file), { flags: "wx", mode: 0o600 });
  let count = 0;
  let checksum = 0n;
  let after: string | null = null;
  try {
    stream.write(csvLine(headerOf(part)));
    do {
      const page: Awaited<ReturnType<typeof control.transfers.exportPage.query>> =
        await control.transfers.exportPage.query({ projectId, exportId, part: part.name, after });
      const lines = page.rows.split("\n").slice(0, -1);
      if (!stream.write(lines.map((line) => csvLine(readCopyLine(line))).join(""))) await once(stream, "drain");
      count += page.count;
      checksum += BigInt(page.checksum);
      after = page.last;
      progress.add(part.name, page.count, null);
    } while (after !== null);
  } finally {
    stream.end();
    await once(stream, "close");
  }
  return { ...part, file, count, checksum: String(checksum) };
}

/** RFC 4180. An empty text is in quotes, and NULL is empty. */
function csvLine(values: readonly (string | null)[]): string {
  return `${values.map((value) => (value === null ? "" : csvValue(value))).join(",")}\r\n`;
}

function csvValue(value: string): string {
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

async function makeFolder(out: string): Promise<void> {
  try {
    await mkdir(out, { recursive: true });
    if ((await readdir(out)).length === 0) return;
  } catch (error) {
    throw new CommandFailure(`${out} can't be created: ${messageOf(error)}`);
  }
  throw new CommandFailure(`${out} is not empty: an export never overwrites a file.`);
}
