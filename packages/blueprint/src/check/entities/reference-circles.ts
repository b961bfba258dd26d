// Finds circles of required references. In: all entities. Out: an error for each circle: no first record could be
// created in it, because each needs another one.
import type { Report } from "../../text/report.ts";
import type { Word } from "../../text/syntax.ts";
import type { EntityDraft } from "./entity-draft.ts";

interface Reference {
  readonly entity: string;
  readonly to: string;
  readonly word: Word;
}

export function refuseReferenceCircles(drafts: readonly EntityDraft[], report: Report): void {
  const references = new Map(drafts.map((draft) => [draft.entity.name, requiredBy(draft)]));
  const reported = new Set<string>();
  for (const name of references.keys()) {
    const circle = reported.has(name) ? null : circleFrom(name, references);
    const [first] = circle ?? [];
    if (circle === null || first === undefined) continue;
    for (const { entity } of circle) reported.add(entity);
    const chain = circle.map(({ entity, to }) => `each \`${entity}\` needs one of \`${to}\``).join(", ");
    const hint = `Make one of the references optional: \`${first.word.text}: ref(${first.to})?\`.`;
    report.add("reference_circle", first.word.range, `No first record can be created: ${chain}.`.slice(0, 190), hint);
  }
}

function requiredBy({ entity, fields }: EntityDraft): readonly Reference[] {
  return fields.flatMap(({ field, declared }): Reference[] =>
    field.type.kind === "ref" && !field.optional
      ? [{ entity: entity.name, to: field.type.entity, word: declared.name }]
      : [],
  );
}

/** The shortest way from the entity back to itself. */
function circleFrom(start: string, references: ReadonlyMap<string, readonly Reference[]>): readonly Reference[] | null {
  const ways: (readonly Reference[])[] = (references.get(start) ?? []).map((one) => [one]);
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const to = way.at(-1)?.to ?? "";
    if (to === start) return way;
    if (seen.size === seen.add(to).size) continue;
    for (const next of references.get(to) ?? []) ways.push([...way, next]);
  }
  return null;
}
