// Checks a call of a function. In: its syntax. Out: a typed expression, or problems. A function that only CEL has gets
// another message than one that nobody has.
import { checkCan } from "./check-can.ts";
import { isRole } from "./check-comparison.ts";
import { checkAggregate, checkCounted, checkEach } from "./check-each.ts";
import { checkFunction, functionNames, isFunction } from "./check-function.ts";
import { durationText } from "./check-literal.ts";
import { typedAs } from "./check-pair.ts";
import { type Checking, report } from "./checking.ts";
import { patternProblem } from "./pattern.ts";
import { hintOfReach, resolvePath } from "./resolve-name.ts";
import { isUntyped } from "./resolve-value.ts";
import { rowsOf, type Scope } from "./scope.ts";
import { didYouMean } from "./suggest.ts";
import type { Syntax } from "./syntax.ts";
import type { Expression, TextTest } from "./tree.ts";
import { bool, isText, nameOf } from "./types.ts";

type Call = Extract<Syntax, { kind: "call" }>;

const globals: readonly string[] = ["has", "size", "duration", "member", "can", ...functionNames];
const methods: readonly string[] = [
  "startsWith",
  "endsWith",
  "contains",
  "matches",
  "size",
  "exists",
  "all",
  "exists_one",
  "filter",
  "count",
  "sum",
  "min",
  "max",
  "avg",
  "is",
];

/** Functions of CEL and its usual extensions, with a replacement in our language. */
const lacking: Readonly<Record<string, string | null>> = {
  map: "Use `exists`, `all` or `filter(...).size()` on the records.",
  existsOne: "Write `exists_one`.",
  timestamp: 'A text that is compared with a datetime is read as a datetime: `created_at > "2026-01-31T12:00:00Z"`.',
  int: "Compare numbers directly; they need no conversion.",
  uint: "Compare numbers directly; they need no conversion.",
  double: "Compare numbers directly; they need no conversion.",
  string: null,
  bool: null,
  bytes: null,
  type: null,
  dyn: null,
  lowerAscii: "Compare texts directly; they need no conversion.",
  upperAscii: "Compare texts directly; they need no conversion.",
  lower: "Compare texts directly; they need no conversion.",
  upper: "Compare texts directly; they need no conversion.",
  toLowerCase: "Compare texts directly; they need no conversion.",
  toUpperCase: "Compare texts directly; they need no conversion.",
  coalesce: "Test whether there is a value: `price != null && price > 1`.",
  now: "The current time is `now`, the current day `today`.",
  trim: null,
  split: null,
  join: null,
  replace: null,
  substring: "Use `startsWith`, `endsWith` or `matches`.",
  indexOf: "Use `contains`.",
  getFullYear: "Write `year(created_at)`.",
  getMonth: "Write `month(created_at)`.",
  getDate: "Write `day(created_at)`.",
  getDayOfWeek: "Write `weekday(created_at)`: 1 is Monday, 7 is Sunday.",
  getHours: "Write `hour(created_at)`.",
};

/** Functions that need the caller, and functions that need many records. */
const ofUser: readonly string[] = ["member", "can", "is"];
const ofMany: readonly string[] = ["exists", "all", "exists_one", "filter", "count", "sum", "min", "max", "avg"];

/** Whether the expression uses something that doesn't exist at its place. */
function isBeyond(name: string, { reach, work }: Scope): boolean {
  const asksMany = ofMany.includes(name);
  if (reach !== undefined) return ofUser.includes(name) || (asksMany && reach !== "records");
  return work !== undefined && (asksMany || (ofUser.includes(name) && !(name === "is" && work.user)));
}

export function checkCall(call: Call, checking: Checking): Expression | null {
  const { receiver, name } = call;
  if (isBeyond(name, checking.scope)) {
    return report(
      checking,
      call.called,
      "name_not_available",
      `\`${name}\` can't be used here.`,
      checking.scope.reach !== undefined
        ? hintOfReach(checking.scope.reach)
        : "Look up other records in an earlier step: `record.find`.",
    );
  }
  if (receiver === null && isFunction(name)) return checkFunction(call, name, checking);
  if (receiver === null && globals.includes(name)) return checkGlobal(call, checking);
  if (receiver !== null && methods.includes(name)) return checkMethod(call, receiver, checking);
  return unknownFunction(call, checking);
}

function checkGlobal(call: Call, checking: Checking): Expression | null {
  switch (call.name) {
    case "has":
      return checkHas(call, checking);
    case "size": {
      const [counted] = call.args;
      return counted === undefined || call.args.length > 1
        ? arity(call, "`size(tags)`", checking)
        : checkSize(call, counted, checking);
    }
    case "duration":
      return checkDuration(call, checking);
    case "member":
      return checkMember(call, checking);
    default:
      return checkCan(call, checking);
  }
}

