// In: the declared seed rows of all entities. Out: of each its rows as they stand in JSON. A row that has a name gets an id
// made from it, so that other rows can refer to it by that name. Rows are judged here as a create would judge them.
import { didYouMean } from "@plinth/expression";
import type { SeedDeclaration } from "../entity-declaration.ts";
import { checkValue } from "../field-types/check-value.ts";
import { idFromName } from "../field-types/id-from-name.ts";
import type { Field, FieldType, JsonValue, SeedRow } from "../model.ts";
import type { Report } from "../report.ts";
import type { Node, Word } from "../syntax.ts";
import type { EntityDraft } from "./entities.ts";
import { checkWord } from "./entity-names.ts";

const ROWS_MAX = 1_000;

interface Seeds {
  /** Names of rows by their entity. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  readonly report: Report;
}

export function checkSeeds(drafts: readonly EntityDraft[], report: Report): ReadonlyMap<string, readonly SeedRow[]> {
  const seeded = drafts.filter(({ declared }) => declared.options.seed.length > 0);
  const names = new Map(
    seeded.map(({ entity, declared }) => [
      entity.name,
      new Set(declared.options.seed.flatMap(({ name }) => name?.text ?? [])),
    ]),
  );
  const seeds = { names, report };
  const result = new Map<string, readonly SeedRow[]>();
  const needs = new Map<string, Map<string, Word>>();
  for (const draft of seeded) {
    if (!canBeSeeded(draft, report)) continue;
    const used = new Map<string, Word>();
    result.set(draft.entity.name, rowsOf(draft, seeds, used));
    needs.set(draft.entity.name, used);
  }
  refuseCircles(needs, report);
  return result;
}

/** What a first deployment can't know. */
function canBeSeeded({ entity, declared, fields }: EntityDraft, report: Report): boolean {
  const [first] = declared.options.seed;
  const over = declared.options.seed[ROWS_MAX];
  if (over !== undefined) report.add("too_many", over.range, `An entity has at most ${ROWS_MAX} seed rows.`);
  const needed = fields.find(
    ({ field }) => !field.optional && (field.type.kind === "user_ref" || field.type.kind === "org_ref"),
  );
  const why =
    entity.orgField !== null
      ? "every row belongs to an organization"
      : needed !== undefined
        ? `\`${needed.field.name}\` must have a value`
        : null;
  if (why === null || first === undefined) return true;
  const message = `\`${entity.name}\` can't have seed rows: ${why}, and at the first deployment there are no users and no organizations.`;
  report.add("invalid_seed", first.range, message, "Make that field optional, or leave the rows to the application.");
  return false;
}

function rowsOf(draft: EntityDraft, seeds: Seeds, used: Map<string, Word>): readonly SeedRow[] {
  const { report } = seeds;
  const before = new Set<string>();
  const rows: SeedRow[] = [];
  for (const declared of draft.declared.options.seed.slice(0, ROWS_MAX)) {
    const { name } = declared;
    const row = rowOf(draft, declared, before, seeds, used);
    if (name !== null && checkWord(name, "seed row", report)) before.add(name.text);
    if (row !== null) rows.push(name === null ? row : { id: idFromName(`${draft.entity.name}/${name.text}`), ...row });
    if (row !== null) refuseTwin(draft, declared, row, rows, report);
  }
  return rows;
}

function rowOf(
  draft: EntityDraft,
  declared: SeedDeclaration,
  before: ReadonlySet<string>,
  seeds: Seeds,
  used: Map<string, Word>,
): SeedRow | null {
  const { report } = seeds;
  const values = new Map<string, JsonValue>();
  let fine = true;
  for (const { field: word, value: node } of declared.values) {
    if (draft.brokenFields.has(word.text)) continue;
    const field = draft.entity.fields.find((one) => one.name === word.text);
    const value =
      field === undefined
        ? unknownField(draft, word, report)
        : seedValue(field, word, node, { draft, before, seeds, used });
    if (value === undefined) fine = false;
    else values.set(word.text, value);
  }
  for (const { field } of draft.fields) {
    const given = values.get(field.name) ?? null;
    const made =
      field.default !== null || ["sequence", "refs", "computed"].includes(field.type.kind) || slugIsMade(field);
    const missing = values.has(field.name) ? given === null : !made;
    if (field.optional || !missing || !fine) continue;
    report.add(
      "invalid_seed",
      declared.range,
      `The row gives no \`${field.name}\`, and every \`${draft.entity.name}\` has one.`,
    );
    fine = false;
  }
  return fine ? Object.fromEntries(values) : null;
}

function slugIsMade({ type }: Field): boolean {
  return type.kind === "slug" && type.from !== null;
}

interface RowContext {
  readonly draft: EntityDraft;
  /** Names of the rows above. */
  readonly before: ReadonlySet<string>;
  readonly seeds: Seeds;
  /** Entities whose rows this entity's refer to, each with a place that does. */
  readonly used: Map<string, Word>;
}

/** Undefined where it can't be (and why is reported). */
function seedValue(field: Field, word: Word, node: Node, context: RowContext): JsonValue | undefined {
  const { report } = context.seeds;
  const refuse = (why: string, range = node.range): undefined => {
    report.add("invalid_seed", range, `\`${field.name}\` of a seed row can't be that: ${why}`);
  };
  if (node.kind === "scalar" && node.broken) return undefined;
  if (field.type.kind === "secret") return refuse("a blueprint holds no secrets.", word.range);
  if (field.type.kind === "refs") {
    report.add("not_supported_yet", word.range, "References to many in a seed row are not supported yet.");
    return undefined;
  }
  if (!field.declared || field.type.kind === "computed" || field.type.kind === "sequence") {
    return refuse("the service makes its value.", word.range);
  }
  if (node.kind === "scalar" && node.value === null) {
    return field.optional ? null : refuse("it must have a value.");
  }
  const checked = checkValue(field.type, field.limits, node, {
    words: false,
    idOf: (type, text) => idOf(type, text, word, context),
  });
  return "value" in checked ? checked.value : refuse(checked.problem, checked.range);
}

/** A row is referred to by its name; one of the same entity must stand above, since rows are inserted in their order. */
function idOf(type: FieldType, text: string, word: Word, { draft, before, seeds, used }: RowContext): string | null {
  if (type.kind !== "ref") return null;
  const own = type.entity === draft.entity.name;
  const known = own ? before.has(text) : seeds.names.get(type.entity)?.has(text) === true;
  if (!known) return null;
  if (!own) used.set(type.entity, word);
  return idFromName(`${type.entity}/${text}`);
}

function unknownField(draft: EntityDraft, word: Word, report: Report): undefined {
  const known = draft.fields.map(({ field }) => field.name);
  const message = `\`${draft.entity.name}\` has no field \`${word.text}\`.`;
  report.add("unknown_field", word.range, message, didYouMean(word.text, known));
}

/** Two rows that a unique constraint would not let stand together. */
function refuseTwin(
  draft: EntityDraft,
  declared: SeedDeclaration,
  row: SeedRow,
  rows: readonly SeedRow[],
  report: Report,
): void {
  for (const names of draft.entity.uniques) {
    const key = (one: SeedRow): string | null => {
      const values = names.map((name) => one[name] ?? literalDefault(draft, name));
      return values.includes(null) ? null : JSON.stringify(values);
    };
    const own = key(row);
    if (own === null || !rows.slice(0, -1).some((other) => key(other) === own)) continue;
    const message = `A row above has the same ${names.map((name) => `\`${name}\``).join(", ")}, which must be unique.`;
    report.add("invalid_seed", declared.range, message);
    return;
  }
}

function literalDefault({ entity }: EntityDraft, name: string): JsonValue {
  const fallback = entity.fields.find((field) => field.name === name)?.default;
  return fallback?.kind === "literal" ? fallback.value : null;
}

/** Rows of one entity are inserted before those that refer to them, so references can't lead back. */
function refuseCircles(needs: ReadonlyMap<string, ReadonlyMap<string, Word>>, report: Report): void {
  for (const [start, used] of needs) {
    for (const [first, word] of used) {
      const seen = new Set<string>();
      const open = [first];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(...(needs.get(next)?.keys() ?? []));
      }
      if (!seen.has(start)) continue;
      const message = `Seed rows of \`${start}\` and of \`${first}\` refer to each other, so none can be inserted first.`;
      report.add("invalid_seed", word.range, message);
    }
  }
}
