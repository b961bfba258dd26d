// The HTTP routes of better-auth. In: requests under /auth. Out: its responses, without the session's token in the body: only the
// cookie has it, which no script can read. Guesses are limited here, before a password is checked.
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ClientAddress } from "../client-address.ts";
import { type AuthPath, authPaths, CLIENT_IP, type People } from "./auth.ts";
import { storedBackupCode } from "./backup-codes.ts";
import { DEVICE_COOKIE, type Devices } from "./device.ts";
import { refuseForNow } from "./reset-routes.ts";
import type { Admission, SignInGuard } from "./sign-in-guard.ts";

/** Headers of proxies and of the connection. better-auth must not see any of them. */
const NOT_PASSED =
  /^(x-forwarded-.*|forwarded|x-real-ip|x-plinth-.*|host|connection|content-length|transfer-encoding|accept-encoding)$/;

/** A form has a name, an address and two passwords. */
const BODY_BYTES_MAX = 16 * 1024;
const EMAIL_MAX = 254;
const NAME_MAX = 100;

const YEAR_SECONDS = 365 * 24 * 3600;

export interface AuthRoutesOptions {
  readonly people: People;
  readonly guard: SignInGuard;
  readonly devices: Devices;
  readonly clientAddress: ClientAddress;
  readonly controlUrl: string;
  readonly secureCookies: boolean;
  /** Called after a new password, and after all sessions were ended. */
  readonly onSignedOutEverywhere: (personId: string) => Promise<void>;
}

/** The body for better-auth, not yet checked. */
type Body = Readonly<Record<string, unknown>>;

export function authRoutes(app: FastifyInstance, options: AuthRoutesOptions): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "string", bodyLimit: BODY_BYTES_MAX },
      (_request, body, parsed) => parsed(null, body),
    );
    for (const path of authPaths) {
      scope.route({
        method: path === "/get-session" ? "GET" : "POST",
        url: `/auth${path}`,
        handler: (request, reply) => answer(options, path, request, reply),
      });
    }
    done();
  });
}

async function answer(
  options: AuthRoutesOptions,
  path: AuthPath,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = bodyOf(request);
  if (body === "malformed")
    return reply.code(400).send({ code: "MALFORMED_BODY", message: "The body must be a JSON object." });
  if (lengthOf(body.email) > EMAIL_MAX)
    return reply.code(400).send({ code: "INVALID_EMAIL", message: `An email has at most ${EMAIL_MAX} characters.` });
  if (lengthOf(body.name) > NAME_MAX)
    return reply.code(400).send({ code: "INVALID_NAME", message: `A name has at most ${NAME_MAX} characters.` });
  const admission = await admit(options, path, request, body);
  if (admission !== null && admission.waitSeconds > 0) return refuseForNow(reply, admission.waitSeconds);
  const response = await handle(options, path, toRequest(options, path, request, body)).catch(toUnavailable);
  // A sign-up counts whatever its result is, because each result reveals whether there is an account.
  if (path !== "/sign-up/email" && (response.ok || response.status >= 500)) admission?.forgive();
  const text = await response.text();
  const email = response.ok && SIGNS_IN.has(path) ? signedInAs(text) : null;
  if (email !== null) reply.header("set-cookie", deviceCookie(options, email));
  return send(reply, response, text);
}

const SIGNS_IN: ReadonlySet<AuthPath> = new Set([
  "/sign-up/email",
  "/sign-in/email",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
]);

/** Null if a second factor is still required: a device is known after a complete sign-in. */
function signedInAs(text: string): string | null {
  const email = (JSON.parse(text) as { readonly user?: { readonly email?: unknown } } | null)?.user?.email;
  return typeof email === "string" ? email : null;
}

async function handle(options: AuthRoutesOptions, path: AuthPath, request: Request): Promise<Response> {
  const { people, onSignedOutEverywhere } = options;
  if (path !== "/change-password" && path !== "/revoke-sessions") return people.handle(request);
  // The person of the session must be read before the session ends.
  const session = await people.sessionOf(request.headers);
  const response = await people.handle(request);
  if (response.ok && session !== null) await onSignedOutEverywhere(session.person.id);
  return response;
}

