// Several operations in one request and one transaction. In: a plan of calls; later ones can use results of earlier
// ones. Out: the results. Nothing is sent before the plan is complete.
import { keyPath } from "./entity.ts";
import type { Call } from "./transport.ts";
import type { CreateOf, EntityName, KeyOf, ProjectTypes, RecordOf, TransitionOf, UpdateOf } from "./types.ts";
import { type CallOptions, endOf, type WriteOptions } from "./writing.ts";

/** The place of an operation in the batch. */
export interface Placed {
  readonly position: number;
}

/** The future result of an operation. */
export interface Planned<Item> extends Placed {
  /** A field of the future result, for use in later operations: as an id, or as a field's value. */
  readonly ref: <Field extends keyof Item>(field: Field) => Item[Field];
}

type Version = Pick<WriteOptions, "version">;

export interface Planner<in out Types extends ProjectTypes, in out Name extends EntityName<Types>> {
  readonly findOne: (key: string | KeyOf<Types, Name>) => Planned<RecordOf<Types, Name>>;
  readonly create: (fields: CreateOf<Types, Name>) => Planned<RecordOf<Types, Name>>;
  readonly upsert: (
    key: KeyOf<Types, Name>,
    fields: Partial<CreateOf<Types, Name>>,
    options?: Version,
  ) => Planned<RecordOf<Types, Name>>;
  readonly update: (
    key: string | KeyOf<Types, Name>,
    fields: UpdateOf<Types, Name>,
    options?: Version,
  ) => Planned<RecordOf<Types, Name>>;
  readonly delete: (key: string | KeyOf<Types, Name>, options?: Version) => Planned<undefined>;
  readonly restore: (id: string, options?: Version) => Planned<RecordOf<Types, Name>>;
  readonly transition: (
    id: string,
    edge: TransitionOf<Types, Name>,
    fields?: UpdateOf<Types, Name>,
    options?: Version,
  ) => Planned<RecordOf<Types, Name>>;
}

export interface Plan<in out Types extends ProjectTypes> {
  readonly entity: <Name extends EntityName<Types>>(name: Name) => Planner<Types, Name>;
}

export interface BatchOptions extends CallOptions, Pick<WriteOptions, "idempotencyKey" | "dryRun"> {}

/** The results of the planned operations. */
export type Performed<Planneds extends readonly Placed[]> = {
  readonly [At in keyof Planneds]: Planneds[At] extends Planned<infer Item> ? Item : never;
};

/** A placeholder for the result of an operation, anywhere in JSON. */
class Reference {
  readonly $ref: string;

  constructor(path: string) {
    this.$ref = path;
  }
}

export async function performBatch<Types extends ProjectTypes, Planneds extends readonly Placed[]>(
  call: (call: Call) => Promise<unknown>,
  build: (plan: Plan<Types>) => Planneds,
  { idempotencyKey, dryRun, ...rest }: BatchOptions,
): Promise<Performed<Planneds>> {
  const operations: object[] = [];
  const planned = build({ entity: (name) => plannerOf(name, operations) });
  const reply = await call({
    method: "POST",
    path: "/v1/batch",
    body: { operations, ...(dryRun === true && { dry_run: true }) },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...endOf(rest),
  });
  const { data } = reply as { readonly data: readonly { readonly data?: unknown }[] };
  return planned.map(({ position }) => data[position]?.data) as never;
}

function plannerOf<Types extends ProjectTypes, Name extends EntityName<Types>>(
  name: Name,
  operations: object[],
): Planner<Types, Name> {
  const all = `/v1/resources/${encodeURIComponent(name)}`;
  const one = (key: unknown): string => (key instanceof Reference ? `${all}/{${key.$ref}}` : keyPath(all, key));
  const plan = (method: Call["method"], path: string, fields?: object, { version }: Version = {}): Planned<never> => {
    const position = operations.length;
    const as = `op_${position}`;
    operations.push({
      method,
      path,
      as,
      ...(fields !== undefined && { body: escaped(fields) }),
      ...(version !== undefined && { if_match: `"${version}-any"` }),
    });
    return { position, ref: (field) => new Reference(`${as}.${String(field)}`) as never };
  };
  return {
    findOne: (key) => plan("GET", one(key)),
    create: (fields) => plan("POST", all, fields),
    upsert: (key, fields, options) => plan("PUT", one(key), fields, options),
    update: (key, fields, options) => plan("PATCH", one(key), fields, options),
    delete: (key, options) => plan("DELETE", one(key), undefined, options),
    restore: (id, options) => plan("POST", `${one(id)}/restore`, undefined, options),
    transition: (id, edge, fields, options) =>
      plan("POST", `${one(id)}/transitions/${encodeURIComponent(edge)}`, fields, options),
  };
}

/** A value that looks like a reference is marked as a value. */
function escaped(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Reference) return value;
  if (Array.isArray(value)) return value.map(escaped);
  const names = Object.keys(value);
  if (names.length === 1 && (names[0] === "$ref" || names[0] === "$value")) return { $value: value };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]));
}
