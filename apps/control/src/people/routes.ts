// The HTTP door to better-auth. In: requests under /auth. Out: its answers, without the session's token in the body:
// the cookie alone carries it, where no script can read it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authPaths, CLIENT_IP, type People } from "./auth.ts";

/** What a proxy before us says, or what belongs to the one connection: none of it may reach better-auth. */
const NOT_PASSED =
  /^(x-forwarded-.*|forwarded|x-real-ip|host|connection|content-length|transfer-encoding|accept-encoding)$/;

export function authRoutes(app: FastifyInstance, people: People, controlUrl: string): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, parsed) =>
      parsed(null, body),
    );
    for (const path of authPaths) {
      scope.route({
        method: path === "/get-session" ? "GET" : "POST",
        url: `/auth${path}`,
        handler: async (request, reply) => send(reply, await people.handle(toRequest(request, controlUrl))),
      });
    }
    done();
  });
}

function toRequest(request: FastifyRequest, controlUrl: string): Request {
  const headers = toHeaders(request);
  headers.set(CLIENT_IP, request.ip);
  const body = request.method === "GET" ? null : (request.body as string | undefined) || "{}";
  if (body !== null) headers.set("content-type", "application/json");
  return new Request(`${controlUrl}${request.url}`, { method: request.method, headers, body });
}

/** The headers as fetch knows them, without what proxies say. */
export function toHeaders(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || NOT_PASSED.test(name)) continue;
    for (const item of Array.isArray(value) ? value : [value]) headers.append(name, item);
  }
  return headers;
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie" && name !== "content-length") reply.header(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("application/json");
  return reply.send(isJson && text !== "" ? withoutToken(text) : text);
}

function withoutToken(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => (name === "token" ? undefined : value));
}
