// The manifest of an export, which describes the files of its folder. In: a folder. Out: the checked manifest.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExportPart } from "@plinth/control/router";
import { CommandFailure, messageOf } from "../../../failure.ts";

export interface ExportManifest {
  readonly format: typeof FORMAT;
  readonly project: string;
  readonly exportedAt: string;
  readonly parts: readonly ExportedPart[];
}

export interface ExportedPart extends ExportPart {
  readonly file: string;
  readonly count: number;
  /** The sum of the hashes of its rows, in the form that imports use. */
  readonly checksum: string;
}

export const MANIFEST_FILE = "manifest.json";
export const FORMAT = "plinth export 1";

/** The columns of a part's file, in order. */
export function headerOf({ kind, entity, fields }: ExportPart): readonly string[] {
  return kind === "records" ? fields : [`${entity}_id`, fields[0] ?? "other_id"];
}

/** @throws CommandFailure if the folder is not that of a finished export. */
export async function readManifest(
  folder: string,
): Promise<{ readonly manifest: ExportManifest; readonly sha256: string }> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandFailure(
      `${folder} is neither the address of a database nor the folder of a finished export: ${messageOf(error)}`,
    );
  });
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${path} can't be read: ${messageOf(error)}`);
  }
  if (!isManifest(manifest)) throw new CommandFailure(`${path} is not a manifest of the format \`${FORMAT}\``);
  return { manifest, sha256: createHash("sha256").update(text).digest("hex") };
}

function isManifest(value: unknown): value is ExportManifest {
  const { format, project, exportedAt, parts } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    format === FORMAT &&
    typeof project === "string" &&
    typeof exportedAt === "string" &&
    Array.isArray(parts) &&
    parts.every(isPart)
  );
}

const NAME = /^[a-z][a-z0-9_]*$/;

function isPart(value: unknown): boolean {
  const { name, entity, kind, fields, file, count, checksum } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isFields = Array.isArray(fields) && fields.every((field) => typeof field === "string" && NAME.test(field));
  return (
    typeof name === "string" &&
    typeof entity === "string" &&
    NAME.test(entity) &&
    isFields &&
    (kind === "records" ? fields.includes("id") : kind === "links" && fields.length === 1) &&
    // A file in the folder itself.
    typeof file === "string" &&
    /^[a-z][a-z0-9_.]*\.csv$/.test(file) &&
    Number.isSafeInteger(count) &&
    typeof checksum === "string" &&
    /^\d+$/.test(checksum)
  );
}
