// The runtime's settings. In: environment variables, given by main.ts. Out: typed settings, or one error naming every bad one.
// It never reads the environment itself and never repeats a value.
import { readConfig } from "@plinth/service";
import { z } from "zod";

export interface RuntimeConfig {
  readonly databaseUrl: string;
  readonly apiPort: number;
  readonly apiHost: string;
  readonly internalPort: number;
  readonly internalHost: string;
  /** Shared with control: it authenticates calls to the internal listener and signs approvals. */
  readonly cellSecret: string;
  /** Key-encryption key, 32 bytes. */
  readonly kek: Buffer;
  /** Where apps reach the public API; the issuer of user tokens. */
  readonly publicUrl: string;
  /** Requests per second and burst that each key and each user is allowed. */
  /** For every project, in the place of what its blueprint says; null: that counts. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  /** What releases, and what is derived from them, may take in memory. */
  readonly cacheBytesMax: number;
  readonly parentPid: number | undefined;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
}

const port = (fallback: number): z.ZodType<number, unknown> =>
  z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number")
    .transform(Number)
    .refine((value) => value <= 65_535, "must be a port number")
    .default(fallback);

const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be a whole number above 0")
  .transform(Number);

const schema = z.object({
  CELL_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// address"),
  PLINTH_API_PORT: port(4000),
  PLINTH_API_HOST: z.string().default("0.0.0.0"),
  PLINTH_INTERNAL_PORT: port(4001),
  PLINTH_INTERNAL_HOST: z.string().default("127.0.0.1"),
  PLINTH_CELL_SECRET: z.string().min(32, "must have at least 32 characters"),
  PLINTH_KEK: z
    .string()
    .transform((text) => Buffer.from(text, "base64"))
    .refine((bytes) => bytes.length === 32, "must be 32 bytes in base64"),
  PLINTH_PUBLIC_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  PLINTH_RATE_LIMIT: count.optional(),
  PLINTH_RATE_BURST: count.optional(),
  PLINTH_CACHE_MB: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, "must be a whole number of megabytes above 0")
    .transform(Number)
    .default(128),
  PLINTH_PARENT_PID: z.string().regex(/^\d+$/, "must be a process id").transform(Number).optional(),
  PLINTH_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/** @throws ConfigError */
export function readRuntimeConfig(env: Readonly<Record<string, string | undefined>>): RuntimeConfig {
  const read = readConfig(schema, env);
  return {
    databaseUrl: read.CELL_DATABASE_URL,
    apiPort: read.PLINTH_API_PORT,
    apiHost: read.PLINTH_API_HOST,
    internalPort: read.PLINTH_INTERNAL_PORT,
    internalHost: read.PLINTH_INTERNAL_HOST,
    cellSecret: read.PLINTH_CELL_SECRET,
    kek: read.PLINTH_KEK,
    publicUrl: read.PLINTH_PUBLIC_API_URL ?? `http://127.0.0.1:${read.PLINTH_API_PORT}`,
    rateLimit: rateLimitOf(read.PLINTH_RATE_LIMIT, read.PLINTH_RATE_BURST),
    cacheBytesMax: read.PLINTH_CACHE_MB * 1024 * 1024,
    parentPid: read.PLINTH_PARENT_PID,
    logLevel: read.PLINTH_LOG_LEVEL,
  };
}

/** One of the two alone says the other: a burst of two seconds. */
function rateLimitOf(perSecond: number | undefined, burst: number | undefined): RuntimeConfig["rateLimit"] {
  if (perSecond === undefined && burst === undefined) return null;
  const rate = perSecond ?? Math.ceil((burst ?? 0) / 2);
  return { perSecond: rate, burst: burst ?? rate * 2 };
}
