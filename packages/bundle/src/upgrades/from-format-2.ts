// Format 2 to format 3. In: a bundle or a plan as the compiler of format 2 wrote it. Out: the same in format 3.
// Format 3 names a record's own many-to-many pairs by a hole, so that a write can be judged by the pairs that it writes. Format
// 2 named their table, where a statement sees those of before: its rules get the hole as well, for that is what they say.
// Format 3 holds work in the background, which format 2 declared and nothing ran: a project of then has none.

interface Grant {
  readonly rule: string;
}

interface Entity {
  readonly access: Readonly<Record<string, Readonly<Record<string, Grant>>>>;
}

export function upgradeBundleFrom2(stored: unknown): unknown {
  const bundle = stored as { readonly entities: readonly Entity[] };
  const background = { events: [], workflows: [], schedules: [], actions: [] };
  return { ...bundle, format: 3, background, entities: bundle.entities.map(entityOf) };
}

export function upgradePlanFrom2(stored: unknown): unknown {
  return stored;
}

function entityOf(entity: Entity): object {
  const access = Object.entries(entity.access).map(([operation, grants]) => [
    operation,
    Object.fromEntries(Object.entries(grants).map(([role, grant]) => [role, { ...grant, rule: ruleOf(grant.rule) }])),
  ]);
  return { ...entity, access: Object.fromEntries(access) };
}

/**
 * The pairs of the judged row as format 2 wrote them: `{schema}."albums__tags" _each1_pair join {schema}."tags" _each1 on
 * _each1."id" = _each1_pair."tag_id" where _each1_pair."album_id" = {new}."id"`. No text of an author's holds a brace.
 */
const ownPairs =
  /\{schema\}\."([a-z0-9_]+)" ((_each\d+)_pair) (join \{schema\}\."[a-z0-9_]+" \3 on \3\."id" = \2\."[a-z0-9_]+" where \2\."[a-z0-9_]+" = \{(record|old|new)\}\."id")/g;

function ruleOf(rule: string): string {
  return rule.replace(
    ownPairs,
    (_, table: string, pair: string, __, rest: string, row: string) => `{pairs.${row}.${table}} ${pair} ${rest}`,
  );
}
