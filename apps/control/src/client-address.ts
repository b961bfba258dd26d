// Whose request it is, by address. In: a request. Out: the address of the client, as a key to count by. What a request says
// about its client counts only where it proves, by the secret they share, that the console sent it.
import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/** Proves that the console forwarded the request. It must reach neither a log nor another service. */
export const CONSOLE_HEADER = "x-plinth-console";

/** An IPv4 address, or the /64 network of an IPv6 address: one customer of a provider has all of it. */
export type ClientAddress = (request: FastifyRequest) => string;

export function createClientAddress(consoleSecret: string): ClientAddress {
  const expected = Buffer.from(consoleSecret);
  return ({ headers, socket }) => {
    const given = Buffer.from(String(headers[CONSOLE_HEADER] ?? ""));
    const fromConsole = given.length === expected.length && timingSafeEqual(given, expected);
    const forwarded = fromConsole ? addressKey(String(headers["x-forwarded-for"] ?? "")) : null;
    return forwarded ?? addressKey(socket.remoteAddress ?? "") ?? "unknown";
  };
}

/** Null where the text is no address. */
export function addressKey(text: string): string | null {
  if (!ipaddr.isValid(text)) return null;
  // A mapped address (::ffff:192.0.2.1) is the IPv4 address in it.
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().map((byte, index) => (index < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
