// The app's users. In: ids, conditions, profile fields, roles. Out: users as the API returns them. It never creates or
// deletes one: users sign up (`auth`).
import { createRecords, type Records } from "./entity.ts";
import type { UserOf } from "./session.ts";
import type { Call } from "./transport.ts";
import type { AnyProject, AnyRecordOf, FieldsOf, IsUntyped, NamesOf, ProjectTypes, RelationsOf } from "./types.ts";
import { type CallOptions, endOf } from "./writing.ts";

/** The generated types with `user` among the entities, so that users are read like records. */
type WithUsers<Types extends ProjectTypes> =
  IsUntyped<Types> extends true ? AnyProject : Types & { readonly entities: { readonly user: UserTypes<Types> } };

interface UserTypes<Types extends ProjectTypes> {
  readonly record: AnyRecordOf<Types, "user">;
  readonly create: never;
  /** The name and the profile. Some profile fields are for admins only: the API decides. */
  readonly update: Partial<Omit<UserOf<Types>, ServiceField>>;
  readonly where: FieldsOf<Types, "user">;
  readonly texts: NamesOf<Types, "user", "texts">;
  readonly numbers: NamesOf<Types, "user", "numbers">;
  readonly times: NamesOf<Types, "user", "times">;
  readonly relations: RelationsOf<Types, "user">;
}

type ServiceField = "id" | "email" | "roles" | "created_at" | "updated_at" | "version";

type Reading = "aggregate" | "count" | "findFirst" | "findMany" | "findOne" | "findPage" | "iterate";

export interface Users<Types extends ProjectTypes = AnyProject>
  extends Pick<Records<WithUsers<Types>, "user">, Reading | "update"> {
  /** The signed-in user, with all fields that users see of themselves. @throws Forbidden for a key without a user. */
  readonly me: (options?: CallOptions) => Promise<UserOf<Types>>;
  /** Replaces the roles of a user, for admins. The user has them from the next request on. */
  readonly setRoles: (id: string, roles: readonly string[], options?: CallOptions) => Promise<UserOf<Types>>;
}

export function createUsers<Types extends ProjectTypes>(call: (call: Call) => Promise<unknown>): Users<Types> {
  const all = "/v1/users";
  const records = createRecords<WithUsers<Types>, "user">("user", call, all);
  const { aggregate, count, findFirst, findMany, findOne, findPage, iterate, update } = records;
  const user = async (request: Call, options: CallOptions | undefined): Promise<UserOf<Types>> =>
    ((await call({ ...request, ...endOf(options) })) as { readonly data: UserOf<Types> }).data;
  return {
    aggregate,
    count,
    findFirst,
    findMany,
    findOne,
    findPage,
    iterate,
    update,
    me: async (options) => user({ method: "GET", path: `${all}/me` }, options),
    setRoles: async (id, roles, options) => {
      // An empty id would address another route.
      if (typeof id !== "string" || id === "") throw new TypeError("the user's id must be a non-empty text");
      return user({ method: "PUT", path: `${all}/${encodeURIComponent(id)}/roles`, body: { roles } }, options);
    },
  };
}
