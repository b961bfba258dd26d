export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { Entity, ListOptions, Page } from "./entity.ts";
export {
  Conflict,
  ConnectionFailed,
  type FieldError,
  Forbidden,
  NotFound,
  PlinthError,
  RateLimited,
  Unauthenticated,
  ValidationFailed,
} from "./errors.ts";
export type { Auth, Credentials, Session, User } from "./session.ts";
export type { AnyProject, EntityTypes, ProjectTypes } from "./types.ts";
