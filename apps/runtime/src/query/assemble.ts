// Finds the statement of a request, or writes it. In: release, entity, caller, shape. Out: a statement, the same object
// each time. Projects with the same bundle share it, with the schema left open; each has its own final text. The caches
// are limited, because callers can invent shapes. No project can displace the statements of another.
import type { Operation } from "@plinth/bundle";
import { ByteCache, bytesOfText, Fault } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import { type Derivation, derived, derivedForProject, type ProjectDerivation } from "../project/derived.ts";
import { createStatement, shapingFields } from "./create-statement.ts";
import { deleteStatement } from "./delete-statement.ts";
import { type EntityView, entityView, forProject, type StatementCaller } from "./entity-view.ts";
import { PLAIN_READING, type Reading, readingShape, readStatement } from "./read-statement.ts";
import { type AggregateQuery, aggregateShape } from "./reading/aggregate-query.ts";
import { type AggregateStatement, aggregateStatement } from "./reading/aggregate-statement.ts";
import type { ListQuery } from "./reading/list-query.ts";
import { type ListStatement, listShape, listStatement } from "./reading/list-statement.ts";
import { recordsLock } from "./records-lock.ts";
import { restoreStatement } from "./restore-statement.ts";
import { edgeOf, waysTo } from "./state-machine.ts";
import type { DeleteStatement, Statement, WriteStatement } from "./statement.ts";
import { emptyUpdateStatement, transitionStatement, updateStatement } from "./update-statement.ts";
import { type WriteTerms, writeTerms } from "./write-terms.ts";

/** For one project. */
const OWN_BYTES_MAX = 2_000_000;
/** For one bundle. */
const SHARED_BYTES_MAX = 4_000_000;
/** In addition to the texts: the statement's object, and the state that the text is proven and prepared. */
const OWN_BYTES = 700;
const SHARED_BYTES = 500;
const SLOT_BYTES = 100;
const CHARS_MAX = 150_000;
/**
 * Shapes of one operation on one entity that are kept prepared. A caller who sends more of them gets slower statements,
 * but others don't.
 */
const KEPT_SHAPES_MAX = 64;

interface OwnStatements {
  readonly statements: ByteCache<string, Statement>;
  /** Operation and entity > number of requested shapes. */
  readonly shapes: Map<string, number>;
}

const own: ProjectDerivation<OwnStatements> = {
  name: "statements",
  make: (onGrowth) => {
    const weigh = ({ text }: Statement, key: string): number => bytesOfText(text) + bytesOfText(key) + OWN_BYTES;
    return { statements: new ByteCache({ bytesMax: OWN_BYTES_MAX, weigh, onGrowth }), shapes: new Map() };
  },
};

const shared: Derivation<ByteCache<string, Statement>> = {
  name: "statements",
  make: (_, onGrowth) => {
    const weigh = ({ text, slots }: Statement): number => bytesOfText(text) + slots.length * SLOT_BYTES + SHARED_BYTES;
    return new ByteCache({ bytesMax: SHARED_BYTES_MAX, weigh, onGrowth });
  },
};

export function assembleRead(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  reading: Reading = PLAIN_READING,
): Statement {
  return requireShort(
    find(release, entity, "read", caller, readingShape(reading), (view) => readStatement(view, caller, reading)),
  );
}

export function assembleList(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  query: ListQuery,
): ListStatement {
  return requireShort(
    find(release, entity, "list", caller, listShape(query), (view) => listStatement(view, caller, query)),
  );
}

export function assembleAggregate(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  query: AggregateQuery,
): AggregateStatement {
  const shape = aggregateShape(query);
  return find(release, entity, "aggregate", caller, shape, (view) => aggregateStatement(view, caller, query));
}

/** `given`: the names of the fields in the body. */
export function assembleCreate(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  given: Iterable<string>,
): WriteStatement {
  const terms = writeTerms(release, entity, "create", caller.roles);
  const shape = shapingFields(entityView(release, entity), given, terms);
  return find(release, entity, "create", caller, shape.join(","), (view) =>
    createStatement(view, caller, shape, terms),
  );
}

