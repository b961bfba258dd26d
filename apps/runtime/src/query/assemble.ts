// Finds the statement of a request, or has it written. In: release, entity, who asks, shape. Out: a statement, the same
// object each time. It never holds more statements than its bound: shapes are what callers can invent.
import type { Operation } from "@plinth/bundle";
import type { ActiveRelease } from "../http/contracts.ts";
import { createStatement, shapingFields } from "./create-statement.ts";
import { deleteStatement } from "./delete-statement.ts";
import { type Derivation, derived } from "./derived.ts";
import { type Asker, type EntityView, entityView } from "./entity-view.ts";
import type { ListQuery } from "./list-query.ts";
import { type ListStatement, listShape, listStatement } from "./list-statement.ts";
import { readStatement } from "./read-statement.ts";
import { restoreStatement } from "./restore-statement.ts";
import { edgeOf, waysTo } from "./state-machine.ts";
import type { DeleteStatement, Statement, WriteStatement } from "./statement.ts";
import { emptyUpdateStatement, transitionStatement, updateStatement } from "./update-statement.ts";
import { type WriteTerms, writeTerms } from "./write-terms.ts";

const STATEMENTS_MAX = 1000;
/** Shapes of one operation on one entity that are kept prepared; callers who send more of them pay for it alone. */
const KEPT_SHAPES_MAX = 64;

interface StatementCache {
  readonly statements: Map<string, Statement>;
  readonly shapes: Map<string, number>;
}

const cache: Derivation<StatementCache> = {
  name: "statements",
  make: () => ({ statements: new Map(), shapes: new Map() }),
};

export function assembleRead(release: ActiveRelease, entity: string, asker: Asker): Statement {
  return find(release, entity, "read", asker, "", (view) => readStatement(view, asker));
}

export function assembleList(release: ActiveRelease, entity: string, asker: Asker, query: ListQuery): ListStatement {
  return find(release, entity, "list", asker, listShape(query), (view) => listStatement(view, asker, query));
}

/** `given`: the names of the fields that the body holds. */
export function assembleCreate(
  release: ActiveRelease,
  entity: string,
  asker: Asker,
  given: Iterable<string>,
): WriteStatement {
  const terms = writeTerms(release, entity, "create", asker.roles);
  const shape = shapingFields(entityView(release, entity), given, terms);
  return find(release, entity, "create", asker, shape.join(","), (view) => createStatement(view, asker, shape, terms));
}

/** `given`: the names of the fields that the body holds; `state`: what it holds for the state, whose edges the text names. */
export function assembleUpdate(
  release: ActiveRelease,
  entity: string,
  asker: Asker,
  given: readonly string[],
  state: string | null = null,
): WriteStatement {
  const sorted = [...given].sort();
  return find(release, entity, "update", asker, `${sorted.join(",")} ${state ?? ""}`, (view) => {
    const { roles } = asker;
    const terms = writeTerms(release, entity, "update", roles);
    // What a grant sets is written whatever was sent, so also where nothing was.
    if (sorted.length === 0 && terms.forced.size === 0) return emptyUpdateStatement(view, asker);
    const moves = sorted.includes(view.entity.stateMachine?.field ?? "");
    const termsOf = (operation: Operation): WriteTerms => writeTerms(release, entity, operation, roles);
    return updateStatement(view, asker, sorted, terms, moves ? waysTo(view, state, termsOf, roles) : null);
  });
}

/** `given`: the names of the fields that the body holds. */
export function assembleTransition(
  release: ActiveRelease,
  entity: string,
  asker: Asker,
  edge: string,
  given: readonly string[],
): WriteStatement {
  const sorted = [...given].sort();
  return find(release, entity, `transition:${edge}`, asker, sorted.join(","), (view) => {
    const terms = writeTerms(release, entity, `transition:${edge}`, asker.roles);
    return transitionStatement(view, asker, edgeOf(view, edge), sorted, terms);
  });
}

export function assembleRestore(release: ActiveRelease, entity: string, asker: Asker): Statement {
  return find(release, entity, "restore", asker, "", (view) => restoreStatement(view, asker));
}

export function assembleDelete(release: ActiveRelease, entity: string, asker: Asker): DeleteStatement {
  return find(release, entity, "delete", asker, "", (view) => deleteStatement(view, asker));
}

function find<S extends Statement>(
  release: ActiveRelease,
  entity: string,
  operation: string,
  asker: Asker,
  shape: string,
  write: (view: EntityView) => S,
): S {
  const { statements, shapes } = derived(release, cache);
  const key = `${operation} ${entity} ${asker.unscoped ? "!" : ""}${asker.roles.join(",")} ${shape}`;
  const known = statements.get(key);
  // A key belongs to one operation, and each operation has one type of statement.
  if (known !== undefined) return known as S;
  const family = `${operation} ${entity}`;
  const count = (shapes.get(family) ?? 0) + 1;
  shapes.set(family, count);
  const written = write(entityView(release, entity));
  const statement = { ...written, keep: written.keep && count <= KEPT_SHAPES_MAX };
  if (statements.size >= STATEMENTS_MAX) {
    // The oldest goes: statements asked for often were written early, but are few, and come back at once.
    for (const oldest of statements.keys()) {
      statements.delete(oldest);
      break;
    }
  }
  statements.set(key, statement);
  return statement;
}