function checkMethod(call: Call, receiver: Syntax, checking: Checking): Expression | null {
  switch (call.name) {
    case "size":
      return call.args.length > 0 ? arity(call, "`tags.size()`", checking) : checkSize(call, receiver, checking);
    case "exists":
    case "all":
    case "exists_one":
    case "count":
      return checkEach(call, receiver, call.name, checking);
    case "sum":
    case "min":
    case "max":
    case "avg":
      return checkAggregate(call, receiver, call.name, checking);
    case "filter": {
      const hint = "Ask for their number, `filter(c, ...).size() > 0`, or use `sum`, `min`, `max` or `avg`.";
      return report(checking, call, "expression_not_supported", "`filter` alone is not a value.", hint);
    }
    case "is":
      return checkIs(call, receiver, checking);
    default:
      return checkTextTest(call, receiver, call.name as TextTest, checking);
  }
}

function unknownFunction(call: Call, checking: Checking): null {
  const { receiver, name, called } = call;
  const known = receiver === null ? globals : methods;
  if (receiver !== null && globals.includes(name) && name !== "size") {
    return report(
      checking,
      called,
      "wrong_arguments",
      `\`${name}\` is a function, not a method.`,
      `Write \`${name}(...)\`.`,
    );
  }
  if (receiver === null && methods.includes(name)) {
    return report(
      checking,
      called,
      "wrong_arguments",
      `\`${name}\` is a method, not a function.`,
      `Write \`x.${name}(...)\`.`,
    );
  }
  if (Object.hasOwn(lacking, name)) {
    return report(
      checking,
      called,
      "expression_not_supported",
      `The function \`${name}\` is not supported.`,
      lacking[name] ?? null,
    );
  }
  const hint = didYouMean(name, known) ?? `Known functions: ${known.join(", ")}.`;
  return report(checking, called, "unknown_function", `There is no function \`${name}\`.`, hint);
}

function arity(call: Call, example: string, checking: Checking): null {
  return report(
    checking,
    call,
    "wrong_arguments",
    `\`${call.name}\` has wrong arguments.`,
    `Write it like this: ${example}.`,
  );
}

/** `has(input.f)` tests whether `f` was sent; `has(f)` tests whether there is a value. */
function checkHas(call: Call, checking: Checking): Expression | null {
  const [argument, more] = call.args;
  if (argument === undefined || more !== undefined || (argument.kind !== "name" && argument.kind !== "member")) {
    return arity(call, "`has(price)` or `has(input.price)`", checking);
  }
  const resolved = resolvePath(argument, checking);
  if ("relation" in resolved) {
    return report(
      checking,
      argument,
      "wrong_arguments",
      "`has` needs a single value, but these are many records.",
      `Write \`size(${resolved.relation.name}) > 0\`.`,
    );
  }
  const value = checking.check(argument, null, checking);
  if (value === null) return null;
  if (value.kind === "field" && value.row === "input" && rowsOf(checking.scope).includes("input")) {
    return { kind: "sent", type: bool, field: value.path[0] ?? "" };
  }
  const isMade = "expression" in resolved && resolved.computed === true;
  const isMember = value.kind === "operation" && value.operator === ".";
  const isRead = isMember || ["field", "value", "user", "context"].includes(value.kind);
  if (!isRead && !isMade) return arity(call, "`has(price)`", checking);
  if (value.kind === "user" && value.name === "roles") {
    return report(
      checking,
      argument,
      "wrong_arguments",
      "`current_user.roles` always has a value.",
      "Test for one role: `current_user.is(support)`.",
    );
  }
  const nothing: Expression = { kind: "literal", type: { kind: "null" }, value: null };
  checking.places.set(nothing, argument);
  return { kind: "operation", type: bool, operator: "!=", args: [value, nothing] };
}

function checkSize(call: Call, counted: Syntax, checking: Checking): Expression | null {
  const each = checkCounted(call, counted, checking);
  if (each !== "no relation") return each;
  const value = checking.check(counted, null, checking);
  if (value === null) return null;
  const isCounted = value.type.kind === "text" || value.type.kind === "enum" || value.type.kind === "list";
  if (!isCounted && !isUntyped(value)) {
    return report(
      checking,
      counted,
      "wrong_arguments",
      `A value of type ${nameOf(value.type)} has no size.`,
      "Use `size` with a text, a list or a relation.",
    );
  }
  return { kind: "operation", type: { kind: "int" }, operator: "size", args: [value] };
}

