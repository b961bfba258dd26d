// Seals secrets at rest: AES-256-GCM with a data key for each secret, which is wrapped by the cell's key-encryption
// key. In: plain bytes and what they belong to. Out: text for a column. It never logs or keeps a plain value.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";

export interface SecretBox {
  /** `context` (project, record, field) is bound to the value: a value moved to another row can't be opened. */
  seal(plain: Buffer, context: string): string;
  /** @throws Error if the text was altered, belongs elsewhere, or was sealed with another key-encryption key. */
  open(sealed: string, context: string): Buffer;
}

/** @param kek 32 bytes. */
export function createSecretBox(kek: Buffer): SecretBox {
  if (kek.length !== 32) throw new Error("the key-encryption key must be 32 bytes");
  const kekId = createHash("sha256").update("plinth-kek").update(kek).digest("hex").slice(0, 8);
  // Node takes three times as long with plain bytes as the key.
  const kekObject = createSecretKey(kek);
  return {
    seal(plain, context) {
      const dataKey = randomBytes(32);
      const wrapped = encrypt(kekObject, dataKey, `key/${context}`);
      return `v1.${kekId}.${wrapped}.${encrypt(createSecretKey(dataKey), plain, context)}`;
    },
    open(sealed, context) {
      const [version, id, wrapped, box] = sealed.split(".");
      if (version !== "v1" || wrapped === undefined || box === undefined) throw new Error("not a sealed secret");
      if (id !== kekId) throw new Error(`sealed under key-encryption key ${id}, not under ${kekId} (PLINTH_KEK)`);
      const dataKey = decrypt(kekObject, wrapped, `key/${context}`);
      return decrypt(createSecretKey(dataKey), box, context);
    },
  };
}

function encrypt(key: KeyObject, plain: Buffer, context: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

function decrypt(key: KeyObject, text: string, context: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
}
