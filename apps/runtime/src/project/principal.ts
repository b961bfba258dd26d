// Who acts in a project: a key, a user, a person of the console, or the service itself. In: nothing. Out: types, and what
// statements and logs need to know of whoever it is.
import type { ProjectId } from "@plinth/bundle";

/** Who acts. `roles` are expanded by inheritance and sorted. */
export type Principal = CallerPrincipal | ServicePrincipal;

/** Who sends requests; their roles always hold `public`. */
export type CallerPrincipal = KeyPrincipal | UserPrincipal | OperatorPrincipal;

export interface KeyPrincipal {
  readonly kind: "key";
  readonly keyId: string;
  readonly keyKind: KeyKind;
  readonly roles: readonly string[];
  readonly user: null;
}

export type KeyKind = "publishable" | "secret";

/** That a user belongs to an organization, and as what. */
export interface Membership {
  readonly organization: string;
  readonly role: string;
  /** Whether the user's requests are made in it where they name none; true for one at most. */
  readonly chosen: boolean;
}

export interface UserPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** The key that stood beside the user's token, if any. */
  readonly keyId: string | null;
  readonly keyKind: KeyKind | null;
  /** Empty where the release has no organizations. */
  readonly memberships: readonly Membership[];
}

/** A person of the console, vouched for by control. */
export interface OperatorPrincipal {
  readonly kind: "operator";
  readonly email: string;
  readonly roles: readonly string[];
  readonly readOnly: boolean;
}

/** What the platform does by itself: no rule of the project applies to it; constraints, state machines and the audit log do. */
export interface ServicePrincipal {
  readonly kind: "service";
  /** What it does, as the audit log names it: `retention`. */
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

/** Who acts, as the audit log and the access log name them. */
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

/** Admin keys, the project's operators and the service stand above organizations; a user who is admin is bound to theirs. */
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
