// Checks the protected core. In: the live model (or null), the new one, and its author. Out: every change of the
// protected core. A change by an AI is refused; a person needs the consent `protected_core` for each. It never decides
// who consents.
import { createBudget } from "@plinth/expression";
import type { Action, Background, BackgroundPart } from "../model/background.ts";
import type { Entity, Field, Model, Permission, Role } from "../model/model.ts";
import { userEntity } from "../modules/users.ts";
import { type Access, createAccess } from "./access.ts";
import { changedMails, diffSettings } from "./accounts.ts";
import { align } from "./align.ts";
import type { Change } from "./change.ts";
import { diffModels } from "./diff.ts";
import { named, same } from "./make-change.ts";
import { trustTouches } from "./protect-trust.ts";
import { matchByName } from "./renames.ts";

export type Author = "person" | "ai";

/** A part of the protected core. */
export type CoreRule =
  | "project"
  | "modules"
  | "roles"
  | "grants_admin"
  | "widens_public"
  | "trusted_value"
  | "computed"
  | "audit"
  | "secret"
  | "pii"
  | "internal"
  | "webhooks_out"
  | "integrations"
  | "calls"
  | "sign_in"
  /** Background work does more with the rights of the service, or more data leaves through it: for an AI only. */
  | "effects"
  | "api";

export interface Touch {
  /** The same path as in a change: `listing.note`, `roles.support`, `api.burst`. */
  readonly path: string;
  readonly rule: CoreRule;
  /** One sentence for a person. */
  readonly summary: string;
  readonly outcome: "refused" | "consent";
}

const protectedModules: readonly string[] = ["auth", "users", "roles", "organizations", "audit_logs"];

/**
 * If nothing is live yet, there is no core to change: the approval of a first model covers all of it.
 * `changes`: the diff of the two, if the caller already has it.
 */
export function protect(
  before: Model | null,
  after: Model,
  author: Author,
  changes: readonly Change[] = diffModels(before, after),
): readonly Touch[] {
  if (before === null) return [];
  const aligned = align(before, after).before;
  const access = createAccess(aligned, after, createBudget());
  const found = [
    ...projectTouches(before, after),
    ...roleTouches(before, after),
    ...grantTouches(aligned, after, access),
    ...trustTouches(aligned, after, access),
    ...openedToPublic(changes),
    ...auditTouches(aligned, after),
    ...markTouches(before, after),
    ...backgroundTouches(aligned, after),
    ...signInTouches(before, after),
    ...apiTouches(before, after),
    ...(author === "ai" ? effectTouches(changes) : []),
  ];
  const outcome = author === "ai" ? "refused" : "consent";
  return found.map((touch) => ({ ...touch, outcome }));
}

export type Found = Omit<Touch, "outcome">;

function projectTouches(before: Model, after: Model): Found[] {
  const modules = protectedModules.filter((name) => has(before, name) !== has(after, name));
  const renamed = before.project !== after.project;
  return [
    ...(renamed ? [touch("project", "project", `The project gets the name \`${after.project}\`.`)] : []),
    ...modules.map((name) => {
      const what = has(after, name) ? "is added" : "is removed";
      return touch(`modules.${name}`, "modules", `The module \`${name}\` ${what}.`);
    }),
  ];
}

function has(model: Model, module: string): boolean {
  return model.modules.some((name) => name === module);
}

function roleTouches(before: Model, after: Model): Found[] {
  const old = new Map(before.roles.map((role) => [role.name, role]));
  const now = new Map(after.roles.map((role) => [role.name, role]));
  const touches: Found[] = [];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    if (was !== undefined && is !== undefined && same(inOrder(was), inOrder(is))) continue;
    const what = was === undefined ? "is added" : is === undefined ? "is removed" : "is changed";
    touches.push(touch(`roles.${name}`, "roles", `The role \`${name}\` ${what}.`));
    if (is?.inherits.includes("admin") === true && was?.inherits.includes("admin") !== true) {
      touches.push(
        touch(`roles.${name}`, "grants_admin", `Everybody with the role \`${name}\` gets the role \`admin\`.`),
      );
    }
  }
  return touches;
}

function inOrder(role: Role): Role {
  return { ...role, inherits: role.inherits.toSorted() };
}

/** The rights of `admin` and `public`, each on its own: it doesn't matter whether somebody else already had them. */
function grantTouches(before: Model, after: Model, access: Access): Found[] {
  const old = new Map([...before.entities, userEntity(before)].map((entity) => [entity.name, entity]));
  return [...after.entities, userEntity(after)].flatMap((entity) => {
    const was = old.get(entity.name) ?? { ...entity, permissions: [] };
    return [
      ...widened(was, entity, "public", access),
      ...(old.has(entity.name) ? widened(was, entity, "admin", access) : []),
    ];
  });
}

function widened(before: Entity, after: Entity, role: "public" | "admin", access: Access): Found[] {
  const own = (entity: Entity): Entity => ({
    ...entity,
    permissions: entity.permissions.filter((one) => one.role === role),
  });
  const [was, is] = [own(before), own(after)];
  const rule = role === "public" ? "widens_public" : "grants_admin";
  return is.permissions
    .filter((permission) => !same(permission, grantLike(was, permission)))
    .flatMap((permission) => {
      const witness = access.gain(was, is, permission);
      if (witness === null) return [];
      return [touch(`${after.name}.permissions.${role}.${permission.operation}`, rule, witness.summary)];
    });
}

function grantLike(entity: Entity, { operation }: Permission): Permission | undefined {
  return entity.permissions.find((one) => one.operation === operation);
}

