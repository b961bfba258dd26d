// The related records that rules about a record can read. In: the record, read with the person's rights. Out: the records that it refers
// to and that refer to it, up to two references away, as far as the person can read them. `isCut` says whether records are missing.
import { type Entity, type JsonValue, type Model, targetOf } from "@plinth/blueprint";

export type Values = Readonly<Record<string, JsonValue>>;

export interface Around {
  readonly others: readonly { readonly entity: string; readonly values: Values }[];
  /** Whether records are missing because there are too many. */
  readonly isCut: boolean;
}

/** @returns Records of an entity whose field has this value. */
export type ReadRows = (entity: string, field: string, value: string) => Promise<readonly Values[]>;

const STEPS_MAX = 2;
const READS_MAX = 40;

export async function readAround(model: Model, entity: string, record: Values, readRows: ReadRows): Promise<Around> {
  const found = new Map<string, { readonly entity: string; readonly values: Values }>();
  const done = new Set<string>();
  let reads = 0;
  let isCut = false;
  let edge = [{ entity, values: record }];
  for (let step = 0; step < STEPS_MAX; step++) {
    const next: typeof edge = [];
    for (const one of edge) {
      for (const [of, field, value] of leadsOf(model, one.entity, one.values)) {
        const query = `${of} ${field} ${value}`;
        if (done.has(query)) continue;
        done.add(query);
        if (++reads > READS_MAX) {
          isCut = true;
          continue;
        }
        for (const values of await readRows(of, field, value)) {
          const id = String(values["id"]);
          if (id === record["id"] || found.has(id)) continue;
          found.set(id, { entity: of, values });
          next.push({ entity: of, values });
        }
      }
    }
    edge = next;
  }
  return { others: [...found.values()], isCut };
}

type Lead = readonly [entity: string, field: string, value: string];

function leadsOf(model: Model, name: string, values: Values): readonly Lead[] {
  const entity = model.entities.find((one) => one.name === name);
  if (entity === undefined) return [];
  return [...referredBy(model, entity, values), ...referring(entity, values)];
}

function referredBy(model: Model, entity: Entity, values: Values): readonly Lead[] {
  return entity.fields.flatMap((field): Lead[] => {
    const target = field.type.kind === "refs" ? field.type.entity : targetOf(field.type);
    const value = values[field.name] ?? null;
    if (target === null || value === null || !model.entities.some((one) => one.name === target)) return [];
    const ids = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
    return ids.map((id): Lead => [target, "id", String(id)]);
  });
}

function referring(entity: Entity, values: Values): readonly Lead[] {
  return entity.relations.flatMap(({ entity: other, by }): Lead[] =>
    by.kind === "referrer" ? [[other, by.field, String(values["id"])]] : [],
  );
}
