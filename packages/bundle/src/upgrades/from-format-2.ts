// Format 2 to format 3. In: a bundle or a plan as the compiler of format 2 wrote it. Out: the same in format 3.
// Format 3 names a record's own many-to-many pairs by a hole, so that a write can be judged by the pairs that it writes. Format
// 2 named their table, where a statement sees those of before: its rules get the hole as well, for that is what they say.
// Format 3 says of a rule whether it always holds and which other rows it looks at. That is asked for entities whose changes are
// followed alone, which format 2 had none of: the list stays empty.
// Format 3 says which routes the modules serve; of format 2, the runtime knew by the modules alone.
// Format 3 names what leads from one record to others, which nobody could ask for in format 2: the list stays empty.
// Format 3 says of an entity how it is searched. In format 2 that stood in the index alone, by words that kept their accents.
// Format 3 holds work in the background, which format 2 declared and nothing ran: a project of then has none.

interface Grant {
  readonly rule: string;
}

interface Entity {
  readonly table: string;
  readonly scope: string | null;
  readonly access: Readonly<Record<string, Readonly<Record<string, Grant>>>>;
}

interface Bundle {
  readonly modules: readonly string[];
  readonly entities: readonly Entity[];
  readonly routes: readonly Route[];
  readonly tables: readonly Table[];
}

interface Table {
  readonly name: string;
  readonly indexes: readonly { readonly method?: string; readonly keys?: readonly string[] }[];
}

interface Route {
  readonly path: string;
  readonly operation: string;
}

export function upgradeBundleFrom2(stored: unknown): unknown {
  const bundle = stored as Bundle;
  const background = { events: [], workflows: [], schedules: [], actions: [] };
  return {
    ...bundle,
    format: 3,
    background,
    entities: bundle.entities.map((entity) => entityOf(entity, bundle)),
    routes: bundle.routes.filter((route) => !isHandled(route)),
    moduleRoutes: moduleRoutes.flatMap(([module, routes]) =>
      module === null || bundle.modules.includes(module) ? routes : [],
    ),
  };
}

export function upgradePlanFrom2(stored: unknown): unknown {
  return stored;
}

function entityOf(entity: Entity, { tables }: Bundle): object {
  const access = Object.entries(entity.access).map(([operation, grants]) => [
    operation,
    Object.fromEntries(
      Object.entries(grants).map(([role, grant]) => [role, { ...grant, rule: predicateOf(withHoles(grant.rule)) }]),
    ),
  ]);
  const scope = entity.scope === null ? null : predicateOf(entity.scope);
  const words = tables.find(({ name }) => name === entity.table)?.indexes.find(({ method }) => method === "gin")
    ?.keys?.[0];
  const search = words !== undefined && { search: { language: "simple", words, unfolded: true } };
  return { ...entity, relations: [], access: Object.fromEntries(access), scope, ...search };
}

/**
 * The pairs of the judged row as format 2 wrote them: `{schema}."albums__tags" _each1_pair join {schema}."tags" _each1 on
 * _each1."id" = _each1_pair."tag_id" where _each1_pair."album_id" = {new}."id"`. No text of an author's holds a brace.
 */
const ownPairs =
  /\{schema\}\."([a-z0-9_]+)" ((_each\d+)_pair) (join \{schema\}\."[a-z0-9_]+" \3 on \3\."id" = \2\."[a-z0-9_]+" where \2\."[a-z0-9_]+" = \{(record|old|new)\}\."id")/g;

function withHoles(rule: string): string {
  return rule.replace(
    ownPairs,
    (_, table: string, pair: string, __, rest: string, row: string) => `{pairs.${row}.${table}} ${pair} ${rest}`,
  );
}

function predicateOf(sql: string): object {
  return sql === "true" ? { kind: "always" } : { kind: "sql", sql, looks: [] };
}

/** Organizations were created and deleted by a handler of their own, although they had the routes of any entity. */
function isHandled({ path, operation }: Route): boolean {
  return path.startsWith("/v1/organizations") && (operation === "create" || operation === "delete");
}

const BODY_BYTES_MAX = 65_536;

function moduleRoute(operation: string, method: string, path: string, audience = "caller"): object {
  return {
    operation,
    method,
    path,
    audience,
    filters: null,
    bodyBytesMax: method === "GET" || method === "DELETE" ? 0 : BODY_BYTES_MAX,
  };
}

const organizations = "/v1/organizations";
const members = `${organizations}/:id/members`;
const invitations = `${organizations}/:id/invitations`;
const auditFilters = { entity: "text", record_id: "uuid", actor_id: "text", operation: "text", request_id: "text" };

/** By module; null for what every project had. */
const moduleRoutes: readonly (readonly [module: string | null, routes: readonly object[]])[] = [
  [
    null,
    [
      moduleRoute("user.me", "GET", "/v1/users/me", "user"),
      moduleRoute("user.set_roles", "PUT", "/v1/users/:id/roles", "admin"),
      moduleRoute("project.openapi", "GET", "/v1/openapi.json"),
      moduleRoute("project.sdk_types", "GET", "/v1/sdk.d.ts"),
      moduleRoute("project.jwks", "GET", "/.well-known/jwks.json"),
      moduleRoute("project.can", "POST", "/v1/can"),
    ],
  ],
  [
    "auth",
    [
      moduleRoute("auth.sign_up", "POST", "/v1/auth/sign-up", "key"),
      moduleRoute("auth.sign_in", "POST", "/v1/auth/sign-in", "key"),
      moduleRoute("auth.refresh", "POST", "/v1/auth/refresh", "key"),
      moduleRoute("auth.sign_out", "POST", "/v1/auth/sign-out", "key"),
    ],
  ],
  [
    "organizations",
    [
      moduleRoute("organization.create", "POST", organizations),
      moduleRoute("organization.delete", "DELETE", `${organizations}/:id`),
      moduleRoute("organization.members", "GET", members),
      moduleRoute("organization.add_member", "PUT", members),
      moduleRoute("organization.set_member", "PUT", `${members}/:user_id`),
      moduleRoute("organization.remove_member", "DELETE", `${members}/:user_id`),
      moduleRoute("organization.invitations", "GET", invitations),
      moduleRoute("organization.invite", "POST", invitations),
      moduleRoute("organization.revoke_invitation", "DELETE", `${invitations}/:invitation_id`),
      moduleRoute("organization.accept_invitation", "POST", `${organizations}/accept-invitation`, "user"),
      moduleRoute("organization.choose", "PUT", "/v1/users/me/organization", "user"),
    ],
  ],
  ["audit_logs", [{ ...moduleRoute("project.audit_log", "GET", "/v1/audit-log", "admin"), filters: auditFilters }]],
];
