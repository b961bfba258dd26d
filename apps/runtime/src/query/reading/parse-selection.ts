// Reads `fields=title,author.username`, `expand=author,comments.author` and `expand[comments][limit]=5` (`sort`,
// `where`). In: the parameters. Out: a selection, or a Fault that names the parameter. It never selects a field that
// the caller can't read at all.
import type { BundleRelation } from "@plinth/bundle";
import type { EntityView } from "../entity-view.ts";
import { pageBound, readabilityOf } from "../readable-fields.ts";
import { didYouMean } from "../suggest.ts";
import { EVERYTHING } from "./filter.ts";
import { parseWhere } from "./parse-filter.ts";
import { findRelation, HOPS_MAX, relationBy, relationNames, requireRelation } from "./paths.ts";
import { isToMany, targetOf } from "./reach.ts";
import { bad, unreadable } from "./refusals.ts";
import type { Expansion, Selection } from "./selection.ts";
import { WHOLE } from "./selection.ts";
import { parseSort } from "./sort.ts";

export const selectionParameters = ["fields", "expand"] as const;

const NAMES_MAX = 100;
const EXPANSIONS_MAX = 10;
/** Maximum records that one record can include, by the limits of its lists. */
const BROUGHT_MAX = 1_000;
const LIMIT_DEFAULT = 20;
/** The default limit if lists are nested three levels deep, so that they fit without explicit limits. */
const NESTED_LIMIT_DEFAULT = 10;

/** The requested names, before they are resolved. */
interface Requested {
  readonly fields: Set<string>;
  readonly expansions: Map<string, Requested>;
  readonly options: Map<string, string>;
}

/** Whether a parameter is one of an expansion: `expand[comments][limit]`. */
export function isExpandOption(parameter: string): boolean {
  return parameter.startsWith("expand[");
}

/** @param pageMax The maximum records of a list. @throws Fault `bad_request`, `unknown_parameter`, `forbidden`. */
export function parseSelection(
  parameters: ReadonlyMap<string, string>,
  view: EntityView,
  roles: readonly string[],
  pageMax: number,
): Selection {
  const requested = requestedIn(parameters, () => exampleOf(view, roles));
  if (requested === null) return WHOLE;
  const limitUsual = listsDeep(requested, view) > 2 ? NESTED_LIMIT_DEFAULT : LIMIT_DEFAULT;
  const reader = new SelectionReader(roles, pageMax, limitUsual);
  const selection = reader.read(requested, view, "", 1);
  if (reader.expansions > EXPANSIONS_MAX) {
    throw bad("expand", "too_many", `At most ${EXPANSIONS_MAX} relations can be expanded.`);
  }
  return selection;
}

/** A list that can be expanded, for hints. */
function exampleOf(view: EntityView, roles: readonly string[]): string {
  const names = relationNames(view, roles);
  return view.entity.relations.find((one) => isToMany(one) && names.includes(one.name))?.name ?? "<relation>";
}

function requestedIn(parameters: ReadonlyMap<string, string>, example: () => string): Requested | null {
  let root: Requested | null = null;
  const at = (path: readonly string[], mayAdd: boolean): Requested | null => {
    root ??= newAsked();
    let node: Requested | undefined = root;
    for (const name of path) {
      const inner: Requested | undefined = node?.expansions.get(name);
      if (inner === undefined && !mayAdd) return null;
      const next: Requested = inner ?? newAsked();
      node?.expansions.set(name, next);
      node = next;
    }
    return node ?? null;
  };
  for (const path of namesIn(parameters.get("expand"), "expand")) at(path.split("."), true);
  for (const name of namesIn(parameters.get("fields"), "fields")) {
    const path = name.split(".");
    const field = path.pop() ?? "";
    const node = at(path, false);
    if (node === null) {
      const relation = path.join(".");
      throw bad("fields", "not_expanded", `To show ${name.slice(0, 64)}, add expand=${relation.slice(0, 64)}.`);
    }
    node.fields.add(field);
  }
  for (const [parameter, value] of parameters) {
    if (!isExpandOption(parameter)) continue;
    const [, relation = "", option = ""] = /^expand\[([^[\]]+)\]\[([^[\]]+)\]$/.exec(parameter) ?? [];
    if (relation === "") throw bad(parameter, "invalid_format", `Write it as expand[${example()}][limit].`);
    const node = at(relation.split("."), false);
    if (node === null) throw bad(parameter, "not_expanded", `Add expand=${relation.slice(0, 64)}.`);
    node.options.set(option, value);
  }
  return root;
}

/** How many lists are nested within each other. */
function listsDeep({ expansions }: Requested, view: EntityView): number {
  const depths = [...expansions].map(([name, inner]) => {
    const relation = findRelation(view, name);
    return relation === undefined ? 0 : (isToMany(relation) ? 1 : 0) + listsDeep(inner, targetOf(view, relation));
  });
  return Math.max(0, ...depths);
}

