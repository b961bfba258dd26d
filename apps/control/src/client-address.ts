// The address of the client, for counting requests. In: a request. Out: a key to count by. The header with the client's address
// is only trusted if the request proves, by the shared secret, that the console sent it.
import { timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

/** Proves that the console forwarded the request. It must never be logged or sent to another service. */
export const CONSOLE_HEADER = "x-plinth-console";

/** An IPv4 address, or the /64 network of an IPv6 address, because a provider gives a whole /64 to one customer. */
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

/** Returns null if the text isn't an address. */
export function addressKey(text: string): string | null {
  if (!ipaddr.isValid(text)) return null;
  // A mapped address (::ffff:192.0.2.1) is the IPv4 address in it.
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().map((byte, index) => (index < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
