// Format 2 to format 3. In: a bundle or a plan from the compiler of format 2. Out: the same in format 3. Differences:
// - Pairs: format 3 has a placeholder for a record's own many-to-many pairs, so that a rule about a write sees the pairs
//   that it writes. Format 2 named their table, in which a statement sees the earlier pairs. Its rules get the placeholder,
//   too, because that is their meaning.
// - Predicates: format 3 stores whether a rule is always true, and which other rows it reads. It is only needed for
//   entities with live changes, which format 2 didn't have, so the list stays empty.
// - Routes of modules: format 3 stores them. For format 2, the runtime derived them from the list of modules.
// - Relations: format 3 stores them. No request could use them in format 2, so the list stays empty.
// - Search: format 3 stores how an entity is searched. In format 2, only the index contained it, and words kept their
//   accents.
// - Background work: format 3 contains it. In format 2 it was declared but never run, so a project has none.

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
 * The pairs of the rule's row in format 2: `{schema}."albums__tags" _each1_pair join {schema}."tags" _each1 on
 * _each1."id" = _each1_pair."tag_id" where _each1_pair."album_id" = {new}."id"`. Texts of authors contain no brace.
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

/** Special handlers created and deleted organizations, although they had the routes of any entity. */
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

/** By module; null for routes that every project had. */
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
