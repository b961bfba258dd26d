// The configuration of the console's server. In: environment variables, passed by `main.ts`. Out: a typed configuration.
import { BlockList, isIP, isIPv4 } from "node:net";

export interface ConsoleConfig {
  readonly port: number;
  readonly host: string;
  /** The address of the control API for the console's server, without a slash at the end. */
  readonly controlUrl: string;
  /** Proves to the control API that a request comes from the console. */
  readonly consoleSecret: string;
  /** Proxies in front of the console that may forward the client's address. */
  readonly trustedProxies: BlockList;
}

/** @throws An error that names every missing or wrong variable, and repeats no value. */
export function consoleConfig(env: Readonly<Record<string, string | undefined>>): ConsoleConfig {
  const problems: string[] = [];
  const port = Number(env.PLINTH_CONSOLE_PORT ?? "3000");
  if (!Number.isInteger(port) || port < 0 || port > 65535) problems.push("PLINTH_CONSOLE_PORT must be a port");
  const controlUrl = (env.PLINTH_CONTROL_URL ?? "http://127.0.0.1:4100").replace(/\/+$/, "");
  if (!/^https?:\/\//.test(controlUrl) || !URL.canParse(controlUrl)) problems.push("PLINTH_CONTROL_URL must be a URL");
  const consoleSecret = env.PLINTH_CONSOLE_SECRET ?? "";
  if (consoleSecret.length < 32) problems.push("PLINTH_CONSOLE_SECRET must have at least 32 characters");
  const trustedProxies = parseProxies(env.PLINTH_TRUSTED_PROXIES ?? "");
  if (trustedProxies === null)
    problems.push("PLINTH_TRUSTED_PROXIES must list addresses or networks, such as 10.0.0.0/8, 2001:db8::/32");
  if (problems.length > 0 || trustedProxies === null)
    throw new Error(`the console can't start: ${problems.join("; ")}`);
  return { port, host: env.PLINTH_CONSOLE_HOST ?? "127.0.0.1", controlUrl, consoleSecret, trustedProxies };
}

/** Null if an entry is neither an address nor a network. */
export function parseProxies(text: string): BlockList | null {
  const list = new BlockList();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [address = "", bits, ...rest] = entry.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const most = family === "ipv4" ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    const valid = isIP(address) !== 0 && rest.length === 0 && bits !== "" && Number.isInteger(prefix);
    if (!valid || prefix < 0 || prefix > most) return null;
    list.addSubnet(address, prefix, family);
  }
  return list;
}
