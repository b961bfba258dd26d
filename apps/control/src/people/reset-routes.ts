// The HTTP routes of a forgotten password, for somebody who is signed out. In: JSON bodies. Out: refusals in the form of better-auth,
// or an empty answer that is the same for all addresses.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ClientAddress } from "../client-address.ts";
import { isBusy, type PasswordResets } from "./password-reset.ts";

const BODY_BYTES_MAX = 4 * 1024;
const requestBody = z.object({ email: z.email().max(254) });
const useBody = z.object({ token: z.string().min(1).max(200), password: z.string() });
const PASSWORD_MIN = 8;
const PASSWORD_MAX = 256;

export interface ResetRoutesOptions {
  readonly resets: PasswordResets;
  readonly clientAddress: ClientAddress;
}

export function resetRoutes(app: FastifyInstance, { resets, clientAddress }: ResetRoutesOptions): void {
  app.get("/auth/password-reset", (_request, reply) => reply.send({ mail: resets.mail }));
  app.post("/auth/password-reset/request", { bodyLimit: BODY_BYTES_MAX }, (request, reply) => {
    const body = requestBody.safeParse(request.body);
    if (!body.success) return refuse(reply, 400, "INVALID_EMAIL", "This is not a valid email address.");
    const waitSeconds = resets.request(body.data.email, clientAddress(request));
    return waitSeconds > 0 ? refuseForNow(reply, waitSeconds) : reply.send({});
  });
  app.post("/auth/password-reset", { bodyLimit: BODY_BYTES_MAX }, (request, reply) =>
    use(resets, clientAddress(request), request, reply),
  );
}

async function use(
  resets: PasswordResets,
  address: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = useBody.safeParse(request.body);
  if (!body.success) return refuse(reply, 400, "MALFORMED_BODY", "The body needs a token and a password.");
  const { token, password } = body.data;
  if (password.length < PASSWORD_MIN) return refuse(reply, 400, "PASSWORD_TOO_SHORT", "The password is too short.");
  if (password.length > PASSWORD_MAX) return refuse(reply, 400, "PASSWORD_TOO_LONG", "The password is too long.");
  try {
    const outcome = await resets.use(token, password, address);
    if (outcome === "done") return reply.send({});
    if (outcome !== "not_open") return refuseForNow(reply, outcome.waitSeconds);
    const message = "This link is not open: it was used, or it has expired. Ask for a new one.";
    return refuse(reply, 400, "LINK_NOT_OPEN", message);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return refuse(reply, 503, "UNAVAILABLE", "Too many people are signing in at the moment.");
  }
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ code, message });
}

/** Also for `routes.ts`. */
export function refuseForNow(reply: FastifyReply, seconds: number): FastifyReply {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  reply.header("retry-after", String(seconds));
  return refuse(reply, 429, "TOO_MANY_ATTEMPTS", `Too many attempts. Try again in ${wait}.`);
}
