// Structured logs: one JSON object per line, on stdout by default. In: log calls. Out: lines without credentials, which
// are removed by the name of their field. It never prints a field with the name of a secret, down to two levels below
// the top.
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from "pino";
import { logDestination } from "./log-destination.ts";

export type Logger = PinoLogger;
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
export type LoggerOptions = {
  readonly name: string;
  readonly level?: LogLevel;
  readonly destination?: DestinationStream;
};

const STDOUT = 1;

const secretFields = [
  "authorization",
  "Authorization",
  '["proxy-authorization"]',
  "cookie",
  "Cookie",
  '["set-cookie"]',
  '["x-api-key"]',
  "password",
  "secret",
  "token",
  "accessToken",
  "access_token",
  "refreshToken",
  "refresh_token",
  "apiKey",
  "api_key",
  "connectionString",
  "adminPassword",
];

const join = (prefix: string, field: string): string => (field.startsWith("[") ? prefix + field : `${prefix}.${field}`);
const redactedPaths = secretFields.flatMap((field) => [field, join("*", field), join("*.*", field)]);

export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level ?? "info",
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: "[redacted]" },
    base: { pid: process.pid },
  };
  return pino(settings, options.destination ?? logDestination(STDOUT));
}
