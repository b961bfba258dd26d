// The principal that acts in a project: a key, a user, a person in the console, or the service itself. Types, and the values that
// statements and logs need of a principal.
import type { ProjectId } from "@plinth/bundle";

/** A principal that acts. `roles` are expanded by inheritance and sorted. */
export type Principal = CallerPrincipal | ServicePrincipal;

/** A principal that sends requests. Their roles always include `public`. */
export type CallerPrincipal = KeyPrincipal | UserPrincipal | OperatorPrincipal;

export interface KeyPrincipal {
  readonly kind: "key";
  readonly keyId: string;
  readonly keyKind: KeyKind;
  readonly roles: readonly string[];
  readonly user: null;
}

export type KeyKind = "publishable" | "secret";

/** A user's membership in an organization, with the role. */
export interface Membership {
  readonly organization: string;
  readonly role: string;
  /** Whether requests that name no organization are made in this one; true for at most one. */
  readonly chosen: boolean;
}

export interface UserPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** The key that was sent together with the user's token, if any. */
  readonly keyId: string | null;
  readonly keyKind: KeyKind | null;
  /** Empty if the release has no organizations. */
  readonly memberships: readonly Membership[];
}

/** A person in the console, vouched for by control. */
export interface OperatorPrincipal {
  readonly kind: "operator";
  readonly email: string;
  readonly roles: readonly string[];
  readonly readOnly: boolean;
}

/** The platform itself. The project's rules don't apply to it; constraints, state machines and the audit log do. */
export interface ServicePrincipal {
  readonly kind: "service";
  /** The purpose in the audit log, such as `retention`. */
  readonly purpose: string;
  readonly roles: readonly string[];
}

export interface Caller {
  readonly projectId: ProjectId;
  readonly principal: CallerPrincipal;
}

/** Passes every rule. No blueprint can declare a role of this name. */
export const SERVICE_ROLE = "_service";

export function serviceFor(purpose: string): ServicePrincipal {
  return { kind: "service", purpose, roles: [SERVICE_ROLE, "admin"] };
}

export function userId(principal: Principal): string | null {
  return principal.kind === "user" ? principal.userId : null;
}

/** The principal's name in the audit log and the access log. */
export function principalId(principal: Principal): string {
  switch (principal.kind) {
    case "key":
      return principal.keyId;
    case "user":
      return principal.userId;
    case "operator":
      return principal.email;
    case "service":
      return principal.purpose;
  }
}

/**
 * Admin keys, the project's operators and the service aren't bound to organizations. A user who is an admin is bound to
 * their own.
 */
export function standsAboveOrganizations(principal: Principal): boolean {
  switch (principal.kind) {
    case "key":
      return principal.roles.includes("admin");
    case "user":
      return false;
    case "operator":
    case "service":
      return true;
  }
}
