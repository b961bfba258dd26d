// One step of an import from the folder of an export. In: a part and some of its columns. Out: its rows after a key, each with the hash
// of its values.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { ImportStep } from "@plinth/control/router";
import { writeCopyLine } from "@plinth/postgres";
import { CommandFailure, messageOf } from "../../../failure.ts";
import { cutBatches } from "../batches.ts";
import type { SourceStep } from "../import-plan.ts";
import { type ExportedPart, headerOf } from "./manifest.ts";
import { type CsvRecord, readCsv } from "./read-csv.ts";
import { hashOf } from "./row-hash.ts";

export function createFolderStep(
  folder: string,
  part: ExportedPart,
  step: Omit<ImportStep, "name">,
  columns: readonly string[],
): SourceStep {
  const header = headerOf(part);
  const places = columns.map((column) => header.indexOf(column));
  const keys = part.kind === "records" ? [header.indexOf("id")] : [0, 1];
  const keyOf = (record: CsvRecord): string => keys.map((at) => record[at] ?? "").join(",");
  const wanted = (record: CsvRecord): CsvRecord => places.map((at) => record[at] ?? null);
  /** A step that sets a reference leaves out the records without it. */
  const isPart = (values: CsvRecord): boolean => step.kind !== "fill" || values[1] !== null;
  async function* lines(after: string | null, limit: number): AsyncGenerator<Buffer> {
    let left = limit;
    let isBehind = after === null;
    for await (const record of readRecords(folder, part)) {
      const key = keyOf(record);
      const values = wanted(record);
      if (isBehind && isPart(values)) {
        if (left-- === 0) return;
        yield Buffer.from(`${writeCopyLine([key, String(hashOf(values)), ...values])}\n`);
      }
      if (key === after) isBehind = true;
    }
    if (!isBehind)
      throw new CommandFailure(
        `${part.file} has no row ${after}, where the import stopped: the file has changed since then.`,
      );
  }
  const mark = createHash("sha256").update(JSON.stringify(columns)).digest("hex").slice(0, 8);
  const named = `${step.entity} from ${part.file}${step.kind === "records" ? "" : ` (${step.fields.at(-1)})`}`;
  return {
    step: { ...step, name: `${named.slice(0, 180)} ${mark}` },
    batches: (after, bounds, limit = Number.POSITIVE_INFINITY) => cutBatches(lines(after, limit), bounds),
    count: async () => {
      if (step.kind !== "fill") return part.count;
      let count = 0;
      for await (const record of readRecords(folder, part)) if (isPart(wanted(record))) count++;
      return count;
    },
  };
}

/** The number of rows in the file and the sum of their hashes, to compare with the manifest. */
export async function measurePart(
  folder: string,
  part: ExportedPart,
): Promise<{ readonly count: number; readonly checksum: string }> {
  let count = 0;
  let checksum = 0n;
  for await (const record of readRecords(folder, part)) {
    count++;
    checksum += hashOf(record);
  }
  return { count, checksum: String(checksum) };
}

/** @throws CommandFailure if the file can't be read, or has other columns than in the manifest. */
async function* readRecords(folder: string, part: ExportedPart): AsyncGenerator<CsvRecord> {
  const header = headerOf(part);
  const path = join(folder, part.file);
  let number = 0;
  try {
    for await (const record of readCsv(createReadStream(path, { encoding: "utf8", highWaterMark: READ_BYTES }))) {
      if (number++ > 0) {
        if (record.length !== header.length)
          throw new CommandFailure(
            `${path}: row ${number} has ${record.length} values, and the header ${header.length}`,
          );
        yield record;
      } else if (record.join() !== header.join())
        throw new CommandFailure(`${path} has other columns than in manifest.json`);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${path} can't be read after row ${number}: ${messageOf(error)}`);
  }
}

const READ_BYTES = 1024 * 1024;
