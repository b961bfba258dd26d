// Reads a piece of background work up to a position, during typing. In: the text, an offset and its path of keys. Out:
// its events, its record's entity, the earlier steps. It reads line by line and checks nothing.

export interface WorkOutline {
  readonly section: "workflows" | "workers" | "actions";
  readonly name: string;
  readonly on: readonly string[];
  /** The entity in `record`; null if there is none. */
  readonly lookup: string | null;
  /** The steps above the position. */
  readonly steps: readonly StepOutline[];
  /** The step at the position; null elsewhere. */
  readonly at: StepOutline | null;
  /** Whether the position is in the steps of an `on_error`. */
  readonly onError: boolean;
  /** Whether it is in the condition of a wait, which is about the event that it waits for. */
  readonly inWait: boolean;
}

export interface StepOutline {
  readonly id: string;
  readonly action: string;
  readonly entity: string | null;
  readonly event: string | null;
  /** Whether a find returns a list. */
  readonly many: boolean;
  readonly forEach: boolean;
}

export function workOutline(text: string, offset: number, path: readonly string[]): WorkOutline | null {
  const [section, name] = path;
  if ((section !== "workflows" && section !== "workers" && section !== "actions") || name === undefined) return null;
  const block = blockOf(text.slice(0, lineEndAt(text, offset)), section, name);
  if (block === null) return null;
  const joined = block.join("\n");
  const on = /^\s*on:\s*(.+)$/m.exec(joined)?.[1] ?? "";
  const lookup = /^\s*record:\s*(?:\{\s*(\w+):|\n\s*(\w+):)/m.exec(joined);
  const items = stepsIn(block).map(stepOf);
  const inSteps = path[2] === "steps" || (path[2] === "actions" && section !== "actions");
  return {
    section,
    name,
    on: on.match(/[a-z][\w.]*/g) ?? [],
    lookup: lookup?.[1] ?? lookup?.[2] ?? null,
    steps: inSteps ? items.slice(0, -1) : items,
    at: inSteps ? (items.at(-1) ?? null) : null,
    onError: path.includes("on_error"),
    inWait: path.at(-1) === "if" && (path.at(-2) === "wait_for" || path.at(-2) === "with"),
  };
}

function lineEndAt(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end;
}

/** The lines below `name:` of a section, up to the end of the text. */
function blockOf(text: string, section: string, name: string): readonly string[] | null {
  const lines = text.split("\n");
  const top = lines.findIndex((line) => line.startsWith(`${section}:`));
  if (top === -1) return null;
  for (let at = lines.length - 1; at > top; at--) {
    const key = /^(\s+)["']?([\w-]+)["']?:/.exec(lines[at] ?? "");
    if (key?.[2] === name && (key[1]?.length ?? 0) <= 4) return lines.slice(at + 1);
  }
  return null;
}

/** The lines of each member of the outermost list. */
function stepsIn(block: readonly string[]): readonly string[] {
  const dashes = block.flatMap((line) => /^(\s*)- /.exec(line)?.[1]?.length ?? []);
  const outermost = Math.min(...dashes);
  const items: string[] = [];
  for (const line of block) {
    const indent = /^(\s*)- /.exec(line)?.[1]?.length;
    if (indent === outermost) items.push(line.slice(indent + 2));
    else if (items.length > 0) items.push(`${items.pop() ?? ""}\n${line}`);
  }
  return items;
}

const waits: Readonly<Record<string, string>> = { approval: "approve", wait_for: "wait_for", delay: "wait" };

function stepOf(item: string): StepOutline {
  const word = (key: string): string | null =>
    new RegExp(`(?:^|[\\s{,])${key}:\\s*["']?([\\w.]+)`).exec(item)?.[1] ?? null;
  const first = /^\{?\s*([\w.]+)/.exec(item)?.[1] ?? "";
  const waiting = Object.keys(waits).find((key) => new RegExp(`(?:^|[\\s{,])${key}:`).test(item));
  const named = first.includes(".") || word(first) === null ? first : null;
  const action = word("action") ?? named ?? (waiting === undefined ? first : (waits[waiting] ?? ""));
  return {
    id: word("id") ?? action.split(".").at(-1) ?? action,
    action,
    entity: word("entity"),
    event: action === "event.emit" ? word("name") : (word("event") ?? word("wait_for")),
    many: word("limit") !== null,
    forEach: /(?:^|[\s{,])for_each:/.test(item),
  };
}
