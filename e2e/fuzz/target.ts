// An example application with callers of every kind, and another project whose records they are not allowed to see. In:
// a cell and the example's name. Out: the target of the fuzzer.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject } from "@plinth/testkit";
import type { BareCell } from "../published-cell.ts";
import type { FuzzOptions } from "./fuzz.ts";

export async function openTarget(cell: BareCell, example: string): Promise<Omit<FuzzOptions, "cases" | "seed">> {
  const text = readFileSync(resolve(import.meta.dirname, `../../docs/examples/${example}.yaml`), "utf8");
  const [project, other] = [await cell.addProject(example), await cell.addProject(`${example}-other`)];
  await project.publish(text);
  await other.publish(text);
  const [publishable, secret] = [await project.makeKey("publishable"), await project.makeKey("secret")];
  const visitor = { authorization: `Bearer ${publishable}` };
  const admin = { authorization: `Bearer ${secret}` };
  const stranger = await signUp(cell.origin, { authorization: `Bearer ${await other.makeKey("publishable")}` }, "eve");
  const people = await Promise.all(["ana", "ben"].map((name) => signUp(cell.origin, visitor, name)));
  const [ana, ben] = people.map(({ token }) => ({ ...visitor, "plinth-user-token": token }));
  const reply = await fetch(`${cell.origin}/v1/openapi.json`, { headers: admin });
  const document = (await reply.json()) as JsonObject;
  const made = await fetch(`${cell.origin}/v1/organizations`, {
    method: "POST",
    headers: { ...ana, "content-type": "application/json" },
    body: JSON.stringify({ name: "Acme" }),
  });
  const organization = made.status === 201 ? ((await made.json()) as { data: { id: string } }).data.id : null;
  const within = organization === null ? {} : { "plinth-organization": organization };
  return {
    origin: cell.origin,
    document,
    callers: {
      visitor,
      admin: { ...admin, ...within },
      // The caller with the most rights sends most requests.
      administrator: { ...admin, ...within },
      ana: { ...ana, ...within } as Record<string, string>,
      member: { ...ana, ...within } as Record<string, string>,
      ben: ben ?? visitor,
    },
    foreign: [stranger.id],
    known: [
      ...people.map(({ id }) => ["user", id] as const),
      ["user", stranger.id],
      ...(organization === null ? [] : [["organization", organization] as const]),
    ],
  };
}

async function signUp(
  origin: string,
  credentials: Readonly<Record<string, string>>,
  name: string,
): Promise<{ readonly id: string; readonly token: string }> {
  const reply = await fetch(`${origin}/v1/auth/sign-up`, {
    method: "POST",
    headers: { ...credentials, "content-type": "application/json" },
    body: JSON.stringify({ email: `${name}@example.com`, password: randomBytes(16).toString("hex") }),
  });
  const { data } = (await reply.json()) as { data: { user: { id: string }; access_token: string } };
  return { id: data.user.id, token: data.access_token };
}
