import { Writable } from "node:stream";
import fastify from "fastify";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigError, createLogger, Fault, faultCatalogue, healthRoutes, readConfig, toProblem } from "./index.ts";

describe("configuration", () => {
  const schema = z.object({
    PORT: z.coerce.number().int().min(1).max(65_535).default(4000),
    SECRET: z.string().min(32),
    MODE: z.enum(["web", "all"]).optional(),
  });

  test("is read with defaults, and an empty variable counts as missing", () => {
    const secret = "x".repeat(32);
    expect(readConfig(schema, { SECRET: secret, MODE: "", OTHER: "ignored" })).toEqual({ PORT: 4000, SECRET: secret });
  });

  test("names all mistakes at once, and repeats no value", () => {
    const read = () => readConfig(schema, { PORT: "99999", SECRET: "hunter2", MODE: "none-of-them" });
    expect(read).toThrow(ConfigError);
    const text = String(capture(read));
    for (const name of ["PORT", "SECRET", "MODE"]) expect(text).toContain(`  ${name}: `);
    expect(text).not.toMatch(/hunter2|99999|none-of-them/);
    expect(String(capture(() => readConfig(schema, {})))).toContain("SECRET: is required");
  });
});

describe("a fault", () => {
  test("becomes a problem document without its cause", () => {
    const fault = new Fault("validation_failed", {
      detail: "Two fields are wrong.",
      errors: [{ path: "/name", code: "too_long", message: "at most 10 characters" }],
      cause: new Error("column secret_internal_name"),
    });
    const problem = toProblem(fault, "req_1");
    expect(problem).toEqual({
      type: "https://plinth.dev/problems/validation_failed",
      title: "The input is not valid",
      status: 422,
      detail: "Two fields are wrong.",
      code: "validation_failed",
      request_id: "req_1",
      errors: [{ path: "/name", code: "too_long", message: "at most 10 characters" }],
    });
    expect(JSON.stringify(toProblem(new Fault("internal", { cause: new Error("boom") }), "r"))).toBe(
      '{"type":"https://plinth.dev/problems/internal","title":"An error occurred on the server","status":500,"code":"internal","request_id":"r"}',
    );
  });

  test("has its own status and title for every code", () => {
    const titles = Object.values(faultCatalogue).map((entry) => entry.title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const { status } of Object.values(faultCatalogue)) expect(status).toBeGreaterThanOrEqual(400);
  });
});

test("logs are one JSON object per line, without secrets", () => {
  let text = "";
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const logger = createLogger({ name: "test", destination });
  const secrets = { authorization: "s3cret", password: "s3cret", apiKey: "s3cret", token: "s3cret" };
  logger.info({ ...secrets, req: { headers: { ...secrets, cookie: "s3cret", "set-cookie": "s3cret" } } }, "hello");
  logger.debug("not at this level");
  expect(text).not.toContain("s3cret");
  expect(JSON.parse(text)).toMatchObject({ level: "info", name: "test", msg: "hello", password: "[redacted]" });
});

test("health: alive in any case, ready only if the check succeeds in time", async () => {
  const app = fastify();
  let ready: () => Promise<string | null> = async () => null;
  healthRoutes(app, { ready: () => ready(), timeoutMs: 50 });
  const get = async (url: string) => {
    const reply = await app.inject(url);
    return [reply.statusCode, reply.json()];
  };
  expect(await get("/readyz")).toEqual([200, { status: "ready" }]);
  ready = async () => "The database is not reachable.";
  expect(await get("/readyz")).toEqual([503, { status: "not_ready", reason: "The database is not reachable." }]);
  ready = () => Promise.reject(new Error("postgres://user:password@host"));
  expect(await get("/readyz")).toEqual([503, { status: "not_ready", reason: "A readiness check failed." }]);
  ready = () => new Promise(() => {});
  expect((await get("/readyz"))[0]).toBe(503);
  expect(await get("/healthz")).toEqual([200, { status: "ok" }]);
  await app.close();
});

function capture(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
