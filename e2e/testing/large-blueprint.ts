// A blueprint of a large product: by default 60 entities with 600 fields. In: the number, and optionally a field that
// each entity gets in addition. Out: the text of a valid blueprint, always the same. Some names are too long for their
// place in the console.

interface LargeBlueprint {
  readonly project?: string;
  readonly entities?: number;
  readonly fieldsEach?: number;
  /** Additional lines of fields for each entity, such as "note: text?". */
  readonly alsoFields?: readonly string[];
}

const areas = ["sales", "stock", "people", "billing", "support", "travel"] as const;
const things = [
  "account",
  "order",
  "item",
  "report",
  "task",
  "visit",
  "batch",
  "plan",
  "note_that_was_never_settled",
  "ticket",
] as const;
const types = ["string", "int", "bool = false", "date?", "decimal(10,2)?", "text?", "datetime?"] as const;

export function largeBlueprint({
  project = "large",
  entities = 60,
  fieldsEach = 10,
  alsoFields = [],
}: LargeBlueprint = {}): string {
  const names = Array.from({ length: entities }, (_, index) => nameOf(index));
  const declared = names.map((name, index) => entityText(name, index, names, fieldsEach, alsoFields));
  return `project: ${project}
modules: [auth, users, roles, audit_logs]
roles:
  clerk: { inherits: user }
entities:
${declared.join("\n")}
`;
}

/** `sales_account`, `sales_order`, ...; with a number once every combination is used. */
export function nameOf(index: number): string {
  const area = areas[Math.floor(index / things.length) % areas.length];
  const round = Math.floor(index / (things.length * areas.length));
  return `${area}_${things[index % things.length]}${round === 0 ? "" : `_${round}`}`;
}

function entityText(
  name: string,
  index: number,
  names: readonly string[],
  fieldsEach: number,
  alsoFields: readonly string[],
): string {
  // One reference to an earlier entity of its area, and one to the previous area. The first entity of each area is its
  // hub.
  const hub = index - (index % things.length);
  const targets = [...new Set([hub, hub - things.length + (index % 3)])].filter((at) => at >= 0 && at < index);
  const references = targets.map((at) => `${names[at]}_id: ref(${names[at]})?`);
  const plain = Array.from(
    { length: fieldsEach - references.length - 1 },
    (_, at) => `field_${at + 1}: ${types[(index + at) % types.length]}`,
  );
  const fields = ["status: enum[draft, active, closed] = draft", ...references, ...plain, ...alsoFields];
  return `  ${name}:
    fields:
${fields.map((field) => `      ${field}`).join("\n")}
    permissions:
      admin: { all: true }
      clerk: { read: true, update: status == draft }`;
}
