// The shape of the generated types (`sdk.d.ts`), and of a project without them. Only types.

/** What the generator writes for one entity. */
export interface EntityTypes {
  /** As the API returns it. */
  readonly record: object;
  /** The input of a create. */
  readonly create: object;
  /** The input of an update: absent fields stay unchanged, null empties a field. */
  readonly update: object;
  /** Fields that a list can be filtered by, with the types of their values. Values inside JSON have a path: `address.city`. */
  readonly where: object;
  /** Names of free text in `where`. Default: every string. */
  readonly texts?: string;
  /** Names of fields that can be summed. Default: every field. */
  readonly numbers?: string;
  /** Names of dates and times. Default: every field. */
  readonly times?: string;
  /** Relations: name > the entity of the records, whether there are many, and their field that refers to this one. */
  readonly relations?: object;
  /** Names of the views of the entity. */
  readonly views?: string;
  /** Its unique keys: a field with its value, or fields with their values (`"a,b": [string, number]`). */
  readonly keys?: object;
}

/** The type argument of `createClient<...>`: the interface with the project's name in its `sdk.d.ts`. */
export interface ProjectTypes {
  readonly entities: object;
  /** The record of a user, as the user sees it. */
  readonly user?: object;
  /** `user` and `organization` as related records: with the same parts as an entity, except those for writing. */
  readonly related?: object;
  /** The profile fields that a sign-up accepts. */
  readonly profile?: object;
  /** For a project with organizations. */
  readonly organization?: object;
  /** For a project with actions: name > the input of a call (`input`) and its result (`result`). */
  readonly actions?: object;
}

interface AnyEntity extends EntityTypes {
  readonly record: { readonly id: string } & Record<string, unknown>;
  readonly create: Record<string, unknown>;
  readonly update: Record<string, unknown>;
  readonly where: Record<string, FilterValue>;
  readonly transitions: string;
  readonly relations: Record<string, { readonly to: string; readonly many: boolean }>;
  readonly views: string;
  readonly keys: Record<string, FilterValue | readonly FilterValue[]>;
}

/** A client without generated types takes every name and every field. */
export interface AnyProject {
  readonly entities: Record<string, AnyEntity>;
  readonly organization: OrganizationRecord;
  readonly actions: Record<string, { readonly input: Record<string, unknown>; readonly result: unknown }>;
}

/** An organization of the app's users. */
export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

export type FilterValue = string | number | boolean;

export type EntityName<Types extends ProjectTypes> = keyof Types["entities"] & string;

/** Whether there are no generated types. Then every name is accepted. */
export type IsUntyped<Types extends ProjectTypes> = string extends EntityName<Types> ? true : false;

type Part<Types extends ProjectTypes, Name extends EntityName<Types>, Kind extends "record" | "create" | "update"> =
  Types["entities"][Name] extends Record<Kind, infer Shape extends object> ? Shape : never;

export type RecordOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Part<Types, Name, "record">;
export type CreateOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Part<Types, Name, "create">;
export type UpdateOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Part<Types, Name, "update">;

/** The generated types of an entity, of `user` or of `organization`. Older files have only the records of the last two. */
type Described<Types extends ProjectTypes, Name extends string> =
  Name extends EntityName<Types>
    ? Types["entities"][Name]
    : Types extends { readonly related: infer All extends Record<Name, object> }
      ? All[Name]
      : Name extends keyof Types
        ? { readonly record: Types[Name]; readonly where: Types[Name] }
        : { readonly record: Record<string, unknown>; readonly where: Record<string, FilterValue> };

/** The record of an entity, of `user` or of `organization`. */
export type AnyRecordOf<Types extends ProjectTypes, Name extends string> =
  Described<Types, Name> extends { readonly record: infer Shape } ? Shape : never;

/** Its fields in conditions. */
export type FieldsOf<Types extends ProjectTypes, Name extends string> =
  Described<Types, Name> extends { readonly where: infer Shape extends object } ? Shape : never;

/** Names of those fields that are free text, numbers or times. */
export type NamesOf<Types extends ProjectTypes, Name extends string, Kind extends "texts" | "numbers" | "times"> =
  Described<Types, Name> extends Record<Kind, infer Names> ? Names : keyof FieldsOf<Types, Name>;

export type RelationsOf<Types extends ProjectTypes, Name extends string> =
  Described<Types, Name> extends { readonly relations: infer All extends object } ? All : Record<never, never>;

/** The entity that a relation leads to. */
export type TargetOf<
  Types extends ProjectTypes,
  Name extends string,
  Relation extends keyof RelationsOf<Types, Name>,
