// What background work does with the rights of the service, one effect at a time, as `reduce.ts` finds it in a model.
// Only types.
import type { Expression, Template, Values } from "@plinth/expression";
import type { Field } from "../../model/model.ts";

/** One way in which a part begins. Parts with equal keys begin at the same moments. */
export interface Start {
  readonly key: string;
  readonly kind: "event" | "time" | "worker" | "action";
  /** The event or the worker; empty for a time and for an action. */
  readonly name: string;
  /** The entity of `record`; null if there is none. */
  readonly entity: string | null;
  /** The entity whose record the event carries; null if there is none. */
  readonly carries: string | null;
  /** Who can call the action: role > rule. Empty for other kinds. */
  readonly access: Readonly<Record<string, Expression>>;
  /** The input of the action, by name. Empty for other kinds. */
  readonly input: ReadonlyMap<string, Field>;
}

/** A value that an effect reads. */
export interface Source {
  /** Where the value is from: the run's record, or the step that found it. Equal for equal look-ups. */
  readonly origin: string;
  /** Null for values that no entity stores, such as the answer of another service. */
  readonly entity: string | null;
  readonly field: string;
}

/** Who gets data that leaves the project. */
export interface Receiver {
  /** Equal for the same receiver. */
  readonly key: string;
  readonly kind: "mail" | "answers" | "service" | "endpoints";
  /** "`a@b.example`", "the address in `record.email`". */
  readonly words: string;
}

/** Templates are in the normal form of `normal-form.ts`. */
export type Act =
  | { readonly kind: "create"; readonly entity: string; readonly values: Values }
  /** One field of an update, or of a transition; `values` has all fields that the step writes. */
  | {
      readonly kind: "update";
      readonly entity: string;
      readonly target: Template;
      readonly edge: string | null;
      readonly field: string;
      readonly values: Values;
    }
  | {
      readonly kind: "transition";
      readonly entity: string;
      readonly target: Template;
      readonly edge: string;
      readonly values: Values;
    }
  | { readonly kind: "delete"; readonly entity: string; readonly target: Template }
  /** It starts other work, which has its own effects. */
  | { readonly kind: "emit" | "run"; readonly name: string }
  /** Callers of an action, or approvers, see it. */
  | { readonly kind: "show"; readonly to: "caller" | readonly string[] }
  /** With a source, the value leaves the project; without, the receiver is contacted at all. */
  | { readonly kind: "leave"; readonly receiver: Receiver };

export interface Effect {
  /** The part that has it: `workflows.notify`. */
  readonly path: string;
  readonly start: Start;
  readonly act: Act;
  /** Equal for the same operation on the same target with the same values. */
  readonly key: string;
  /** All of them are true when it happens. */
  readonly guard: readonly Expression[];
  /** Whether the run has waited before: its record may have changed since somebody caused it. */
  readonly isLater: boolean;
  /** What `leave` and `show` reveal; null for none. */
  readonly source: Source | null;
  /** What the written values are made of, by field. */
  readonly reads: Readonly<Record<string, readonly Source[]>>;
  /** The value as its author wrote it, for a person; empty if there is none. */
  readonly words: string;
}
