// Numbers the parameters of a statement. In: what a place in the text needs. Out: `$n`, and how to fill it per request.
// It never puts a value into the text.
import type { Principal } from "../http/contracts.ts";
import type { CursorKey } from "./cursor.ts";

/** What differs between two runs of one statement. All values are in Postgres's text form. */
export interface Bindings {
  readonly principal: Principal;
  readonly requestId: string;
  /** The record that the route names, or the one being created. */
  readonly recordId: string | null;
  /** Field > value, of the body or of the filter; a field that wasn't given is absent. */
  readonly values: ReadonlyMap<string, string | null>;
  readonly cursor: CursorKey | null;
}

export type Slot = (bindings: Bindings) => string | null;

export class Parameters {
  readonly slots: Slot[] = [];
  readonly #numbers = new Map<string, number>();

  /** The parameter of that name; the same for every place that asks for it. */
  #at(name: string, slot: () => Slot): string {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.slots.push(slot());
      this.#numbers.set(name, number);
    }
    return `$${number}`;
  }

  recordId(): string {
    return `${this.#at("record.id", () => (bindings) => bindings.recordId)}::uuid`;
  }

  requestId(): string {
    return `${this.#at("request.id", () => (bindings) => bindings.requestId)}::text`;
  }

  actorKind(): string {
    return `${this.#at("actor.kind", () => (bindings) => bindings.principal.kind)}::text`;
  }

  actorId(): string {
    return `${this.#at("actor.id", () => (bindings) => principalId(bindings.principal))}::text`;
  }

  value(field: string, sqlType: string): string {
    return `${this.#at(`value.${field}`, () => (bindings) => bindings.values.get(field) ?? null)}::${sqlType}`;
  }

  given(field: string): string {
    return `${this.#at(`given.${field}`, () => (bindings) => (bindings.values.has(field) ? "t" : "f"))}::boolean`;
  }

  cursor(position: number, sqlType: string): string {
    return `${this.#at(`cursor.${position}`, () => (bindings) => bindings.cursor?.[position] ?? null)}::${sqlType}`;
  }

  /** What fills a hole of the templates; the caller fills the rows' holes. */
  user(hole: string): string | undefined {
    switch (hole) {
      case "user.id":
        return `${this.#at(hole, () => (bindings) => userId(bindings.principal))}::uuid`;
      case "user.email":
        return `${this.#at(hole, () => (bindings) => userEmail(bindings.principal))}::text`;
      case "user.roles":
        return `${this.#at(hole, () => (bindings) => arrayLiteral(bindings.principal.roles))}::text[]`;
      default:
        return undefined;
    }
  }
}

export function userId(principal: Principal): string | null {
  return principal.kind === "user" ? principal.userId : null;
}

function userEmail(principal: Principal): string | null {
  return principal.kind === "user" ? principal.email : null;
}

/** Who acts, as the audit log and the access log name them. */
export function principalId(principal: Principal): string {
  switch (principal.kind) {
    case "key":
      return principal.keyId;
    case "user":
      return principal.userId;
    case "operator":
      return principal.email;
  }
}

function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}
