// Secrets at rest (guarantee 14): what can be opened, and everything that can't.
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";

describe("a sealed secret", () => {
  const kek = randomBytes(32);
  const box = createSecretBox(kek);
  const plain = Buffer.from("a private key");
  const sealed = box.seal(plain, "prj_1/kid/private");

  it("opens with its key and in its place", () => {
    expect(createSecretBox(kek).open(sealed, "prj_1/kid/private")).toEqual(plain);
    expect(box.seal(plain, "prj_1/kid/private")).not.toBe(sealed);
    expect(sealed).not.toContain(plain.toString("base64url"));
  });

  it("opens nowhere else, with no other key, and not with a changed character", () => {
    expect(() => box.open(sealed, "prj_2/kid/private")).toThrow();
    expect(() => createSecretBox(randomBytes(32)).open(sealed, "prj_1/kid/private")).toThrow("key-encryption key");
    const parts = sealed.split(".");
    for (const at of [2, 3]) {
      const part = parts[at] ?? "";
      const changed = [...parts];
      changed[at] = `${part[0] === "A" ? "B" : "A"}${part.slice(1)}`;
      expect(() => box.open(changed.join("."), "prj_1/kid/private")).toThrow();
    }
    expect(() => box.open("v1.x", "prj_1/kid/private")).toThrow();
    expect(() => createSecretBox(randomBytes(16))).toThrow("32 bytes");
  });
});
