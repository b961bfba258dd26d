// Numbers the parameters of a statement. In: the value that a place in the text needs. Out: `$n`, and how to fill it
// per request. It never puts a value into the text.
import { type BundleField, fillTemplate } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import { type Principal, principalId, userId } from "../project/principal.ts";
import { additionTo } from "./addition-names.ts";
import type { CursorKey } from "./cursor.ts";
import type { Once } from "./once.ts";
import type { TextSearch } from "./reading/search-terms.ts";

/** The differences between two runs of one statement. All values are in Postgres's text form. */
export interface Bindings {
  readonly principal: Principal;
  readonly requestId: string;
  readonly ip: string;
  /** The cause of this write, as JSON: the run of a workflow, and its depth; absent for a direct request. */
  readonly cause?: string | null;
  /** The organization in which the request is made. */
  readonly organization: string | null;
  /** For a write with an idempotency key. */
  readonly once?: Once | null;
  /** For a conditional write. */
  readonly versions?: readonly number[] | null;
  /** For a write in a dry run's transaction: the numbers that earlier writes have forecast, by counter. */
  readonly tried?: ReadonlyMap<string, number> | null;
  /** The record that the route names, or the one being created. */
  readonly recordId: string | null;
  /** Field > value of the body; a field that wasn't given is absent. */
  readonly values: ReadonlyMap<string, string | null>;
  /** For a create: the values that the service generates from the body for fields that aren't in it. */
  readonly generated?: ReadonlyMap<string, string>;
  /** For a list: the values of its filters, by their numbers. */
  readonly operands?: readonly (string | null)[];
  /** For a list: the text search. */
  readonly search?: TextSearch | null;
  readonly cursor: CursorKey | null;
  /** Maximum records of a page; null elsewhere. */
  readonly limit: number | null;
}

export type Slot = (bindings: Bindings) => string | null;

/** A write template that only casts: the parameter then has that type from the start. */
const plainCast = /^\{value\}::[a-z][a-z0-9 (),[\]]*$/;

export class Parameters {
  readonly slots: Slot[] = [];
  readonly #numbers = new Map<string, number>();
  /** The entity whose fields `{input.<field>}` and `{sent.<field>}` name. */
  readonly #fields: ReadonlyMap<string, BundleField>;
  /** Fields whose sent value is added to the stored value. */
  readonly #added: ReadonlySet<string>;

  constructor(fields: ReadonlyMap<string, BundleField> = new Map(), added: ReadonlySet<string> = new Set()) {
    this.#fields = fields;
    this.#added = added;
  }

  /** For a part of the same statement that may not need any of them. */
  apart(): Parameters {
    return new Parameters(this.#fields, this.#added);
  }

  /** The parameter of that name. All places with this name share it. */
  at(name: string, slot: Slot): string {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.slots.push(slot);
      this.#numbers.set(name, number);
    }
    return `$${number}`;
  }

  recordId(): string {
    return `${this.at("record.id", (bindings) => bindings.recordId)}::uuid`;
  }

  requestId(): string {
    return `${this.at("request.id", (bindings) => bindings.requestId)}::text`;
  }

  actorKind(): string {
    return `${this.at("actor.kind", (bindings) => bindings.principal.kind)}::text`;
  }

  actorId(): string {
    return `${this.at("actor.id", (bindings) => principalId(bindings.principal))}::text`;
  }

  cause(): string {
    return `${this.at("cause", (bindings) => bindings.cause ?? null)}::jsonb`;
  }

  /** How many numbers of the counter were forecast earlier in the same dry run. */
  triedBefore(counter: string): string {
    return `${this.at(`tried.${counter}`, ({ tried }) => String(tried?.get(counter) ?? 0))}::bigint`;
  }