function checkTextTest(call: Call, receiver: Syntax, operator: TextTest, checking: Checking): Expression | null {
  const [argument, more] = call.args;
  if (argument === undefined || more !== undefined) return arity(call, `\`title.${operator}("x")\``, checking);
  const read = checking.check(receiver, null, checking);
  const given = checking.check(argument, { kind: "text" }, checking);
  if (read === null || given === null) return null;
  const [subject, part] = [read, given].map((one) => typedAs(one, { kind: "text" }, checking)) as [
    Expression,
    Expression,
  ];
  if (!isText(subject.type)) {
    const hint = subject.type.kind === "list" ? 'For a list, use `in`: `"a" in tags`.' : null;
    return report(
      checking,
      receiver,
      "type_mismatch",
      `\`${operator}\` needs a text, but this has the type ${nameOf(subject.type)}.`,
      hint,
    );
  }
  if (!isText(part.type)) {
    return report(
      checking,
      argument,
      "type_mismatch",
      `The argument of \`${operator}\` must be a text, but this has the type ${nameOf(part.type)}.`,
    );
  }
  if (operator === "matches" && !isPattern(argument, part, checking)) return null;
  return { kind: "operation", type: bool, operator, args: [subject, part] };
}

function isPattern(at: Syntax, part: Expression, checking: Checking): boolean {
  if (part.kind !== "literal" || typeof part.value !== "string") {
    report(
      checking,
      at,
      "wrong_arguments",
      "The pattern of `matches` must be a text in quotes.",
      'Write it like this: `title.matches("^[a-z]+$")`.',
    );
    return false;
  }
  const problem = patternProblem(part.value);
  if (problem === null) return true;
  report(checking, at, "invalid_pattern", problem.message, problem.hint);
  return false;
}

function checkDuration(call: Call, checking: Checking): Expression | null {
  const [argument, more] = call.args;
  const example = '`duration("1h30m")`';
  if (argument?.kind !== "literal" || typeof argument.value !== "string" || more !== undefined)
    return arity(call, example, checking);
  const value = durationText(argument.value);
  if (value !== null) return { kind: "literal", type: { kind: "duration" }, value };
  const hint = `Write it like this: ${example}, with hours, minutes and seconds. A day is \`24h\`.`;
  return report(checking, argument, "wrong_arguments", "This is not a valid duration.", hint);
}

/** A role as a bare word or a text. */
function roleWord(syntax: Syntax | undefined): string | null {
  if (syntax?.kind === "name") return syntax.name;
  return syntax?.kind === "literal" && typeof syntax.value === "string" ? syntax.value : null;
}

function checkMember(call: Call, checking: Checking): Expression | null {
  const [argument, second, more] = call.args;
  const role = roleWord(second);
  if (argument === undefined || more !== undefined || (second !== undefined && role === null)) {
    return arity(call, "`member(org)` or `member(org, admin)`", checking);
  }
  const { organizationRoles } = checking.scope.schema;
  if (role !== null && !organizationRoles.includes(role)) {
    const hint = didYouMean(role, organizationRoles) ?? `Known roles: ${organizationRoles.join(", ")}.`;
    return report(
      checking,
      second ?? call,
      "unknown_role_name",
      `An organization has no role \`${role}\` for its members.`,
      hint,
    );
  }
  const organization = checking.check(argument, { kind: "uuid" }, checking);
  if (organization === null) return null;
  if (organization.type.kind !== "uuid") {
    const hint = "Use a field of the type `org_ref`, or `current_org`.";
    return report(
      checking,
      argument,
      "wrong_arguments",
      `\`member\` needs an organization, but this has the type ${nameOf(organization.type)}.`,
      hint,
    );
  }
  return { kind: "member", type: bool, organization, role };
}

/** `current_user.is(support)` is `"support" in current_user.roles`. */
function checkIs(call: Call, receiver: Syntax, checking: Checking): Expression | null {
  const role = roleWord(call.args[0]);
  const [argument] = call.args;
  if (
    receiver.kind !== "name" ||
    receiver.name !== "current_user" ||
    argument === undefined ||
    role === null ||
    call.args.length > 1
  ) {
    return arity(call, "`current_user.is(support)`", checking);
  }
  if (!isRole(role, argument, checking)) return null;
  const word: Expression = { kind: "literal", type: { kind: "text" }, value: role };
  const roles: Expression = { kind: "user", type: { kind: "list", of: { kind: "text" } }, name: "roles" };
  checking.places.set(word, argument);
  checking.places.set(roles, receiver);
  return { kind: "operation", type: bool, operator: "in", args: [word, roles] };
}