/**
 * `given`: the names of the fields in the body; `state`: the body's value for the state, whose edges the text names;
 * `isTouched`: the record gets a new version even if the body has no values for it.
 */
export function assembleUpdate(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  given: readonly string[],
  state: string | null = null,
  isTouched = false,
): WriteStatement {
  const sorted = [...given].sort();
  const shape = `${sorted.join(",")} ${state ?? ""}${isTouched ? " touched" : ""}`;
  return find(release, entity, "update", caller, shape, (view) => {
    const { roles } = caller;
    const terms = writeTerms(release, entity, "update", roles);
    // A grant's forced value is written whatever the body contains, even if it is empty.
    if (sorted.length === 0 && terms.forced.size === 0 && !isTouched) return emptyUpdateStatement(view, caller);
    const moves = sorted.includes(view.entity.stateMachine?.field ?? "");
    const termsOf = (operation: Operation): WriteTerms => writeTerms(release, entity, operation, roles);
    return updateStatement(view, caller, sorted, terms, moves ? waysTo(view, state, termsOf, roles) : null);
  });
}

/** `given`: the names of the fields in the body. */
export function assembleTransition(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  edge: string,
  given: readonly string[],
): WriteStatement {
  const sorted = [...given].sort();
  return find(release, entity, `transition:${edge}`, caller, sorted.join(","), (view) => {
    const terms = writeTerms(release, entity, `transition:${edge}`, caller.roles);
    return transitionStatement(view, caller, edgeOf(view, edge), sorted, terms);
  });
}

export function assembleRestore(release: ActiveRelease, entity: string, caller: StatementCaller): Statement {
  return find(release, entity, "restore", caller, "", (view) => restoreStatement(view, caller));
}

export function assembleDelete(release: ActiveRelease, entity: string, caller: StatementCaller): DeleteStatement {
  return find(release, entity, "delete", caller, "", (view) => deleteStatement(view, caller));
}

/** Locks the records that a request will change or delete. */
export function assembleLock(
  release: ActiveRelease,
  entity: string,
  caller: StatementCaller,
  operation: "update" | "delete",
  reference: string | null,
): Statement {
  const key = reference === null ? "!lock" : `!lock ${reference}`;
  return find(release, entity, operation, caller, key, (view) => recordsLock(view, operation, caller, reference));
}

/** Postgres proves no longer statements. Planning them would also take too long. @throws Fault 400. */
function requireShort<S extends Statement>(statement: S): S {
  if (statement.text.length <= CHARS_MAX) return statement;
  throw new Fault("bad_request", {
    detail: "The request is too large for one statement. Expand fewer relations, or choose fewer fields.",
  });
}

function find<S extends Statement>(
  release: ActiveRelease,
  entity: string,
  operation: string,
  caller: StatementCaller,
  shape: string,
  write: (view: EntityView) => S,
): S {
  const { statements, shapes } = derivedForProject(release, own);
  const key = `${operation} ${entity} ${caller.unscoped ? "!" : ""}${caller.isConditional ? "=" : ""}${caller.isOnce ? "1" : ""}${caller.isTried ? "?" : ""}${caller.roles.join(",")} ${shape}`;
  const known = statements.get(key);
  // A key belongs to one operation, and each operation has one type of statement.
  if (known !== undefined) return known as S;
  const family = `${operation} ${entity}`;
  const count = (shapes.get(family) ?? 0) + 1;
  shapes.set(family, count);
  const open = openStatement(release, entity, key, write);
  const { confirm, lock } = open;
  const statement = {
    ...open,
    text: forProject(open.text, release),
    keep: open.keep && count <= KEPT_SHAPES_MAX,
    ...(confirm && { confirm: { ...confirm, text: forProject(confirm.text, release) } }),
    ...(lock && { lock: { ...lock, text: forProject(lock.text, release) } }),
  };
  statements.set(key, statement);
  return statement;
}

function openStatement<S extends Statement>(
  release: ActiveRelease,
  entity: string,
  key: string,
  write: (view: EntityView) => S,
): S {
  const statements = derived(release, shared);
  const known = statements.get(key);
  if (known !== undefined) return known as S;
  const written = write(entityView(release, entity));
  statements.set(key, written);
  return written;
}