  /** The sent value as the column stores it. */
  value(field: BundleField): string {
    if (field.join !== null) return this.ids(field);
    const name = this.#added.has(field.name) ? additionTo(field.name) : field.name;
    return this.#written(
      field,
      this.at(`value.${name}`, (bindings) => bindings.values.get(name) ?? null),
    );
  }

  /** The same at create: the sent value, or the value that the service generates instead. */
  initial(field: BundleField): string {
    if (field.slugFrom === null) return this.value(field);
    const { name } = field;
    return this.#written(
      field,
      this.at(
        `initial.${name}`,
        ({ values, generated }) => (values.has(name) ? values.get(name) : generated?.get(name)) ?? null,
      ),
    );
  }

  #written(field: BundleField, sent: string): string {
    // Text keeps its type through the template, so that Postgres never has to guess one.
    const typed = plainCast.test(field.write) ? sent : `${sent}::text`;
    if (field.write === "{value}") return `${sent}::${field.sqlType}`;
    return fillTemplate(field.write, (hole) => (hole === "value" ? typed : undefined));
  }

  /** A sent list of ids. */
  ids(field: BundleField): string {
    return `${this.at(`value.${field.name}`, (bindings) => bindings.values.get(field.name) ?? null)}::uuid[]`;
  }

  given(field: string): string {
    if (this.#added.has(field)) return "true";
    return `${this.at(`given.${field}`, (bindings) => (bindings.values.has(field) ? "t" : "f"))}::boolean`;
  }

  /** A filter's value by its number, as a type of Postgres. */
  filter(number: number, sqlType: string): string {
    const value = this.at(`filter.${number} ${sqlType}`, (bindings) => bindings.operands?.[number] ?? null);
    return `${value}::${unboundedType(sqlType)}`;
  }

  /** The members that find a saved reply and identify its request. */
  once(member: keyof Once): string {
    return `${this.at(`once.${member}`, ({ once }) => once?.[member] ?? null)}::text`;
  }

  /** The versions of the record that the write accepts. */
  versions(): string {
    return `${this.at("versions", ({ versions }) => `{${(versions ?? []).join(",")}}`)}::integer[]`;
  }

  /** The text search, as typed. */
  search(): string {
    return `${this.at("search", ({ search }) => search?.text ?? null)}::text`;
  }

  /** The same, as an array of its terms. */
  searchTerms(): string {
    return `${this.at("search.terms", ({ search }) => JSON.stringify(search?.terms ?? []))}::jsonb`;
  }

  cursor(position: number, sqlType: string): string {
    const value = this.at(`cursor.${position}`, (bindings) => bindings.cursor?.[position] ?? null);
    return `${value}::${unboundedType(sqlType)}`;
  }

  /** Maximum records of the page. */
  limit(): string {
    return `${this.at("list.limit", (bindings) => (bindings.limit === null ? null : String(bindings.limit)))}::integer`;
  }

  /** Fills a hole of the templates; the caller fills the rows' holes. */
  hole(hole: string, current = "_cur"): string | undefined {
    switch (hole) {
      case "user.id":
        return `${this.at(hole, (bindings) => userId(bindings.principal))}::uuid`;
      case "user.email":
        return `${this.at(hole, (bindings) => userEmail(bindings.principal))}::text`;
      case "user.roles":
        return `${this.at(hole, (bindings) => arrayLiteral(bindings.principal.roles))}::text[]`;
      case "org":
        return `${this.at(hole, (bindings) => bindings.organization)}::uuid`;
      case "request.ip":
        return `${this.at(hole, (bindings) => bindings.ip)}::text`;
      case "request.key_kind":
        return `${this.at(hole, (bindings) => keyKind(bindings.principal))}::text`;
      // The statement's own time: one value for the whole statement, which is also the one that it writes.
      case "now":
        return "now()";
      default:
        return this.#input(hole, current);
    }
  }

  #input(hole: string, current: string): string | undefined {
    const [kind, name = ""] = hole.split(".", 2);
    const field = this.#fields.get(name);
    if (field === undefined) return undefined;
    if (kind === "sent") return this.given(name);
    if (kind !== "input") return undefined;
    const sent = this.value(field);
    // A rule sees the sum.
    return this.#added.has(name) && field.column !== null
      ? `(${current}.${quoteIdentifier(field.column)} + ${sent})`
      : `(${sent})`;
  }
}

/** Without its bounds: a value for a comparison must not be rounded to the column's. */
function unboundedType(sqlType: string): string {
  return sqlType.replace(/\(.*\)/, "");
}

export function userEmail(principal: Principal): string | null {
  return principal.kind === "user" ? principal.email : null;
}

export function keyKind(principal: Principal): string | null {
  return principal.kind === "key" || principal.kind === "user" ? principal.keyKind : null;
}

export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}
