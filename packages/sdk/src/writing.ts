// What a write is given beside its fields, and what becomes of each of several. In: options, replies. Out: parts of a call, results.
import { type PlinthError, problemOf } from "./errors.ts";
import type { Call } from "./transport.ts";

/** What a call may be given beside its fields. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** The version of the record that the write is for. @throws PreconditionFailed where it has another one by now. */
  readonly version?: number;
  /** 1 to 255 characters, kept for 24 hours: with it, the call has its effect once, and is tried again where the connection is lost. */
  readonly idempotencyKey?: string;
  /** Judges the write and answers as it would be, and keeps nothing of it. */
  readonly dryRun?: boolean;
}

export type ManyMode = "all" | "each";

/** Of several records at once; a key goes with `mode: "all"` only. */
export interface ManyOptions<Mode extends ManyMode = ManyMode> extends Omit<WriteOptions, "version" | "dryRun"> {
  /** `all`, the default: all or none, in one transaction. `each`: each by itself. */
  readonly mode?: Mode;
}

/** What became of one of several: `error` is what the same write by itself would have thrown. */
export type Result<Item> =
  | { readonly ok: true; readonly data: Item }
  | { readonly ok: false; readonly error: PlinthError };

/** What each of several written records is answered with. */
export type Written<Item, Mode extends ManyMode> = Mode extends "each" ? Result<Item> : Item;

interface Outcome {
  readonly status: number;
  readonly data?: unknown;
  readonly error?: object;
}

export function outcomesOf(data: unknown): readonly Result<unknown>[] {
  return (data as readonly Outcome[]).map(({ status, data: item, error }) =>
    error === undefined ? { ok: true, data: item } : { ok: false, error: problemOf(status, { ...error }, null) },
  );
}

export function endOf({ signal }: CallOptions = {}): Pick<Call, "signal"> {
  return signal === undefined ? {} : { signal };
}

/** @param parameters Of the query string, beside those of the options. */
export function writeOf(
  options: WriteOptions & ManyOptions = {},
  parameters: Readonly<Record<string, string>> = {},
): Pick<Call, "signal" | "idempotencyKey" | "headers" | "query"> {
  const { version, idempotencyKey, dryRun, mode } = options;
  return {
    ...endOf(options),
    query: new URLSearchParams({
      ...parameters,
      ...(mode !== undefined && { mode }),
      ...(dryRun === true && { dry_run: "true" }),
    }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    // Of an ETag the version is the part that counts.
    ...(version !== undefined && { headers: { "if-match": `"${version}-any"` } }),
  };
}