> = RelationsOf<Types, Name>[Relation] extends { readonly to: infer Target extends string } ? Target : never;

/** Relations to the records that refer to this one by a field of theirs. */
type Referrers<Types extends ProjectTypes, Name extends EntityName<Types>> = {
  readonly [Relation in keyof RelationsOf<Types, Name> as RelationsOf<Types, Name>[Relation] extends {
    readonly by: string;
  }
    ? Relation
    : never]: RelationsOf<Types, Name>[Relation];
};

type NewChild<Types extends ProjectTypes, Name extends EntityName<Types>, By extends string> = Omit<
  CreateOf<Types, Name>,
  By
> &
  NewChildren<Types, Name>;

/** Changes to child records of a record: deletes run first, creates last. */
interface ChildWrites<Types extends ProjectTypes, Name extends EntityName<Types>, By extends string> {
  readonly create?: readonly NewChild<Types, Name, By>[];
  readonly update?: readonly ({ readonly id: string; readonly version?: number } & Omit<UpdateOf<Types, Name>, By> &
    ChangedChildren<Types, Name>)[];
  readonly delete?: readonly string[];
}

/** Records that a create writes together with the record that they refer to. */
export type NewChildren<Types extends ProjectTypes, Name extends EntityName<Types>> = {
  readonly [Relation in keyof Referrers<Types, Name>]?: Referrers<Types, Name>[Relation] extends {
    readonly to: infer Child extends EntityName<Types>;
    readonly by: infer By extends string;
  }
    ? readonly NewChild<Types, Child, By>[] | ChildWrites<Types, Child, By>
    : never;
};

/** The same for a record that may already exist. */
export type ChangedChildren<Types extends ProjectTypes, Name extends EntityName<Types>> = {
  readonly [Relation in keyof Referrers<Types, Name>]?: Referrers<Types, Name>[Relation] extends {
    readonly to: infer Child extends EntityName<Types>;
    readonly by: infer By extends string;
  }
    ? ChildWrites<Types, Child, By>
    : never;
};

/** A record with the children that were written with it. */
export type WithChildren<Types extends ProjectTypes, Name extends EntityName<Types>> = RecordOf<Types, Name> & {
  readonly [Relation in keyof Referrers<Types, Name>]?: Referrers<Types, Name>[Relation] extends {
    readonly to: infer Child extends EntityName<Types>;
  }
    ? readonly WithChildren<Types, Child>[]
    : never;
};

/** The names of an entity's transitions; `never` if it has none. */
export type TransitionOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Types["entities"][Name] extends {
  readonly transitions: infer Edge extends string;
}
  ? Edge
  : never;

/** The names of an entity's views; `never` if it has none. */
export type ViewOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Types["entities"][Name] extends {
  readonly views: infer View extends string;
}
  ? View
  : never;

/** The unique keys of a record in addition to its id; `never` if there are none. */
export type KeyOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Types["entities"][Name] extends {
  readonly keys: infer Key extends object;
}
  ? Key
  : never;

type Actions<Types extends ProjectTypes> = Types extends { readonly actions: infer All extends object } ? All : never;

/** The names of the project's actions; `never` if it has none. */
export type ActionName<Types extends ProjectTypes> = keyof Actions<Types> & string;

type ActionPart<Types extends ProjectTypes, Name extends ActionName<Types>, Kind extends "input" | "result"> =
  Actions<Types>[Name] extends Record<Kind, infer Shape> ? Shape : never;

export type InputOf<Types extends ProjectTypes, Name extends ActionName<Types>> = ActionPart<Types, Name, "input">;
/** The result of the call: its output, or the run. */
export type ResultOf<Types extends ProjectTypes, Name extends ActionName<Types>> = ActionPart<Types, Name, "result">;

/** The progress of a run of an action. */
export interface Run {
  readonly id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly status:
    | "queued"
    | "running"
    | "waiting"
    | "completed"
    | "failed"
    | "cancelled"
    | "undo_failed"
    | "needs_attention";
  /** After it has completed. */
  readonly output: unknown;
  /** `status`: the HTTP status, if another service answered with an error. */
  readonly error: { readonly code: string; readonly message: string; readonly status?: number } | null;
  /** The id of the event that started it; null for an action, and if the event was deleted. */
  readonly record: { readonly entity: string; readonly id: string } | null;
  readonly waits_for: readonly {
    readonly kind: "approval" | "event" | "run" | "time";
    readonly until: string | null;
    /** For an approval: its roles, its step, and since when it waits; an answer names the step. */
    readonly roles?: readonly string[];
    readonly step?: string;
    readonly since?: string;
    readonly event?: string;
  }[];
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}
