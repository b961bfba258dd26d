// How control authenticates a call to a cell. Both sides use these names: a signed claim that only one of them knows
// has no effect.

/** The header with the assertion: a JWT, signed with the key of control in its `kid`. */
export const ASSERTION_HEADER = "plinth-assertion";
/** The header with the person on whose behalf a call is made, for calls that only need the cell's secret. */
export const ACTOR_HEADER = "plinth-actor";
export const ASSERTION_ALGORITHM = "EdDSA";
/** An assertion with a longer lifetime is refused. */
export const ASSERTION_SECONDS_MAX = 60;

/** In addition to `aud` (the cell), `sub` (the person), `exp`, and `jti` (it is valid once). */
export interface AssertionClaims {
  /**
   * `operator` and `viewer` act on a project's data; `measure` is for the call with that name, `retire` for those that
   * end a project.
   */
  readonly role: "operator" | "viewer" | "measure" | "retire";
  /** The project. */
  readonly prj: string;
  /** The call's method. */
  readonly htm: string;
  /** The call's path with its query string, as in the request line. */
  readonly target: string;
  /** SHA-256 of the call's body in hex; of zero bytes if there is none. */
  readonly body: string;
}
