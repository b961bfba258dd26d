// The effects of a caller's grants on a write's values. In: an entity, an operation, roles. Out: which fields can be
// named, and which the service sets itself. It never judges a record: for a field that only some grants open, the
// statement has a check.
import { distinctPredicates, type Grant, type Operation, type Predicate, type SqlTemplate } from "@plinth/bundle";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Derivation, derived } from "../project/derived.ts";
import { entityView, grantsOf } from "./entity-view.ts";
import { opensAll } from "./readable-fields.ts";

export interface WriteTerms {
  /** Field > the value that the service writes instead of the caller's. */
  readonly forced: ReadonlyMap<string, SqlTemplate>;
  /** Null if every field of the schema can be named. */
  readonly limited: readonly Grant[] | null;
}

const free: WriteTerms = { forced: new Map(), limited: null };
const TERMS_MAX = 2_000;

const TERMS_BYTES = 500;

interface Terms {
  readonly known: Map<string, WriteTerms>;
  readonly grow: (bytes: number) => void;
}

const allTerms: Derivation<Terms> = { name: "write terms", make: (_, grow) => ({ known: new Map(), grow }) };

export function writeTerms(
  release: ActiveRelease,
  entity: string,
  operation: Operation,
  roles: readonly string[],
): WriteTerms {
  const { known: terms, grow } = derived(release, allTerms);
  const key = `${operation} ${entity} ${roles.join(",")}`;
  let found = terms.get(key);
  if (found === undefined) {
    found = termsOf(grantsOf(entityView(release, entity).entity, operation, roles).map(([, grant]) => grant));
    if (terms.size >= TERMS_MAX) {
      grow(-terms.size * TERMS_BYTES);
      terms.clear();
    }
    terms.set(key, found);
    grow(TERMS_BYTES);
  }
  return found;
}

function termsOf(grants: readonly Grant[]): WriteTerms {
  const [first] = grants;
  if (first === undefined) return free;
  // Only values that all grants force, because a grant without one leaves the caller free. If the values differ, the
  // first role's counts.
  const names = Object.keys(first.set).filter((name) => grants.every((grant) => Object.hasOwn(grant.set, name)));
  const limited = grants.some((grant) => grant.fields !== null) ? grants : null;
  if (names.length === 0 && limited === null) return free;
  return { forced: new Map(names.map((name) => [name, first.set[name] as SqlTemplate])), limited };
}

/** The callers who can name the field: nobody, everybody with a grant, or callers for whom one of these rules holds. */
export function writableBy(terms: WriteTerms, field: string): "nobody" | "all" | readonly Predicate[] {
  if (terms.limited === null) return "all";
  const opening = terms.limited.filter((grant) => grant.fields === null || grant.fields.includes(field));
  if (opening.length === 0) return "nobody";
  return opensAll(opening, terms.limited) ? "all" : distinctPredicates(opening.map((grant) => grant.rule));
}
