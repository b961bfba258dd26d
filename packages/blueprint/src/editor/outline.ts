// Lists the names that a blueprint declares, during typing. In: the text. Out: its names. It only uses indentation, so
// it works while the YAML is broken, and checks nothing.

export interface Outline {
  /** In the order of the text. */
  readonly modules: readonly string[];
  readonly entities: ReadonlyMap<string, EntityOutline>;
  /** Profile fields, by name. */
  readonly userFields: ReadonlyMap<string, string>;
  readonly roles: readonly string[];
  readonly rules: readonly string[];
  readonly events: readonly string[];
  readonly workers: readonly string[];
  /** Declared event > its data: field > notation. */
  readonly payloads: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Action > its input: field > notation. */
  readonly inputs: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly connections: readonly string[];
  readonly testUsers: readonly string[];
  readonly testRows: ReadonlyMap<string, readonly string[]>;
}

export interface EntityOutline {
  readonly name: string;
  /** Field > notation, as written. */
  readonly fields: ReadonlyMap<string, string>;
  readonly transitions: readonly string[];
}

const entityOptions =
  /^(?:fields|permissions|plural|was|unique|index|checks|exclude|lock|org_scoped|soft_delete|retention|transitions|seed|audit|realtime|require_version|label|help)$/;

export function outlineOf(text: string): Outline {
  const entities = new Map<string, { name: string; fields: Map<string, string>; transitions: string[] }>();
  const userFields = new Map<string, string>();
  const lists = { roles: [] as string[], rules: [] as string[], events: [] as string[], workers: [] as string[] };
  const payloads = new Map<string, Map<string, string>>();
  const inputs = new Map<string, Map<string, string>>();
  const connections: string[] = [];
  const testUsers: string[] = [];
  const testRows = new Map<string, string[]>();
  for (const { path, value } of keysOf(text)) {
    const [section, first, second, third, fourth] = path;
    const depth = path.length;
    if (first === undefined) continue;
    switch (section) {
      case "entities": {
        const entity = entities.get(first) ?? { name: first, fields: new Map<string, string>(), transitions: [] };
        entities.set(first, entity);
        if (depth === 4 && second === "fields" && third !== undefined) entity.fields.set(third, typeIn(value));
        else if (depth === 3 && second !== undefined && !entityOptions.test(second))
          entity.fields.set(second, typeIn(value));
        else if (depth === 5 && second === "fields" && third !== undefined && fourth === "type")
          entity.fields.set(third, value);
        else if (depth === 5 && second === "transitions" && fourth !== undefined && fourth !== "initial")
          entity.transitions.push(fourth);
        break;
      }
      case "users":
        if (depth === 3 && first === "fields" && second !== undefined) userFields.set(second, typeIn(value));
        break;
      case "events":
        if (depth === 4 && second === "payload" && third !== undefined) put(payloads, first, third, typeIn(value));
        else if (depth === 2) put(payloads, first, null, "");
        if (depth === 2) lists.events.push(first);
        break;
      case "actions":
        if (depth === 4 && second === "input" && third !== undefined) put(inputs, first, third, typeIn(value));
        break;
      case "roles":
      case "rules":
      case "workers":
        if (depth === 2) lists[section].push(first);
        break;
      case "workflows":
        if (depth === 2) lists.workers.push(first);
        break;
      case "integrations":
        if (depth === 2) connections.push(first);
        break;
      case "tests":
        if (depth === 3 && first === "users" && second !== undefined) testUsers.push(second);
        if (depth === 4 && first === "rows" && second !== undefined && third !== undefined)
          testRows.set(second, [...(testRows.get(second) ?? []), third]);
        break;
    }
  }
  return {
    modules: modulesIn(text),
    entities,
    userFields,
    ...lists,
    payloads,
    inputs,
    connections,
    testUsers,
    testRows,
  };
}

/** `modules: [auth, users]`, or one per line. */
function modulesIn(text: string): readonly string[] {
  const listed = /^modules:[ \t]*(\[[^\]]*\]|(?:\n[ \t]*-[ \t]*\w+)+)/m.exec(text)?.[1] ?? "";
  return listed.match(/\w+/g) ?? [];
}

function put(into: Map<string, Map<string, string>>, owner: string, field: string | null, notation: string): void {
  const fields = into.get(owner) ?? new Map<string, string>();
  into.set(owner, fields);
  if (field !== null) fields.set(field, notation);
}

/** `{ type: int, min: 1 }` and `int = 1`. */
function typeIn(value: string): string {
  return (
    /^\{.*\btype:\s*("[^"]*"|'[^']*'|[^,}]+)/
      .exec(value)?.[1]
      ?.replace(/^["']|["']$/g, "")
      .trim() ?? value
  );
}

interface Keyed {
  readonly path: readonly string[];
  readonly value: string;
}

function* keysOf(text: string): Generator<Keyed> {
  const open: { indent: number; key: string }[] = [];
  for (const line of text.split("\n")) {
    const match = /^(\s*)("[^"]*"|'[^']*'|[^\s#:[\]{},"'-][^:#]*?)\s*:(?:\s+(.*))?$/.exec(line);
    if (match === null) continue;
    const indent = match[1]?.length ?? 0;
    while ((open[open.length - 1]?.indent ?? -1) >= indent) open.pop();
    open.push({ indent, key: (match[2] ?? "").replace(/^["']|["']$/g, "") });
    const path = open.map((one) => one.key);
    const value = (match[3] ?? "").trim();
    yield { path, value };
    // `ana: { roles: [user] }`: members of a map on the line.
    if (value.startsWith("{")) {
      for (const [, key, inner] of value.matchAll(/[{,]\s*([\w-]+):\s*([^,}]*)/g))
        yield { path: [...path, key ?? ""], value: (inner ?? "").trim() };
    }
  }
}
