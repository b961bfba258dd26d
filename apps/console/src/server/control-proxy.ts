// The proxy to the control API, at /control/* on this origin. In: any request. Out: the response, streamed. It sets the client's address
// itself. It forwards cookies and the origin unchanged, because the control API checks both. It never follows redirects, caches, or shows
// its secret to the browser.
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import { clientAddress } from "./client-address.ts";
import type { ConsoleConfig } from "./config.ts";

const PREFIX = "/control/";

/** Headers of the connection, not of the request (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade|expect)$/;
/** Headers that only a proxy may set, and headers that this proxy sets. */
const SET_HERE = /^(x-forwarded-.*|forwarded|x-real-ip|x-plinth-.*|host|accept-encoding)$/;

const ANSWER_MS_MAX = 60_000;
/** The limit of the control API. It is checked here, because a response during the upload would be lost with the connection. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;
/** A client that still uploads when the response arrives can continue for this time. Otherwise it would never see the response. */
const LEAVING_MS = 1_000;
const LEAVING_BYTES = 4 * 1024 * 1024;

export interface ControlProxy {
  /** Whether the request is for the control API. */
  takes(incoming: IncomingMessage): boolean;
  forward(incoming: IncomingMessage, outgoing: ServerResponse): void;
  close(): void;
}

export function createControlProxy(config: ConsoleConfig): ControlProxy {
  const control = new URL(config.controlUrl);
  const secure = control.protocol === "https:";
  const agent = new (secure ? SecureAgent : Agent)({ keepAlive: true });
  const send = secure ? secureRequest : request;
  return {
    takes: ({ url }) => url?.startsWith(PREFIX) ?? false,
    close: () => agent.destroy(),
    forward: (incoming, outgoing) => {
      const { headers, socket, method, url = "" } = incoming;
      if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX) return void refuseBody(incoming, outgoing);
      const address = clientAddress(
        socket.remoteAddress ?? "",
        headersNamed(headers, "x-forwarded-for"),
        config.trustedProxies,
      );
      const call = send({
        agent,
        protocol: control.protocol,
        hostname: control.hostname,
        port: control.port,
        method,
        path: `${control.pathname.replace(/\/$/, "")}/${url.slice(PREFIX.length)}`,
        timeout: ANSWER_MS_MAX,
        headers: {
          ...passedOn(headers),
          "x-forwarded-for": address,
          "x-plinth-console": config.consoleSecret,
        },
      });
      call.once("timeout", () => call.destroy(new Error("no response in time")));
      /** Whether the client's response is decided. */
      let isAnswered = false;
      call.once("response", (answer) => {
        isAnswered = true;
        if (incoming.complete) return sendAnswer(incoming, answer, outgoing);
        // The control API has responded early. The rest of the upload would keep a connection open at both ends.
        incoming.unpipe(call);
        outgoing.setHeader("connection", "close");
        outgoing.once("close", () => call.destroy());
        void drain(incoming).then(() => sendAnswer(incoming, answer, outgoing));
      });
      call.once("error", (cause) => {
        if (!isAnswered || outgoing.headersSent) unreachable(outgoing, cause);
      });
      outgoing.once("close", () => {
        if (!outgoing.writableFinished) call.destroy();
      });
      let size = 0;
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= BODY_BYTES_MAX || isAnswered) return;
        isAnswered = true;
        incoming.unpipe(call);
        call.destroy();
        void refuseBody(incoming, outgoing);
      });
      incoming.pipe(call);
    },
  };
}

function sendAnswer(incoming: IncomingMessage, answer: IncomingMessage, outgoing: ServerResponse): void {
  const { "content-length": length, ...headers } = withoutConnection(answer.headers);
  const compress =
    /\bgzip\b/.test(headersNamed(incoming.headers, "accept-encoding") ?? "") &&
    /json/.test(headers["content-type"] ?? "") &&
    incoming.method !== "HEAD" &&
    Number(length ?? Number.POSITIVE_INFINITY) > 1024;
  outgoing.statusCode = answer.statusCode ?? 502;
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) outgoing.setHeader(name, value);
  const ended = (error: NodeJS.ErrnoException | null): void => {
    if (error) outgoing.destroy();
  };
  if (compress) {
    outgoing.setHeader("content-encoding", "gzip");
    outgoing.appendHeader("vary", "accept-encoding");
    pipeline(answer, createGzip({ level: 4 }), outgoing, ended);
  } else {
    if (length !== undefined) outgoing.setHeader("content-length", length);
    pipeline(answer, outgoing, ended);
  }
}

async function refuseBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  await drain(incoming);
  sendProblem(outgoing, 413, "payload_too_large", "The body is too large: at most 2 MiB");
}

/** Discards the rest of a body, up to the limits above. */
function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = LEAVING_BYTES;
    const stop = (): void => {
      clearTimeout(late);
      incoming.off("data", take).off("end", stop).off("close", stop);
      resolve();
    };
    const take = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) stop();
    };
    // A client with `Expect` has sent no body, and won't.
    const late = setTimeout(stop, incoming.headers.expect === undefined ? LEAVING_MS : 0);
    incoming.on("data", take).on("end", stop).on("close", stop).resume();
  });
}

function unreachable(outgoing: ServerResponse, cause: Error): void {
  if (outgoing.destroyed || outgoing.writableEnded) return;
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const line = { level: "error", name: "console", msg: "control API unreachable", code: cause.message };
  process.stderr.write(`${JSON.stringify(line)}\n`);
  sendProblem(outgoing, 502, "control_unreachable", "The control API can't be reached");
}

function sendProblem(outgoing: ServerResponse, status: number, code: string, title: string): void {
  const headers = { "content-type": "application/problem+json", "cache-control": "no-store", connection: "close" };
  outgoing.writeHead(status, headers).end(JSON.stringify({ title, status, code }));
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(withoutConnection(headers)).filter(([name]) => !SET_HERE.test(name));
  return Object.fromEntries(kept);
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.test(name) && !named.includes(name));
  return Object.fromEntries(kept);
}

function headersNamed(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}