/**
 * An existing right of `public` reaches further: a field that is newly shown, rows of all organizations, a state that
 * can be set freely.
 */
function openedToPublic(changes: readonly Change[]): Found[] {
  return changes.flatMap(({ kind, path, witness }) => {
    const byGrant = /^(permission|role|background)_/.test(kind);
    return byGrant || witness?.role !== "public" ? [] : [touch(path, "widens_public", witness.summary)];
  });
}

const work = /^(workers|workflows|actions|webhooks\.in)\./;

/** A person gives the consent of the change itself. An AI can't propose work that needs one. */
function effectTouches(changes: readonly Change[]): Found[] {
  return changes
    .filter(
      ({ path, classes }) =>
        work.test(path) && (classes.includes("loosens_access") || classes.includes("widens_egress")),
    )
    .map(({ path, summary, witness }) =>
      touch(path, "effects", witness === undefined ? summary : `${summary} ${witness.summary}`),
    );
}

function auditTouches(before: Model, after: Model): Found[] {
  const old = new Map(before.entities.map((entity) => [entity.name, entity.audit]));
  return after.entities
    .filter((entity) => old.has(entity.name) && old.get(entity.name) !== entity.audit)
    .map((entity) =>
      touch(`${entity.name}.audit`, "audit", `The audit log of \`${entity.name}\` now records \`${entity.audit}\`.`),
    );
}

/** Modifiers that are removed from existing fields, including renamed ones. */
function markTouches(before: Model, after: Model): Found[] {
  const entities = matchByName(before.entities, after.entities).kept;
  return [
    ...entities.flatMap((pair) => marksOf(pair.after.name, pair.before.fields, pair.after.fields)),
    ...marksOf("user", before.userFields, after.userFields),
  ];
}

function marksOf(entity: string, before: readonly Field[], after: readonly Field[]): Found[] {
  return matchByName(before, after).kept.flatMap(({ before: was, after: is }) => {
    const path = `${entity}.${is.name}`;
    const gone = (["pii", "internal"] as const).filter((mark) => was[mark] && !is[mark]);
    const secret = was.type.kind === "secret" && is.type.kind !== "secret" ? (["secret"] as const) : [];
    return [...gone, ...secret].map((mark) =>
      touch(path, mark, `\`${is.name}\` of \`${entity}\` is no longer \`${mark}\`.`),
    );
  });
}

function backgroundTouches(before: Model, after: Model): Found[] {
  const [was, is] = [before.background, after.background];
  const out = same(was.outboundWebhooks, is.outboundWebhooks)
    ? []
    : [touch("webhooks.out", "webhooks_out", "The targets or settings of outbound webhooks change.")];
  const integrations = changedParts(was.integrations, is.integrations).map((name) =>
    touch(`integrations.${name}`, "integrations", `The integration \`${name}\` is added, removed or changed.`),
  );
  const actions = is.actions.filter(
    (action) => grantsToPublic(action) !== grantsToPublic(was.actions.find((one) => one.name === action.name)),
  );
  return [
    ...out,
    ...integrations,
    ...newlyCalled(was, is),
    ...actions
      .filter((action) => grantsToPublic(action) !== "")
      .map((action) => touch(`actions.${action.name}`, "widens_public", `\`public\` can now call \`${action.name}\`.`)),
  ];
}

/** Mails carry tokens to these pages, and rules trust verified addresses. */
function signInTouches(before: Model, after: Model): Found[] {
  const [was, is] = [before.background, after.background];
  return [
    ...diffSettings(was, is).map(({ path, summary }) => touch(path, "sign_in", summary)),
    ...changedMails(was, is).map(({ after: { name } }) =>
      touch(`emails.${name}`, "sign_in", `The text of the mail \`${name}\`, which carries a token, changes.`),
    ),
  ];
}

/** A host that steps call is a destination like an integration's, so a change needs a person. */
function newlyCalled(before: Background, after: Background): Found[] {
  const known = new Set(calledHosts(before).map(({ host }) => host));
  return calledHosts(after)
    .filter(({ host }) => !known.has(host))
    .map(({ path, host }) => touch(path, "calls", `The project now calls \`${host}\`.`));
}

function calledHosts({ workers, workflows, actions }: Background): { readonly path: string; readonly host: string }[] {
  return Object.entries({ workers, workflows, actions }).flatMap(([section, parts]) =>
    parts.flatMap(({ name, egress }) =>
      [...new Set(egress.flatMap(({ host }) => host ?? []))].map((host) => ({ path: `${section}.${name}`, host })),
    ),
  );
}

function changedParts(before: readonly BackgroundPart[], after: readonly BackgroundPart[]): string[] {
  const of = (parts: readonly BackgroundPart[], name: string) => parts.find((one) => one.name === name);
  const all = new Set([...before, ...after].map((one) => one.name));
  return [...all].filter((name) => !same(of(before, name), of(after, name)));
}

/** The permissions of `public` in an action, as text; empty if there are none. */
function grantsToPublic(action: Action | undefined): string {
  const granted = action?.access["public"];
  return granted === undefined ? "" : JSON.stringify(granted);
}

function apiTouches(before: Model, after: Model): Found[] {
  const names = (Object.keys(after.api) as (keyof Model["api"])[]).filter(
    (name) => before.api[name] !== after.api[name],
  );
  return names.map((name) =>
    touch(
      `api.${name}`,
      "api",
      `The limit ${named([name])} is now ${after.api[name]}, instead of ${before.api[name]}.`,
    ),
  );
}

function touch(path: string, rule: CoreRule, summary: string): Found {
  return { path, rule, summary };
}
