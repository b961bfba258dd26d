// Secrets of 256 random bits, and their stored form. With so many bits, SHA-256 is enough.
import { createHash, randomBytes } from "node:crypto";

const TOKEN_PREFIX = "plt_";

export function newAccessToken(): string {
  return TOKEN_PREFIX + newSecret();
}

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function storedForm(secret: string): string {
  return `sha256:${createHash("sha256").update(secret).digest("hex")}`;
}

/** The access token in an `Authorization` header, or null. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer (plt_[\w-]{43})$/i.exec(header ?? "")?.[1] ?? null;
}
