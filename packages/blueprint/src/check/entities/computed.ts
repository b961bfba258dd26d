// Checks computed fields. In: all entities with their relations. Out: the typed expressions, with computed fields
// written out in others, and all problems with positions. Expressions can use the record, the records that it refers
// to, and the records that refer to it. There is no user and no clock.
import { checkValue, type Expression, type FieldSchema, type RecordSchema, type Scope } from "@plinth/expression";
import type { TextDeclaration } from "../../declarations/entity-declaration.ts";
import type { Field, Relation } from "../../model/model.ts";
import { expressionSchema, recordSchema } from "../../rules/expression-schema.ts";
import type { Report } from "../../text/report.ts";
import type { EntityDraft } from "./entity-draft.ts";
import { type NamedRules, reportedExpression } from "./row-expressions.ts";

interface ComputedContext {
  readonly relations: ReadonlyMap<string, readonly Relation[]>;
  /** Profile fields of the built-in `user`. */
  readonly userFields: readonly Field[];
  readonly named: NamedRules;
  readonly report: Report;
}

export interface CheckedComputed {
  /** By name. */
  readonly found: ReadonlyMap<string, Field>;
  /** The names of fields whose expression has problems. */
  readonly broken: ReadonlySet<string>;
}

type Made = ReturnType<NonNullable<FieldSchema["computed"]>>;

/** By entity. */
export function checkComputed(
  drafts: readonly EntityDraft[],
  context: ComputedContext,
): ReadonlyMap<string, CheckedComputed> {
  const texts = new Map(drafts.map((draft) => [draft.entity.name, textsOf(draft)]));
  const finished = new Map<string, Expression>();
  const broken = new Map(drafts.map(({ entity }) => [entity.name, new Set<string>()]));
  const open = new Set<string>();
  const schema = schemaOf(drafts, context, make);

  /** Each one is checked when it is first needed: by another field, or at the end. */
  function make(entity: string, name: string): Made {
    const key = `${entity}.${name}`;
    const done = finished.get(key);
    if (done !== undefined) return done;
    const text = texts.get(entity)?.get(name);
    if (text === undefined || broken.get(entity)?.has(name) === true) return "broken";
    if (open.has(key)) return "circle";
    open.add(key);
    const scope: Scope = { schema, record: entity, operation: "read", reach: "records" };
    const expression = reportedExpression(checkValue(text.text, scope, null), text, {
      rulesUsed: context.named.rulesUsed,
      report: context.report,
      isBroken: (word, message) => drafts.some((draft) => isBroken(draft, entity, word, message)),
    });
    open.delete(key);
    if (expression === null || !isValue(expression, text, context.report)) broken.get(entity)?.add(name);
    else finished.set(key, expression);
    return finished.get(key) ?? "broken";
  }

  /** Whether a word names a field whose own declaration has problems, which are reported already. */
  function isBroken({ entity, brokenFields }: EntityDraft, own: string, word: string, message: string): boolean {
    if (entity.name !== own && !message.includes(`\`${entity.name}\``)) return false;
    return [word, `${word}_id`].some((name) => brokenFields.has(name) || broken.get(entity.name)?.has(name));
  }

  for (const [entity, fields] of texts) for (const name of fields.keys()) make(entity, name);
  return new Map(
    drafts.map(({ entity, fields }): [string, CheckedComputed] => {
      const found = fields.flatMap(({ field }): [string, Field][] => {
        const expression = finished.get(`${entity.name}.${field.name}`);
        return expression === undefined ? [] : [[field.name, { ...field, type: { kind: "computed", expression } }]];
      });
      return [entity.name, { found: new Map(found), broken: broken.get(entity.name) ?? new Set() }];
    }),
  );
}

function textsOf({ fields }: EntityDraft): ReadonlyMap<string, TextDeclaration> {
  return new Map(
    fields.flatMap(({ field, declared }): [string, TextDeclaration][] => {
      const text = declared.type?.expression ?? null;
      return field.type.kind === "computed" && text !== null ? [[field.name, text]] : [];
    }),
  );
}

/** `make` creates computed fields whose expressions are not known yet. */
function schemaOf(
  drafts: readonly EntityDraft[],
  { relations, userFields, named }: ComputedContext,
  make: (entity: string, name: string) => Made,
): Scope["schema"] {
  const entities = drafts.map(({ entity }) => ({ ...entity, relations: relations.get(entity.name) ?? [] }));
  const schema = expressionSchema({ entities, userFields, roles: [], rules: named.rules, grants: () => new Map() });
  const opened = entities.map((entity): [string, RecordSchema] => {
    const record = recordSchema(entity);
    const fields = [...record.fields].map(([name, field]): [string, FieldSchema] =>
      field.computed === undefined ? [name, field] : [name, { ...field, computed: () => make(entity.name, name) }],
    );
    return [entity.name, { ...record, fields: new Map(fields) }];
  });
  return { ...schema, records: new Map([...schema.records, ...opened]) };
}

function isValue({ type: { kind } }: Expression, { range }: TextDeclaration, report: Report): boolean {
  if (kind !== "list" && kind !== "opaque" && kind !== "null") return true;
  report.add("type_mismatch", range, `A computed field can't have the type ${kind}.`);
  return false;
}
