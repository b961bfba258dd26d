// Control's Ed25519 keys, with which a cell verifies its orders. In: keys as text. Out: key objects, each with its id.
// A private key never leaves control; a cell has only public keys, two of them during a rotation.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";

export interface ControlSigner {
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

/** Key id > public key. */
export type ControlPublicKeys = ReadonlyMap<string, KeyObject>;

/** A new pair as text: PKCS #8 and SPKI (RFC 8410), DER in base64. */
export function newControlKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { format: "der", type: "pkcs8" },
    publicKeyEncoding: { format: "der", type: "spki" },
  });
  return { privateKey: privateKey.toString("base64"), publicKey: publicKey.toString("base64") };
}

/** @throws Error if the text is not an Ed25519 private key; the message doesn't contain the text. */
export function readControlSigner(text: string): ControlSigner {
  const privateKey = keyOf(() =>
    createPrivateKey({ key: Buffer.from(text.trim(), "base64"), format: "der", type: "pkcs8" }),
  );
  return { keyId: keyIdOf(createPublicKey(privateKey)), privateKey };
}

/** @param text Public keys, separated by commas. @throws Error if one is not an Ed25519 public key. */
export function readControlPublicKeys(text: string): ControlPublicKeys {
  const keys = text.split(",").map((each) => {
    const key = Buffer.from(each.trim(), "base64");
    return keyOf(() => createPublicKey({ key, format: "der", type: "spki" }));
  });
  return new Map(keys.map((key) => [keyIdOf(key), key]));
}

function keyOf(read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new Error("must be an Ed25519 key in base64 (DER)");
  }
  if (key.asymmetricKeyType !== "ed25519") throw new Error("must be an Ed25519 key in base64 (DER)");
  return key;
}

/** Computed from the key itself, so that nobody has to choose it. */
function keyIdOf(publicKey: KeyObject): string {
  const bytes = publicKey.export({ format: "der", type: "spki" });
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
