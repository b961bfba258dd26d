// Format 1 to format 2. In: a bundle or a plan from the compiler of format 1. Out: the same in format 2. Everything in
// format 1 still works; it has nothing that format 2 added (scopes, states, checks, limits of pages).
//
// The tables are described as format 1 created them, not as format 2 would: unique rules are constraints, and foreign
// keys perform deletes themselves. The next plan sees the difference and updates the tables.

interface Field {
  readonly name: string;
  readonly sqlType: string;
}

interface Entity {
  readonly name: string;
  readonly table: string;
  readonly fields: readonly Field[];
  readonly access: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Table {
  readonly name: string;
  readonly uniques: readonly object[];
  readonly indexes: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly Check[];
}

interface ForeignKey {
  readonly column: string;
  readonly table: string;
  readonly onDelete: "restrict" | "set null" | "cascade";
}

interface Check {
  readonly name: string;
  readonly column: string;
  readonly rule: { readonly kind: "one_of" } | { readonly kind: "max_length"; readonly max: number };
}

interface Bundle {
  readonly entities: readonly Entity[];
  readonly tables: readonly Table[];
}

interface Step {
  readonly risk: "safe" | "online";
}

/** The limits of format 1 for every project. */
const limits = { requestsPerSecond: 100, burst: 200, bodyBytesMax: 1_048_576, pageMax: 100, statementMsMax: 2_000 };

export function upgradeBundleFrom1(stored: unknown): unknown {
  const bundle = stored as Bundle;
  return {
    ...bundle,
    format: 2,
    entities: bundle.entities.map((entity) => entityOf(entity, bundle)),
    limits,
    tests: null,
    tables: bundle.tables.map(tableOf),
  };
}

export function upgradePlanFrom1(stored: unknown): unknown {
  const plan = stored as { readonly steps: readonly Step[] };
  return { ...plan, steps: plan.steps.map(stepOf) };
}

function entityOf(entity: Entity, bundle: Bundle): object {
  const access = Object.entries(entity.access)
    .map(([operation, rules]) => [operation, grantsOf(rules)] as const)
    .filter(([, grants]) => Object.keys(grants).length > 0);
  return {
    ...entity,
    fields: entity.fields.map((field) => fieldOf(field, entity)),
    access: Object.fromEntries(access),
    scope: null,
    softDelete: null,
    stateMachine: null,
    referrers: referrersOf(entity, bundle),
    checks: [],
    audit: "writes",
    retentionDays: null,
    seed: [],
  };
}

function grantsOf(rules: Readonly<Record<string, string>>): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(rules).map(([role, rule]) => [role, { rule, fields: null, set: {}, limit: null }]),
  );
}

function fieldOf(field: Field, entity: Entity): object {
  return {
    ...field,
    write: `{value}::${field.sqlType}`,
    immutable: false,
    hidden: false,
    secret: false,
    // Format 2 omits the addresses of users from its logs.
    masked: entity.name === "user" && field.name === "email",
    searchable: false,
    slugFrom: null,
    sequence: null,
    join: null,
  };
}

/** Sessions have no entity. In both formats, a foreign key deletes them with their user. */
function referrersOf(entity: Entity, { entities, tables }: Bundle): readonly object[] {
  return tables.flatMap((table) => {
    const owner = entities.find((each) => each.table === table.name);
    if (owner === undefined) return [];
    return table.foreignKeys
      .filter((key) => key.table === entity.table)
      .map(({ column, onDelete }) => ({
        entity: owner.name,
        table: table.name,
        column,
        onDelete: onDelete === "set null" ? "set_null" : onDelete,
      }));
  });
}

function tableOf(table: Table): object {
  return {
    ...table,
    primaryKey: ["id"],
    uniques: table.uniques.map((unique) => ({ ...unique, where: null, constraint: true })),
    indexes: table.indexes.map(({ name, columns }) => ({
      name,
      method: "btree",
      keys: columns.map((column) => `"${column}"`),
      where: null,
    })),
    checks: table.checks.map(({ name, column, rule }) => ({
      name,
      columns: [column],
      rule: rule.kind === "max_length" ? { kind: "length", min: null, max: rule.max } : rule,
    })),
  };
}

/** Format 1 had one kind of step, and the release became active after the last. */
function stepOf({ risk, ...step }: Step): object {
  return {
    ...step,
    kind: "statement",
    class: risk,
    phase: "before",
    table: null,
    lock: "none",
    rewrites: false,
    scans: false,
    undo: "Deploy the version before.",
  };
}
