// Backup codes of the second factor. Out: new codes, and a typed code in its stored form: people leave out dashes, add spaces, or
// type capital letters. It never stores or compares codes.
import { randomInt } from "node:crypto";

const CODES = 10;
/** Without 0, 1, l and o, which look alike: 12 of 32 characters are 60 bits. */
const CHARACTERS = "abcdefghijkmnpqrstuvwxyz23456789";
const LENGTH = 12;
/** Codes of earlier versions have ten characters, and capital letters are different ones. */
const EARLIER_LENGTH = 10;

export function newBackupCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const characters = Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]);
    return storedBackupCode(characters.join(""));
  });
}

export function storedBackupCode(typed: string): string {
  const characters = typed.replaceAll(/[^A-Za-z0-9]/g, "");
  if (characters.length === EARLIER_LENGTH) return `${characters.slice(0, 5)}-${characters.slice(5)}`;
  return characters.toLowerCase().replaceAll(/(.{4})(?=.)/g, "$1-");
}
