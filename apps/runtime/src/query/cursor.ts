// Seals and opens the cursors of lists. In: the sort values of a page's last row, as Postgres wrote them. Out: opaque
// text. A cursor only opens for its own list. It never shows its values, because they may belong to rows that are
// hidden now.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from "node:crypto";
import { ByteCache } from "@plinth/service";

export type CursorKey = readonly (string | null)[];

export interface CursorCodec {
  /** `list` names the list that the cursor belongs to: project, entity, filter and sort. */
  seal(key: CursorKey, list: string): string;
  /** Null if the text is not a cursor of this list. */
  open(text: string, list: string): CursorKey | null;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CURSOR_CHARS_MAX = 8192;
/** For recently sealed cursors: most requests for a page repeat a recent request of somebody else. */
const SEALED_BYTES_MAX = 1_000_000;

/** `secret` must be the same on every replica. If it changes, all cursors become invalid. */
export function createCursorCodec(secret: string | Uint8Array): CursorCodec {
  if (secret.length < 16) throw new Error("the secret of the cursors is shorter than 16 bytes");
  // A key object, because Node would convert bytes to a key for each cursor.
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "plinth cursor v1", 32)));

  const sealed = new ByteCache<string, string>({
    bytesMax: SEALED_BYTES_MAX,
    weigh: (text, name) => text.length + name.length,
  });
  const seal = (plain: string, list: string): string => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(list));
    const bytes = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final()]);
    return Buffer.concat([bytes, cipher.getAuthTag()]).toString("base64url");
  };

  return {
    seal(values, list) {
      const plain = JSON.stringify(values);
      const name = `${list} ${plain}`;
      const known = sealed.get(name);
      if (known !== undefined) return known;
      const sealedText = seal(plain, list);
      sealed.set(name, sealedText);
      return sealedText;
    },
    open(text, list) {
      if (text.length > CURSOR_CHARS_MAX || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(list)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
        // Authenticated, so it is what `seal` wrote.
        return JSON.parse(plain.toString("utf8")) as CursorKey;
      } catch {
        return null;
      }
    },
  };
}