function newAsked(): Requested {
  return { fields: new Set(), expansions: new Map(), options: new Map() };
}

function namesIn(text: string | undefined, parameter: string): readonly string[] {
  if (text === undefined) return [];
  const names = text.split(",", NAMES_MAX + 2);
  if (names.length > NAMES_MAX) throw bad(parameter, "too_many", `At most ${NAMES_MAX} names can be given.`);
  if (names.some((name) => name === "")) throw bad(parameter, "invalid_format", "A name is missing.");
  return names;
}

class SelectionReader {
  expansions = 0;
  readonly #roles: readonly string[];
  readonly #pageMax: number;
  readonly #limitUsual: number;

  constructor(roles: readonly string[], pageMax: number, limitUsual: number) {
    this.#roles = roles;
    this.#pageMax = pageMax;
    this.#limitUsual = limitUsual;
  }

  read(requested: Requested, view: EntityView, path: string, brought: number): Selection {
    for (const name of requested.fields) this.#requireField(view, name);
    const expansions = [...requested.expansions].map(([name, inner]) =>
      this.#expansion(name, inner, view, path, brought),
    );
    expansions.sort((one, other) => (one.relation.name < other.relation.name ? -1 : 1));
    return { fields: requested.fields.size === 0 ? null : requested.fields, expansions };
  }

  #expansion(name: string, requested: Requested, view: EntityView, outer: string, brought: number): Expansion {
    const path = outer === "" ? name : `${outer}.${name}`;
    if (path.split(".").length > HOPS_MAX) {
      throw bad("expand", "too_deep", `Relations can be expanded at most ${HOPS_MAX} levels deep.`);
    }
    const relation = this.#relation(view, name);
    const target = targetOf(view, relation);
    this.expansions++;
    const list = isToMany(relation) ? this.#list(requested.options, target, path) : null;
    if (list === null && requested.options.size > 0) {
      throw bad(`expand[${path}]`, "not_allowed", `${path} is one record: it takes no options.`);
    }
    const total = brought * (list?.limit ?? 1);
    if (total > BROUGHT_MAX) {
      const message = `With these limits, a record would include up to ${total} others. At most ${BROUGHT_MAX} are allowed: use smaller limits for its lists.`;
      throw bad(`expand[${path}][limit]`, "too_many", message);
    }
    return { relation, list, selection: this.read(requested, target, path, total) };
  }

  #relation(view: EntityView, name: string): BundleRelation {
    const relation = findRelation(view, name);
    if (relation === undefined) {
      const by = relationBy(view, name, this.#roles);
      const hint = by === undefined ? didYouMean(name, relationNames(view, this.#roles)) : ` Did you mean "${by}"?`;
      const shown = name.slice(0, 64);
      throw bad("expand", "unknown_relation", `${view.entity.name} has no relation "${shown}".${hint}`);
    }
    requireRelation(view, relation, this.#roles, "expand", "expand");
    return relation;
  }

  #list(options: ReadonlyMap<string, string>, target: EntityView, path: string): NonNullable<Expansion["list"]> {
    const known = ["limit", "sort", "where"];
    for (const option of options.keys()) {
      if (known.includes(option)) continue;
      const message = `It takes ${known.join(", ")}.${didYouMean(option, known)}`;
      throw bad(`expand[${path}][${option}]`, "unknown_option", message);
    }
    const bound = pageBound(target, this.#roles, this.#pageMax);
    const where = options.get("where");
    return {
      limit: limitOf(options.get("limit"), Math.min(this.#limitUsual, bound), bound, `expand[${path}][limit]`),
      sort: parseSort(options.get("sort"), target, this.#roles, `expand[${path}][sort]`),
      filter: where === undefined ? EVERYTHING : parseWhere(where, target, this.#roles, `expand[${path}][where]`),
    };
  }

  #requireField(view: EntityView, name: string): void {
    const field = view.fields.get(name);
    if (field !== undefined && !field.hidden && !field.secret) {
      if (readabilityOf(view, field, this.#roles) !== "never") return;
      throw unreadable("fields", name, "read");
    }
    const open = view.shown.filter((each) => readabilityOf(view, each, this.#roles) !== "never");
    const hint = didYouMean(
      name,
      open.map((each) => each.name),
    );
    throw bad("fields", "unknown_field", `${view.entity.name} has no field "${name.slice(0, 64)}".${hint}`);
  }
}

/** @param usual The limit if it is undefined. @throws Fault `bad_request`. */
export function limitOf(text: string | undefined, usual: number, bound: number, parameter: string): number {
  if (text === undefined) return usual;
  const limit = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= bound) return limit;
  throw bad(parameter, "out_of_range", `The limit must be a whole number from 1 to ${bound}.`);
}
