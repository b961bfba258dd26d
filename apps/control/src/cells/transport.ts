// Sends calls to a cell. In: a cell, method, path and body. Out: the response, or the reason why there is none. It never retries,
// because only the caller knows which calls can be repeated.
import { createHash, randomUUID } from "node:crypto";
import type { ControlSigner } from "@plinth/bundle";
import {
  ASSERTION_ALGORITHM,
  ASSERTION_HEADER,
  ASSERTION_SECONDS_MAX,
  type AssertionClaims,
} from "@plinth/bundle/cell";
import { SignJWT } from "jose";
import type { z } from "zod";
import { CellUnavailable, refusal } from "./failures.ts";

/** A project and its cell. */
export interface Placement {
  readonly id: string;
  readonly slug: string;
  readonly cellId: string;
  readonly cellUrl: string;
}

export interface Call {
  readonly method: string;
  /** Path and query string. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The person or part of control on whose behalf the call is made, for calls that need control's signature. */
  readonly as?: OnBehalf | undefined;
  /** When to abort, instead of the default timeout. */
  readonly signal?: AbortSignal;
}

export interface OnBehalf {
  readonly subject: string;
  readonly role: AssertionClaims["role"];
}

export interface TransportOptions {
  readonly signer: ControlSigner;
  readonly secret: string;
  readonly timeoutMs: number;
}

export interface Transport {
  /** @throws CellRefused, CellUnavailable */
  send(project: Placement, call: Call): Promise<Response>;
  /** The JSON of the response. Null if it is empty. @throws CellRefused, CellUnavailable */
  ask(project: Placement, call: Call): Promise<unknown>;
}

export function createTransport({ signer, secret, timeoutMs }: TransportOptions): Transport {
  /** A short-lived token for only this call: a cell accepts it once, and with no other method, target or body. */
  const assertion = (project: Placement, { subject, role }: OnBehalf, target: string, call: Call): Promise<string> => {
    const body = createHash("sha256")
      .update(call.body ?? "")
      .digest("hex");
    const claims: AssertionClaims = { role, prj: project.id, htm: call.method, target, body };
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ASSERTION_ALGORITHM, kid: signer.keyId })
      .setAudience(project.cellId)
      .setJti(randomUUID())
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(`${ASSERTION_SECONDS_MAX / 2}s`)
      .sign(signer.privateKey);
  };

  const send: Transport["send"] = async (project, call) => {
    const { method, body, as } = call;
    const target = targetOf(call.path);
    const response = await reached(
      fetch(project.cellUrl + target, {
        method,
        headers: {
          authorization: `Bearer ${secret}`,
          ...call.headers,
          ...(as === undefined ? {} : { [ASSERTION_HEADER]: await assertion(project, as, target, call) }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        redirect: "error",
        signal: call.signal ?? AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      }),
    );
    if (response.ok) return response;
    const text = await reached(response.text());
    if (response.status >= 500 || response.status === 429) throw new CellUnavailable(new Error(`${response.status}`));
    throw refusal(response.status, text);
  };

  return {
    send,
    ask: async (project, call) => {
      const response = await send(project, call);
      const text = await reached(response.text());
      return text === "" ? null : parseJson(text);
    },
  };
}

/** A cell with another version of the protocol counts as unavailable. */
export function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const result = schema.safeParse(answer);
  if (!result.success) throw new CellUnavailable(result.error);
  return result.data;
}

/** @throws CellUnavailable if there is no response. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new CellUnavailable(error);
  }
}

/** In the form in which a client sends it. */
function targetOf(path: string): string {
  const { pathname, search } = new URL(`http://cell${path}`);
  return pathname + search;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CellUnavailable(error);
  }
}
