// The HTTP routes for programs that sign in: RFC 8628, sections 3.1 to 3.5. In: forms without a cookie. Out: codes, then a token,
// as JSON. The approval is in the console's procedures.
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ClientAddress } from "../client-address.ts";
import type { Attempts } from "../people/attempts.ts";
import type { DeviceGrants } from "./device-grants.ts";

export interface DeviceRoutesOptions {
  readonly grants: DeviceGrants;
  readonly clientAddress: ClientAddress;
  readonly consoleUrl: string;
  /** New grants, by address. */
  readonly begun: Attempts;
}

/** The only client. It is public: any program can use it. */
const CLIENT_ID = "plinth-cli";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const BODY_BYTES_MAX = 4 * 1024;
const NAME_MAX = 100;

export function deviceRoutes(app: FastifyInstance, options: DeviceRoutesOptions): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: BODY_BYTES_MAX },
      (_request, body, parsed) => parsed(null, new URLSearchParams(body as string)),
    );
    scope.post("/device/code", (request, reply) => begin(options, request, reply));
    scope.post("/device/token", (request, reply) => poll(options, request, reply));
    done();
  });
}

async function begin(
  { grants, clientAddress, consoleUrl, begun }: DeviceRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request);
  if (form.get("client_id") !== CLIENT_ID) return refuse(reply, "invalid_client", "There is no such client.");
  const deviceName = readableName(form.get("device_name") ?? "");
  const address = clientAddress(request);
  const { waitSeconds } = begun.take(address);
  if (waitSeconds > 0) throw new Fault("rate_limited", { headers: { "retry-after": String(waitSeconds) } });
  const started = await grants.start({ deviceName, address });
  if (started === null) throw new Fault("unavailable");
  const page = `${consoleUrl}/device`;
  return reply.send({
    device_code: started.deviceCode,
    user_code: started.userCode,
    verification_uri: page,
    // In the fragment, so that the code is never logged with the address.
    verification_uri_complete: `${page}#${started.userCode}`,
    expires_in: started.expiresInSeconds,
    interval: started.intervalSeconds,
  });
}

async function poll(
  { grants }: DeviceRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request);
  if (form.get("grant_type") !== GRANT_TYPE) {
    return refuse(reply, "unsupported_grant_type", `The grant type must be ${GRANT_TYPE}.`);
  }
  if (form.get("client_id") !== CLIENT_ID) return refuse(reply, "invalid_client", "There is no such client.");
  const code = form.get("device_code") ?? "";
  if (code === "") return refuse(reply, "invalid_request", "The device code is missing.");
  const outcome = await grants.poll(code);
  if (typeof outcome === "string") return refuse(reply, outcome, outcome.replaceAll("_", " "));
  return reply.send({ access_token: outcome.token, token_type: "Bearer", expires_in: outcome.expiresInSeconds });
}

function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

function refuse(reply: FastifyReply, error: string, description: string): FastifyReply {
  return reply.code(400).send({ error, error_description: description });
}

/** A person decides by this name, so it has one line, and no control or bidirectional characters. */
function readableName(given: string): string {
  const name = given
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, NAME_MAX);
  return name === "" ? "unnamed device" : name;
}
