// The shape of the generated types (`sdk.d.ts`), and of a project without them. Types alone.

/** What the generator writes for one entity. */
export interface EntityTypes {
  /** As the API answers it. */
  readonly record: object;
  /** What a create takes. */
  readonly create: object;
  /** What an update takes: absent is untouched, null is cleared. */
  readonly update: object;
  /** Fields that a list can be filtered by, with the types of their values. Values inside JSON have a path: `address.city`. */
  readonly where: object;
  /** Names of free text in `where`. Default: every string. */
  readonly texts?: string;
  /** Names of fields that can be summed. Default: every field. */
  readonly numbers?: string;
  /** Names of dates and times. Default: every field. */
  readonly times?: string;
  /** What leads to other records: name > whose they are, whether there are many, and the field of theirs that refers to this one. */
  readonly relations?: object;
  /** Names of the views of the entity. */
  readonly views?: string;
  /** Its unique keys: a field with its value, or fields with theirs (`"a,b": [string, number]`). */
  readonly keys?: object;
}

/** What `createClient<...>` takes: the interface named after the project in its `sdk.d.ts`. */
export interface ProjectTypes {
  readonly entities: object;
  /** The record of a user, as the user sees it. */
  readonly user?: object;
  /** `user` and `organization`, as relations lead to them: with the same parts as an entity, except those for writing. */
  readonly related?: object;
  /** The profile fields that a sign-up accepts. */
  readonly profile?: object;
  /** Of a project with organizations. */
  readonly organization?: object;
  /** Of a project with actions: name > what a call takes (`input`) and answers (`result`). */
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

/** What leads to the records that refer to this one by a field of theirs. */
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

/** What is done to records of the record around them: deletes first, creates last. */
interface ChildWrites<Types extends ProjectTypes, Name extends EntityName<Types>, By extends string> {
  readonly create?: readonly NewChild<Types, Name, By>[];
  readonly update?: readonly ({ readonly id: string; readonly version?: number } & Omit<UpdateOf<Types, Name>, By> &
    ChangedChildren<Types, Name>)[];
  readonly delete?: readonly string[];
}

/** Records that a create writes with the record that they refer to. */
export type NewChildren<Types extends ProjectTypes, Name extends EntityName<Types>> = {
  readonly [Relation in keyof Referrers<Types, Name>]?: Referrers<Types, Name>[Relation] extends {
    readonly to: infer Child extends EntityName<Types>;
    readonly by: infer By extends string;
  }
    ? readonly NewChild<Types, Child, By>[] | ChildWrites<Types, Child, By>
    : never;
};

/** The same of a record that may be there already. */
export type ChangedChildren<Types extends ProjectTypes, Name extends EntityName<Types>> = {
  readonly [Relation in keyof Referrers<Types, Name>]?: Referrers<Types, Name>[Relation] extends {
    readonly to: infer Child extends EntityName<Types>;
    readonly by: infer By extends string;
  }
    ? ChildWrites<Types, Child, By>
    : never;
};

/** A record with those of its children that were written with it. */
export type WithChildren<Types extends ProjectTypes, Name extends EntityName<Types>> = RecordOf<Types, Name> & {
  readonly [Relation in keyof Referrers<Types, Name>]?: Referrers<Types, Name>[Relation] extends {
    readonly to: infer Child extends EntityName<Types>;
  }
    ? readonly WithChildren<Types, Child>[]
    : never;
};

/** The names of an entity's transitions; `never` where it has none. */
export type TransitionOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Types["entities"][Name] extends {
  readonly transitions: infer Edge extends string;
}
  ? Edge
  : never;

/** The names of an entity's views; `never` where it has none. */
export type ViewOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Types["entities"][Name] extends {
  readonly views: infer View extends string;
}
  ? View
  : never;

/** What names one record of an entity beside its id; `never` where nothing is unique. */
export type KeyOf<Types extends ProjectTypes, Name extends EntityName<Types>> = Types["entities"][Name] extends {
  readonly keys: infer Key extends object;
}
  ? Key
  : never;

type Actions<Types extends ProjectTypes> = Types extends { readonly actions: infer All extends object } ? All : never;

/** The names of the project's actions; `never` where it has none. */
export type ActionName<Types extends ProjectTypes> = keyof Actions<Types> & string;

type ActionPart<Types extends ProjectTypes, Name extends ActionName<Types>, Kind extends "input" | "result"> =
  Actions<Types>[Name] extends Record<Kind, infer Shape> ? Shape : never;

export type InputOf<Types extends ProjectTypes, Name extends ActionName<Types>> = ActionPart<Types, Name, "input">;
/** What the call answers: its output, or the run that goes on with it. */
export type ResultOf<Types extends ProjectTypes, Name extends ActionName<Types>> = ActionPart<Types, Name, "result">;

/** How an action that was begun goes on. */
export interface Run {
  readonly id: string;
  readonly workflow: string;
  readonly kind: string;
  readonly status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "needs_attention";
  /** Once it is completed. */
  readonly output: unknown;
  /** `status`: the HTTP status, where another service answered that it failed. */
  readonly error: { readonly code: string; readonly message: string; readonly status?: number } | null;
  /** Whose event started it; null of an action, and where the event is kept no longer. */
  readonly record: { readonly entity: string; readonly id: string } | null;
  readonly waits_for: readonly {
    readonly kind: "approval" | "event" | "run" | "time";
    readonly until: string | null;
    /** Of an approval: whose, at which step, and since when; an answer names the step. */
    readonly roles?: readonly string[];
    readonly step?: string;
    readonly since?: string;
    readonly event?: string;
  }[];
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}
