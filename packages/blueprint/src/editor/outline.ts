// Lists the names that a blueprint declares, during typing. In: the sketch of its text. Out: its names, and the notation
// of its fields. It checks nothing.
import { entriesOf, type Sketch, type SketchMap, textOf, textsOf, valueAt } from "./sketch-tree.ts";

export interface Outline {
  /** In the order of the text. */
  readonly modules: readonly string[];
  readonly entities: ReadonlyMap<string, EntityOutline>;
  /** Profile fields, by name. */
  readonly userFields: Fields;
  readonly roles: readonly string[];
  readonly rules: readonly string[];
  readonly events: readonly string[];
  /** Workers and workflows. */
  readonly workers: readonly string[];
  readonly onlyWorkers: readonly string[];
  /** Declared event > its data. */
  readonly payloads: ReadonlyMap<string, Fields>;
  /** Action > its input. */
  readonly inputs: ReadonlyMap<string, Fields>;
  /** E-mail template > its variables. */
  readonly templates: ReadonlyMap<string, Fields>;
  readonly connections: ReadonlyMap<string, { readonly kind: string; readonly provider: string }>;
  readonly testUsers: readonly string[];
  readonly testOrganizations: readonly string[];
  /** Entity > the names of its rows. */
  readonly testRows: ReadonlyMap<string, readonly string[]>;
}

/** Field > notation, as written; the long form in the notation of the short one. */
export type Fields = ReadonlyMap<string, string>;

export interface EntityOutline {
  readonly name: string;
  readonly fields: Fields;
  readonly transitions: readonly string[];
  /** The events of its transitions. */
  readonly edgeEvents: readonly string[];
  readonly stateField: string | null;
  readonly plural: string | null;
  readonly orgScoped: boolean;
  readonly softDelete: boolean;
}

const entityOptions: ReadonlySet<string> = new Set(
  "fields permissions plural was unique index checks exclude lock org_scoped soft_delete retention transitions seed views audit realtime require_version label help".split(
    " ",
  ),
);

export function outlineOf(root: SketchMap): Outline {
  const section = (...path: readonly string[]): Sketch | null => path.reduce<Sketch | null>(valueAt, root);
  const keysOf = (node: Sketch | null): string[] => entriesOf(node).map(({ key }) => key);
  const fieldsBelow = (node: Sketch | null, key: string): ReadonlyMap<string, Fields> =>
    new Map(entriesOf(node).map((one) => [one.key, fieldsIn(valueAt(one.value, key))]));
  const workers = keysOf(section("workers"));
  return {
    modules: textsOf(section("modules")),
    entities: new Map(entriesOf(section("entities")).map(({ key, value }) => [key, entityOf(key, value)])),
    userFields: fieldsIn(section("users", "fields")),
    roles: keysOf(section("roles")),
    rules: keysOf(section("rules")),
    events: [...keysOf(section("events")), ...mappedEvents(section("webhooks", "in"))],
    workers: [...workers, ...keysOf(section("workflows"))],
    onlyWorkers: workers,
    payloads: fieldsBelow(section("events"), "payload"),
    inputs: fieldsBelow(section("actions"), "input"),
    templates: fieldsBelow(section("emails"), "variables"),
    connections: new Map(
      entriesOf(section("integrations")).map(({ key, value }) => [
        key,
        { kind: textOf(valueAt(value, "kind")) ?? "", provider: textOf(valueAt(value, "provider")) ?? "" },
      ]),
    ),
    testUsers: keysOf(section("tests", "users")),
    testOrganizations: [
      ...new Set(entriesOf(section("tests", "users")).flatMap(({ value }) => keysOf(valueAt(value, "organizations")))),
    ],
    testRows: new Map(entriesOf(section("tests", "rows")).map(({ key, value }) => [key, keysOf(value)])),
  };
}

/** Whether it is listed; before any is listed, the author can still choose it. */
export function hasModule({ modules }: Outline, name: string): boolean {
  return modules.length === 0 || modules.includes(name);
}

function entityOf(name: string, node: Sketch | null): EntityOutline {
  const transitions = valueAt(node, "transitions");
  const fields = new Map(fieldsIn(valueAt(node, "fields")));
  const machine = entriesOf(transitions).find(({ key }) => fields.has(key));
  const edges = entriesOf(machine?.value ?? null).filter(({ key }) => key !== "initial");
  const short = entriesOf(node).filter(({ key }) => !entityOptions.has(key));
  const isTrue = (key: string): boolean => textOf(valueAt(node, key)) === "true";
  return {
    name,
    fields: new Map([...fields, ...short.map(({ key, value }) => [key, notationOf(value)] as const)]),
    transitions: edges.map(({ key }) => key),
    edgeEvents: edges.map(({ key, value }) => textOf(valueAt(value, "emit")) ?? `${name}.${key}`),
    stateField: machine?.key ?? null,
    plural: textOf(valueAt(node, "plural")),
    orgScoped: isTrue("org_scoped"),
    softDelete: isTrue("soft_delete"),
  };
}

function fieldsIn(node: Sketch | null): Fields {
  return new Map(entriesOf(node).map(({ key, value }) => [key, notationOf(value)]));
}

/** `{ type: enum, values: [a, b], optional: true }` is `enum[a, b]?`. */
export function notationOf(node: Sketch | null): string {
  if (node?.kind !== "map") return (textOf(node) ?? "").replace(/\s#.*$/, "");
  const type = textOf(valueAt(node, "type")) ?? "";
  const values = textsOf(valueAt(node, "values"));
  const members = entriesOf(valueAt(node, "fields"));
  const of = valueAt(node, "of");
  const args =
    values.length > 0
      ? `[${values.join(", ")}]`
      : members.length > 0
        ? `{${members.map((one) => `${one.key}: ${notationOf(one.value)}`).join(", ")}}`
        : of === null
          ? ""
          : `<${notationOf(of)}>`;
  const optional = textOf(valueAt(node, "optional")) === "true" ? "?" : "";
  const marks = ["readonly", "immutable", "internal"].filter((key) => textOf(valueAt(node, key)) === "true");
  const as = textOf(valueAt(node, "as"));
  return [`${type}${args}${optional}`, ...marks, ...(as === null ? [] : [`as(${as})`])].join(" ");
}

function mappedEvents(sources: Sketch | null): string[] {
  return entriesOf(sources).flatMap(({ value }) =>
    entriesOf(valueAt(value, "events")).flatMap((one) => textOf(one.value) ?? []),
  );
}
