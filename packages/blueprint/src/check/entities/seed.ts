// Checks seed rows. In: the declared rows of all entities. Out: the rows of each entity as JSON. A row with a name gets
// an id made from it, so that other rows can refer to it. `seed-row.ts` checks one row.
import type { SeedRow } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import type { Word } from "../../text/syntax.ts";
import type { EntityDraft } from "./entity-draft.ts";
import { checkWord } from "./entity-names.ts";
import { createOverlaps } from "./seed-overlaps.ts";
import { createTwins, seedId, seedRow, valuesInRules } from "./seed-row.ts";

const ROWS_MAX = 1_000;

export function checkSeeds(drafts: readonly EntityDraft[], report: Report): ReadonlyMap<string, readonly SeedRow[]> {
  const seeded = drafts.filter(({ declared }) => declared.options.seed.length > 0);
  const names = new Map(
    seeded.map(({ entity, declared }) => [
      entity.name,
      new Set(declared.options.seed.flatMap(({ name }) => name?.text ?? [])),
    ]),
  );
  const result = new Map<string, readonly SeedRow[]>();
  const needs = new Map<string, ReadonlyMap<string, Word>>();
  for (const draft of seeded) {
    if (!canBeSeeded(draft, report)) continue;
    const used = new Map<string, Word>();
    result.set(draft.entity.name, rowsOf(draft, names, used, report));
    needs.set(draft.entity.name, used);
  }
  refuseCircles(needs, report);
  return result;
}

/** Values that don't exist at a first deployment. */
function canBeSeeded({ entity, declared, fields }: EntityDraft, report: Report): boolean {
  const [first] = declared.options.seed;
  const over = declared.options.seed[ROWS_MAX];
  if (over !== undefined) report.add("too_many", over.range, `An entity can have at most ${ROWS_MAX} seed rows.`);
  const numbered = fields.find(({ field }) => field.type.kind === "sequence");
  if (numbered !== undefined && first !== undefined) {
    report.add("not_supported_yet", first.range, "Seed rows for an entity with a `sequence` are not supported yet.");
    return false;
  }
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
  report.add(
    "invalid_seed",
    first.range,
    `\`${entity.name}\` can't have seed rows: ${why}, but at the first deployment there are no users and no organizations.`,
    "Make the field optional, or let your app create the rows.",
  );
  return false;
}

function rowsOf(
  draft: EntityDraft,
  names: ReadonlyMap<string, ReadonlySet<string>>,
  used: Map<string, Word>,
  report: Report,
): readonly SeedRow[] {
  const before = new Set<string>();
  const fields = new Map(draft.entity.fields.map((field) => [field.name, field]));
  const isTwin = createTwins(draft.entity.uniques, fields);
  const overlaps = createOverlaps(draft.entity.exclusions ?? [], fields);
  const rows: SeedRow[] = [];
  for (const declared of draft.declared.options.seed.slice(0, ROWS_MAX)) {
    const { name } = declared;
    const values = seedRow(declared, { draft, fields, before, names, used, report });
    if (name !== null && checkWord(name, "seed row", report)) before.add(name.text);
    if (values === null) continue;
    const twin = isTwin(values);
    if (twin !== null) {
      const same = twin.map((one) => `\`${one}\``).join(", ");
      report.add("invalid_seed", declared.range, `An earlier row has the same ${same}, which must be unique.`);
    }
    const refused = overlaps(valuesInRules(values, fields));
    if (refused !== null) report.add("invalid_seed", declared.range, `This row is not valid: ${refused}`);
    rows.push(name === null ? values : { id: seedId(draft.entity.name, name.text), ...values });
  }
  return rows;
}

/** The rows of an entity are inserted before the rows that refer to them, so references can't form a circle. */
function refuseCircles(needs: ReadonlyMap<string, ReadonlyMap<string, Word>>, report: Report): void {
  for (const [start, used] of needs) {
    const seen = new Set<string>();
    for (const [first, word] of used) {
      const open = [first];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(...(needs.get(next)?.keys() ?? []));
      }
      if (!seen.has(start)) continue;
      const message = `The seed rows of \`${start}\` and \`${first}\` refer to each other, so neither can be inserted first.`;
      report.add("invalid_seed", word.range, message);
      break;
    }
  }
}
