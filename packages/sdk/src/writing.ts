// Options of writes, and results of several writes. In: options, replies. Out: parts of a call, results.
import { type PlinthError, problemOf } from "./errors.ts";
import type { Call } from "./transport.ts";

/** Options of a call in addition to its fields. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** The version of the record to write. @throws PreconditionFailed if it has another version now. */
  readonly version?: number;
  /**
   * 1 to 255 characters, kept for 24 hours: with it, the call takes effect once, and is retried if the connection is
   * lost.
   */
  readonly idempotencyKey?: string;
  /** Checks and answers the write without saving it. */
  readonly dryRun?: boolean;
}

export type ManyMode = "all" | "each";

/** For several records at once; a key is only possible with `mode: "all"`. */
export interface ManyOptions<Mode extends ManyMode = ManyMode> extends Omit<WriteOptions, "version" | "dryRun"> {
  /** `all`, the default: all or none, in one transaction. `each`: each on its own. */
  readonly mode?: Mode;
}

/** The result of one of several writes: `error` is what the same single write would have thrown. */
export type Result<Item> =
  | { readonly ok: true; readonly data: Item }
  | { readonly ok: false; readonly error: PlinthError };

/** The results for several written records. */
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

/** @param parameters Query parameters in addition to those of the options. */
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
    // The version part of an ETag.
    ...(version !== undefined && { headers: { "if-match": `"${version}-any"` } }),
  };
}
