// Finds the statement of a request, or has it written. In: release, entity, roles, shape. Out: a statement, the same object
// each time. It never holds more statements than its bound: shapes are what callers can invent.
import type { ActiveRelease } from "../http/contracts.ts";
import { type Derivation, derived } from "./derived.ts";
import { type EntityView, entityView } from "./entity-view.ts";
import type { ListQuery } from "./list-query.ts";
import { listShape, listStatement } from "./list-statement.ts";
import {
  createStatement,
  deleteStatement,
  emptyUpdateStatement,
  readStatement,
  type Statement,
  shapingFields,
  updateStatement,
  type WriteStatement,
} from "./statements.ts";

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

export function assembleRead(release: ActiveRelease, entity: string, roles: readonly string[]): Statement {
  return find(release, entity, "read", roles, "", (view) => readStatement(view, roles));
}

export function assembleList(
  release: ActiveRelease,
  entity: string,
  roles: readonly string[],
  query: ListQuery,
): Statement {
  return find(release, entity, "list", roles, listShape(query), (view) => listStatement(view, roles, query));
}

/** `given`: the names of the fields that the body holds. */
export function assembleCreate(
  release: ActiveRelease,
  entity: string,
  roles: readonly string[],
  given: Iterable<string>,
): WriteStatement {
  const shape = shapingFields(entityView(release, entity), given);
  return find(release, entity, "create", roles, shape.join(","), (view) => createStatement(view, roles, shape));
}

/** `given`: the names of the fields that the body holds. */
export function assembleUpdate(
  release: ActiveRelease,
  entity: string,
  roles: readonly string[],
  given: readonly string[],
): WriteStatement {
  const sorted = [...given].sort();
  return find(release, entity, "update", roles, sorted.join(","), (view) =>
    sorted.length === 0 ? emptyUpdateStatement(view, roles) : updateStatement(view, roles, sorted),
  );
}

export function assembleDelete(release: ActiveRelease, entity: string, roles: readonly string[]): Statement {
  return find(release, entity, "delete", roles, "", (view) => deleteStatement(view, roles));
}

function find<S extends Statement>(
  release: ActiveRelease,
  entity: string,
  operation: string,
  roles: readonly string[],
  shape: string,
  write: (view: EntityView) => S,
): S {
  const { statements, shapes } = derived(release, cache);
  const key = `${operation} ${entity} ${roles.join(",")} ${shape}`;
  const known = statements.get(key);
  // A key belongs to one operation, and each operation has one type of statement.
  if (known !== undefined) return known as S;
  const family = `${operation} ${entity}`;
  const count = (shapes.get(family) ?? 0) + 1;
  shapes.set(family, count);
  const statement = { ...write(entityView(release, entity)), keep: count <= KEPT_SHAPES_MAX };
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
