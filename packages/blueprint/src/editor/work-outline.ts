// Reads a piece of background work up to a position, during typing. In: the sketch of the text, and the path of the
// position. Out: its events, its record's entity, the earlier steps. It checks nothing.
import { stepKeys } from "../language/background-sections.ts";
import type { Location } from "./locate.ts";
import {
  entriesOf,
  nodeAt,
  type Sketch,
  type SketchMap,
  type SketchPath,
  textOf,
  textsOf,
  valueAt,
} from "./sketch-tree.ts";

export interface WorkOutline {
  readonly section: "workflows" | "workers" | "actions";
  readonly name: string;
  readonly on: readonly string[];
  /** The entity in `record`; null if there is none. */
  readonly lookup: string | null;
  /** The steps whose results exist at the position. */
  readonly steps: readonly StepOutline[];
  /** The step at the position; null elsewhere. */
  readonly at: StepOutline | null;
  /** Whether the position is in what starts the work, before there is any step. */
  readonly isStart: boolean;
  /** Whether the position is in the steps of an `on_error`. */
  readonly onError: boolean;
  /** Whether it is in a step with `for_each`, and so has a member. */
  readonly inEach: boolean;
  /** Whether it is in the condition of a wait, which is about the event that it waits for. */
  readonly inWait: boolean;
}

export interface StepOutline {
  readonly id: string;
  readonly action: string;
  readonly entity: string | null;
  readonly event: string | null;
  /** Whether its values are under `where` or `values`. */
  readonly apart: boolean;
  /** Whether a find returns a list. */
  readonly many: boolean;
  readonly forEach: boolean;
  /** The earlier step whose records `for_each` takes. */
  readonly each: string | null;
  /** The transition that a step takes. */
  readonly edge: string | null;
  readonly template: string | null;
}

const stepLists: readonly string[] = ["steps", "actions", "on_error", "compensate"];

export function workOutline({ root, spot, path }: Location): WorkOutline | null {
  const [section, name] = path;
  if ((section !== "workflows" && section !== "workers" && section !== "actions") || name === undefined) return null;
  const work = nodeAt(root, [section, name]);
  const steps: StepOutline[] = [];
  let at: StepOutline | null = null;
  let inSteps = false;
  for (let index = 2; index < spot.length; index++) {
    const which = spot[index + 1];
    if (!stepLists.includes(String(spot[index])) || typeof which !== "number") continue;
    const list = nodeAt(root, spot.slice(0, index + 1));
    inSteps = true;
    // What undoes a step, or follows its failure, also knows its result.
    if (at !== null && spot[index] === "compensate") steps.push(at);
    steps.push(...itemsOf(list).slice(0, which).map(stepOf));
    at = stepOf(itemsOf(list)[which] ?? null);
  }
  const [lookup] = entriesOf(valueAt(work, "record"));
  const isStart = section !== "actions" && (path[2] === "when" || path[2] === "record");
  return {
    section,
    name,
    on: textsOf(valueAt(work, "on")),
    lookup: lookup?.key ?? null,
    steps: isStart ? [] : inSteps ? steps : itemsOf(valueAt(work, "steps") ?? valueAt(work, "actions")).map(stepOf),
    at,
    isStart,
    inEach: at?.forEach === true && path.at(-1) !== "for_each",
    onError: path.includes("on_error"),
    inWait: path.at(-1) === "if" && (path.at(-2) === "wait_for" || path.at(-2) === "with"),
  };
}

/** The map of the step at a path, with the position of its `with`. */
export function stepAt(
  root: SketchMap,
  spot: SketchPath,
): { readonly step: StepOutline; readonly rest: SketchPath } | null {
  for (let index = spot.length - 2; index >= 2; index--) {
    if (!stepLists.includes(String(spot[index])) || typeof spot[index + 1] !== "number") continue;
    const node = nodeAt(root, spot.slice(0, index + 2));
    return { step: stepOf(node), rest: spot.slice(index + 2) };
  }
  return null;
}

function itemsOf(node: Sketch | null): readonly (Sketch | null)[] {
  return node?.kind === "list" ? node.items : [];
}

const waits: Readonly<Record<string, string>> = { approval: "approve", wait_for: "wait_for", delay: "wait" };

function stepOf(node: Sketch | null): StepOutline {
  const [first] = entriesOf(node);
  const isShort = first !== undefined && !Object.hasOwn(stepKeys, first.key);
  const body = isShort ? first.value : node;
  const waiting = Object.keys(waits).find((key) => entriesOf(body).some((one) => one.key === key));
  const action =
    textOf(node) ??
    (isShort ? first.key : null) ??
    textOf(valueAt(body, "action")) ??
    (waiting === undefined ? "" : (waits[waiting] ?? ""));
  const given = valueAt(body, "with");
  const word = (key: string): string | null => textOf(valueAt(given, key));
  const awaited = valueAt(body, "wait_for");
  return {
    id: textOf(valueAt(body, "id")) ?? action.split(".").at(-1) ?? action,
    action,
    entity: word("entity"),
    event:
      action === "event.emit" ? word("name") : (word("event") ?? textOf(valueAt(awaited, "event")) ?? textOf(awaited)),
    apart: entriesOf(given).some(({ key }) => key === "where" || key === "values"),
    many: valueAt(given, "limit") !== null,
    forEach: entriesOf(body).some(({ key }) => key === "for_each"),
    each: /^\$\{\{\s*steps\.(\w+)\s*\}\}$/.exec(textOf(valueAt(body, "for_each")) ?? "")?.[1] ?? null,
    edge: word("edge"),
    template: word("template"),
  };
}
