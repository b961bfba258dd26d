// In: a field before and after. Out: the changes between them, each with its risk.
import type { Change, Risk } from "./change.ts";
import type { Field, FieldDefault, FieldType } from "./model.ts";
import { defaultText, fieldText, typeText } from "./notation.ts";

export function fieldAdded(entity: string, field: Field): Change {
  // Rows that stand already get a constant or the time of the change; nobody is signed in to give them a user.
  const fillable = field.optional || (field.default !== null && field.default.kind !== "current_user_id");
  const what = field.optional ? "optional" : "required";
  const why = fillable ? "" : "; records that stand already would have no value for it";
  const summary = `Add the ${what} field \`${field.name}\` (${typeText(field.type)}) to \`${entity}\`${why}.`;
  return {
    kind: "field_added",
    path: `${entity}.${field.name}`,
    summary,
    risk: fillable ? "safe" : "unsupported",
    after: fieldText(field),
  };
}

export function diffField(entity: string, before: Field, after: Field): Change[] {
  return [...diffShape(entity, before, after), ...diffDefault(entity, before, after)];
}

function diffShape(entity: string, before: Field, after: Field): Change[] {
  const parts = [
    typeChange(before.type, after.type),
    optionalChange(before, after),
    writerChange(before, after),
  ].filter((part) => part !== null);
  if (parts.length === 0) return [];
  const risk = gravest(parts.map((part) => part.risk));
  const summary = `\`${after.name}\` of \`${entity}\` ${parts.map((part) => part.text).join(", and ")}.`;
  return [
    {
      kind: "field_changed",
      path: `${entity}.${after.name}`,
      summary,
      risk,
      before: fieldText(before),
      after: fieldText(after),
    },
  ];
}

interface Part {
  readonly text: string;
  readonly risk: Risk;
}

const gravity: readonly Risk[] = ["unsupported", "breaking", "loosens_access", "safe"];

function gravest(risks: readonly Risk[]): Risk {
  return gravity.find((risk) => risks.includes(risk)) ?? "safe";
}

function typeChange(before: FieldType, after: FieldType): Part | null {
  if (before.kind === "enum" && after.kind === "enum") return enumChange(before.values, after.values);
  if (typeText(before) === typeText(after)) return null;
  const widens =
    (before.kind === "string" && after.kind === "string" && after.max > before.max) ||
    (after.kind === "text" && (before.kind === "string" || before.kind === "email" || before.kind === "enum"));
  return { text: `changes from ${typeText(before)} to ${typeText(after)}`, risk: widens ? "safe" : "unsupported" };
}

function enumChange(before: readonly string[], after: readonly string[]): Part | null {
  const added = after.filter((value) => !before.includes(value));
  const removed = before.filter((value) => !after.includes(value));
  if (removed.length > 0) {
    const also = added.length > 0 ? ` and can be ${list(added)}` : "";
    return { text: `can no longer be ${list(removed)}${also}`, risk: "unsupported" };
  }
  if (added.length > 0) return { text: `can also be ${list(added)}`, risk: "safe" };
  return before.join() === after.join() ? null : { text: "lists its values in another order", risk: "safe" };
}

function list(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(", ");
}

function optionalChange(before: Field, after: Field): Part | null {
  if (before.optional === after.optional) return null;
  if (after.optional) return { text: "becomes optional: clients may read null", risk: "breaking" };
  return { text: "becomes required: records that stand already may have no value for it", risk: "unsupported" };
}

function writerChange(before: Field, after: Field): Part | null {
  if (before.writer === after.writer) return null;
  if (after.writer === "caller")
    return { text: "can be written by callers, no longer by the service alone", risk: "loosens_access" };
  return { text: "is written by the service alone", risk: "breaking" };
}

function diffDefault(entity: string, before: Field, after: Field): Change[] {
  const [was, is] = [textOf(before.default), textOf(after.default)];
  if (was === is) return [];
  return [
    {
      kind: "default_changed",
      path: `${entity}.${after.name}`,
      summary: `\`${after.name}\` of \`${entity}\` ${sentence(was, is)}.`,
      risk: defaultRisk(before, after),
      ...(was === null ? {} : { before: was }),
      ...(is === null ? {} : { after: is }),
    },
  ];
}

function sentence(was: string | null, is: string | null): string {
  if (is === null) return `has no default any more (it was \`${was}\`)`;
  return was === null ? `is \`${is}\` unless given` : `is \`${is}\` unless given, no longer \`${was}\``;
}

/** A field that the service filled with the current user was proof of who acted; given freely, it is a claim. */
function defaultRisk(before: Field, after: Field): Risk {
  if (before.default?.kind === "current_user_id") return "loosens_access";
  if (after.default?.kind === "current_user_id") return "breaking";
  return after.default === null && !after.optional ? "breaking" : "safe";
}

function textOf(value: FieldDefault | null): string | null {
  return value === null ? null : defaultText(value);
}
