// Opens the folder of an export as the source of an import. In: the folder. Out: a source of records with their ids. It compares the files
// with the manifest before anything is written.
import type { TransferEntity, TransferShape } from "@plinth/control/router";
import type { ImportPlan, PlannedStep, PlanOptions, RecordSource } from "../import-plan.ts";
import { missingFields, refusalOf } from "../missing-fields.ts";
import { orderEntities } from "../order-entities.ts";
import { createFolderStep, measurePart } from "./folder-step.ts";
import { type ExportedPart, readManifest } from "./manifest.ts";

/** @throws CommandFailure if it is not the folder of a finished export. */
export async function openFolder(folder: string): Promise<RecordSource> {
  const { manifest, sha256 } = await readManifest(folder);
  return {
    fingerprint: sha256,
    label: `the export of ${manifest.project}, ${manifest.exportedAt}`.slice(0, 500),
    plan: async (shape, options) => {
      const plan = planParts(folder, manifest.parts, shape, options);
      return { ...plan, problems: [...(await changedParts(folder, manifest.parts)), ...plan.problems] };
    },
    close: async () => {},
  };
}

async function changedParts(folder: string, parts: readonly ExportedPart[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const part of parts) {
    const { count, checksum } = await measurePart(folder, part);
    if (count !== part.count) problems.push(`${part.file}: it has ${count} rows, but ${part.count} in the manifest`);
    else if (checksum !== part.checksum)
      problems.push(`${part.file}: its checksum differs from the manifest, so its rows have changed since the export`);
  }
  return problems;
}

interface Taken {
  readonly part: ExportedPart;
  readonly entity: TransferEntity;
  /** Without the id. */
  readonly fields: readonly TransferEntity["fields"][number][];
}

function planParts(
  folder: string,
  parts: readonly ExportedPart[],
  shape: TransferShape,
  options: PlanOptions,
): ImportPlan {
  const problems: string[] = [];
  const left: string[] = [];
  const entityOf = (name: string): TransferEntity | undefined => shape.entities.find((one) => one.name === name);
  const taken = parts.flatMap((part): Taken[] => {
    if (part.kind !== "records") return [];
    const entity = entityOf(part.entity);
    if (entity === undefined) {
      left.push(`${part.file}: the project has no entity ${part.entity}`);
      return [];
    }
    return [takenOf(part, entity, options, problems, left)];
  });
  const isTaken = (name: string | null): name is string => taken.some(({ entity }) => entity.name === name);
  const order = orderEntities(
    taken.map(({ entity, fields }) => ({
      entity: entity.name,
      references: fields.flatMap(({ name, references, nullable }) =>
        isTaken(references) ? [{ field: name, entity: references, nullable }] : [],
      ),
    })),
  );
  problems.push(...order.problems);
  const isDeferred = (entity: string, field: string): boolean => order.deferred.has(`${entity}.${field}`);
  const records = order.entities.flatMap((name) => taken.filter(({ entity }) => entity.name === name));
  return {
    steps: [
      ...records.map((one) => recordStep(folder, one, isDeferred)),
      ...records.flatMap((one) => fillSteps(folder, one, isDeferred)),
      ...parts.flatMap((part) => (part.kind === "links" ? linkStep(folder, part, entityOf(part.entity), left) : [])),
    ],
    problems,
    left,
  };
}

function takenOf(
  part: ExportedPart,
  entity: TransferEntity,
  { hasOrganization }: PlanOptions,
  problems: string[],
  left: string[],
): Taken {
  const fields: Taken["fields"][number][] = [];
  for (const name of part.fields) {
    const field = entity.fields.find((one) => one.name === name);
    const refusal = refusalOf(entity, name, field);
    if (name === "id") continue;
    // An export has no organizations: the given one replaces those of its records.
    if (name === "org_id" && entity.inOrganization && hasOrganization) continue;
    if (field === undefined || refusal !== null) left.push(`${part.file}, ${name}: ${refusal}`);
    else fields.push(field);
  }
  const given = new Set(fields.map(({ name }) => name));
  problems.push(...missingFields(entity, given, { from: part.file, hasOrganization }));
  return { part, entity, fields };
}

type IsDeferred = (entity: string, field: string) => boolean;

function recordStep(folder: string, { part, entity, fields }: Taken, isDeferred: IsDeferred): PlannedStep {
  const now = fields.map(({ name }) => name).filter((name) => !isDeferred(entity.name, name));
  const columns = ["id", ...now];
  return {
    from: part.file,
    entity: entity.name,
    kind: "records",
    columns: now.map((name) => [name, name]),
    rows: part.count,
    withSalt: () => createFolderStep(folder, part, { kind: "records", entity: entity.name, fields: columns }, columns),
  };
}

function fillSteps(folder: string, { part, entity, fields }: Taken, isDeferred: IsDeferred): PlannedStep[] {
  return fields
    .filter(({ name }) => isDeferred(entity.name, name))
    .map(({ name }) => ({
      from: part.file,
      entity: entity.name,
      kind: "fill",
      columns: [[name, name]],
      rows: part.count,
      withSalt: () =>
        createFolderStep(folder, part, { kind: "fill", entity: entity.name, fields: ["id", name] }, ["id", name]),
    }));
}

function linkStep(
  folder: string,
  part: ExportedPart,
  entity: TransferEntity | undefined,
  left: string[],
): PlannedStep | readonly [] {
  const [name = ""] = part.fields;
  if (entity?.fields.find((one) => one.name === name)?.isList !== true) {
    left.push(`${part.file}: the project has no many-to-many field ${part.entity}.${name}`);
    return [];
  }
  return {
    from: part.file,
    entity: part.entity,
    kind: "links",
    columns: [[name, name]],
    rows: part.count,
    withSalt: () =>
      createFolderStep(folder, part, { kind: "links", entity: part.entity, fields: [name] }, [
        `${part.entity}_id`,
        name,
      ]),
  };
}
