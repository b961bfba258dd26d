// How control vouches for a call to a cell. Both sides read the names here: a signed claim that only one of them knows vouches
// for nothing.

/** The header that carries the assertion: a JWT, signed with the key of control that its `kid` names. */
export const ASSERTION_HEADER = "plinth-assertion";
/** The header that names the person on whose behalf a call is made that the cell's secret alone opens. */
export const ACTOR_HEADER = "plinth-actor";
export const ASSERTION_ALGORITHM = "EdDSA";
/** An assertion that lives longer is refused. */
export const ASSERTION_SECONDS_MAX = 60;

/** Beside `aud` (the cell), `sub` (on whose behalf), `exp`, and `jti` (it serves once). */
export interface AssertionClaims {
  /** `operator` and `viewer` act on a project's data; `measure` opens the call of that name, `retire` those that end a project. */
  readonly role: "operator" | "viewer" | "measure" | "retire";
  /** The project. */
  readonly prj: string;
  /** The call's method. */
  readonly htm: string;
  /** The call's path with its query string, as it stands in the request line. */
  readonly target: string;
  /** SHA-256 of the call's body in hex; of no bytes where there is none. */
  readonly body: string;
}
