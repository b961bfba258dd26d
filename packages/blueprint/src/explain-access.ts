// Explains access. In: a model, the caller, the operation and the row. Out: each grant of the caller, whether it lets
// them in and, if not, the part of the rule that decided, with its position in the blueprint. It evaluates in memory,
// with the users and rows of the blueprint's tests, or with given ones.
import { didYouMean, type Expression, explain, printExpression } from "@plinth/expression";
import type { CheckedBlueprint } from "./check-blueprint.ts";
import { judge, type Verdict } from "./judging/judge.ts";
import { worldOf } from "./judging/world.ts";
import type { Model, Operation, SeedRow, Tests } from "./model/model.ts";
import type { Place } from "./text/places.ts";

export interface AccessQuestion {
  /** A user of the tests, or `public`. */
  readonly as: string;
  readonly operation: Operation;
  readonly entity: string;
  /** A row of the tests; null for a create. */
  readonly row: string | null;
  /** What is sent. */
  readonly input: SeedRow;
}

export interface AccessExplanation {
  readonly allowed: boolean;
  /** What prevents it whatever the rules say (a state, an organization, a field). */
  readonly reason: string | null;
  /** The permissions of the caller's roles for the operation; empty if no role has any. */
  readonly grants: readonly {
    readonly role: string;
    readonly rule: string;
    readonly allowed: boolean;
    /** Whether the result of the rule is unknown, for example because of an empty field. */
    readonly unknown: boolean;
    /** The smallest part of the rule that kept it from being true. */
    readonly culprit: { readonly text: string; readonly place: Place | null } | null;
  }[];
}

/** A user and a row that an author gives in addition to the tests. */
export interface GivenTests {
  readonly user: { readonly roles: readonly string[]; readonly email: string; readonly profile: SeedRow } | null;
  readonly record: { readonly entity: string; readonly values: SeedRow } | null;
}

/** The names of a given user and a given record in a question. */
export const GIVEN = "given";

/** @throws Error if the question names an unknown user, entity or row; the message is for a person. */
export function explainAccess(
  { model, places }: Pick<CheckedBlueprint, "places"> & { readonly model: Model },
  question: AccessQuestion,
  given: GivenTests = { user: null, record: null },
): AccessExplanation {
  const world = worldOf(model, withGiven(model.tests, given));
  const entity = model.entities.find((one) => one.name === question.entity);
  if (entity === undefined) {
    const known = model.entities.map((one) => one.name);
    const hint = didYouMean(question.entity, known) ?? `Known entities: ${known.join(", ")}.`;
    throw new Error(`There is no entity ${question.entity}. ${hint.replaceAll("`", "")}`);
  }
  if (!world.callers.has(question.as))
    throw new Error(`There is no user ${question.as}. Known users: ${[...world.callers.keys()].join(", ")}.`);
  const row = world.rows.find((one) => one.entity.name === entity.name && one.name === question.row) ?? null;
  if (row === null && question.row !== null) throw new Error(`The tests have no row ${entity.name}.${question.row}.`);
  if (row === null && question.operation !== "create")
    throw new Error(
      `Which ${entity.name} do you mean? Name a row of the tests, ${entity.name}.<row>, or give a record.`,
    );
  const input = world.resolve(entity, question.input);
  return toldOf(judge({ as: question.as, entity, operation: question.operation, row, input }, world), places);
}

/** A verdict in words. */
export function toldOf(verdict: Verdict, places: CheckedBlueprint["places"]): AccessExplanation {
  return {
    allowed: verdict.allowed,
    reason: verdict.reason,
    grants: verdict.judged.map(({ permission, context, allowed }) => {
      const { value, culprit } = explain(permission.rule, context);
      return {
        role: permission.role,
        rule: printExpression(permission.rule),
        allowed,
        unknown: value === null,
        culprit: culprit === null ? null : { text: printExpression(culprit), place: placeIn(culprit, places) },
      };
    }),
  };
}

/** A node that the checker created (for a rule over two rows) has no position of its own; its operands have. */
function placeIn(part: Expression, places: CheckedBlueprint["places"]): Place | null {
  const own = places.get(part);
  if (own !== null || part.kind !== "operation") return own;
  for (const arg of part.args) {
    const place = placeIn(arg, places);
    if (place !== null) return place;
  }
  return null;
}

function withGiven(tests: Tests | null, { user, record }: GivenTests): Tests {
  const { users = [], rows = [] } = tests ?? {};
  return {
    users: user === null ? users : [...users, { ...user, name: GIVEN, organizations: [] }],
    rows: record === null ? rows : [...rows, { ...record, name: GIVEN }],
    expect: [],
  };
}