function admit(
  { guard, devices, clientAddress }: AuthRoutesOptions,
  path: AuthPath,
  request: FastifyRequest,
  body: Body,
): Promise<Admission> | Admission | null {
  switch (path) {
    case "/sign-in/email": {
      const email = typeof body.email === "string" ? body.email : "";
      const device = devices.known(email, cookieOf(request, DEVICE_COOKIE));
      return guard.signIn({ email, address: clientAddress(request), device });
    }
    case "/sign-up/email":
      return guard.signUp(clientAddress(request));
    // All of these check the password of the signed-in person.
    case "/change-password":
    case "/two-factor/enable":
    case "/two-factor/disable":
    case "/two-factor/generate-backup-codes":
      return guard.changePassword(sessionOf(request));
    case "/two-factor/verify-totp":
    case "/two-factor/verify-backup-code":
      return guard.code(clientAddress(request));
    default:
      return null;
  }
}

/** In the form of better-auth's own refusals, without its cookies, so that nothing looks successful. */
function toUnavailable(error: unknown): Response {
  if (!(error instanceof Fault) || error.code !== "unavailable") throw error;
  return Response.json({ code: "UNAVAILABLE", message: error.message }, { status: 503, headers: error.headers });
}

function deviceCookie({ devices, secureCookies }: AuthRoutesOptions, email: string): string {
  const value = `${DEVICE_COOKIE}=${devices.issue(email)}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`;
  return secureCookies ? `${value}; Secure` : value;
}

function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().replace(/^__Secure-/, ""));
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The session that a cookie names, with any escaping, not yet checked. */
function sessionOf(request: FastifyRequest): string {
  // Parsed as a parameter, because a malformed escape then doesn't throw.
  const cookie = cookieOf(request, "plinth.session_token")?.replaceAll("+", "%2B").replaceAll("&", "%26") ?? "";
  return new URLSearchParams(`token=${cookie}`).get("token")?.split(".")[0]?.slice(0, 64) ?? "";
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}

function bodyOf(request: FastifyRequest): Body | "malformed" {
  if (request.method === "GET") return {};
  try {
    const body: unknown = JSON.parse((request.body as string | undefined) || "{}");
    return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Body) : "malformed";
  } catch {
    return "malformed";
  }
}

function toRequest(options: AuthRoutesOptions, path: AuthPath, request: FastifyRequest, body: Body): Request {
  const headers = toHeaders(request);
  headers.set(CLIENT_IP, options.clientAddress(request).replace(/\/64$/, ""));
  const url = `${options.controlUrl}${request.url}`;
  if (request.method === "GET") return new Request(url, { method: "GET", headers });
  headers.set("content-type", "application/json");
  return new Request(url, { method: "POST", headers, body: JSON.stringify(allowedBody(path, body)) });
}

/** The parts of a body that better-auth gets. No field of it can keep other sessions or skip a later code. */
function allowedBody(path: AuthPath, body: Body): Body {
  switch (path) {
    case "/change-password":
      return { ...body, revokeOtherSessions: true };
    case "/two-factor/verify-totp":
      return { code: typeof body.code === "string" ? body.code.trim().slice(0, 64) : "" };
    case "/two-factor/verify-backup-code":
      return { code: typeof body.code === "string" ? storedBackupCode(body.code.slice(0, 64)) : "" };
    case "/two-factor/enable":
      return { password: body.password, method: "totp" };
    default:
      return body;
  }
}

/** The headers for fetch, without those of proxies. */
export function toHeaders(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || NOT_PASSED.test(name)) continue;
    for (const item of Array.isArray(value) ? value : [value]) headers.append(name, item);
  }
  return headers;
}

async function send(reply: FastifyReply, response: Response, text: string): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie" && name !== "content-length") reply.header(name, value);
  }
  for (const cookie of response.headers.getSetCookie()) reply.header("set-cookie", cookie);
  const isJson = (response.headers.get("content-type") ?? "").includes("application/json");
  return reply.send(isJson && text !== "" ? withoutToken(text) : text);
}

function withoutToken(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => (name === "token" ? undefined : value));
}
