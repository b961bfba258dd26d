// Looks up many unknown keys in one statement. In: hashes, from addresses that have sent too many wrong ones. Out:
// keys. It asks the database at most once per period, and never lets one address fill a batch.
import { FairShare, Fault } from "@plinth/service";

export interface KeyBatch<Key> {
  /** @throws Fault `rate_limited` if the address has too many keys waiting. */
  find(hash: string, network: string): Promise<Key | null>;
}

interface Waiting<Key> {
  readonly hash: string;
  readonly resolve: (key: Key | null) => void;
  readonly reject: (error: unknown) => void;
}

const PERIOD_MS = 100;
const BATCH_MAX = 200;
/** For one address. Further keys are not looked up. */
const WAITING_MAX = 400;

/** @param load Returns the keys among these hashes. */
export function createKeyBatch<Key>(
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Key>>,
): KeyBatch<Key> {
  const share = new FairShare<Waiting<Key>>();
  let isDue = false;

  const look = async (): Promise<void> => {
    const batch: Waiting<Key>[] = [];
    for (let next = share.next(() => true); next !== null; next = share.next(() => true)) {
      batch.push(next);
      if (batch.length === BATCH_MAX) break;
    }
    try {
      const found = await load([...new Set(batch.map(({ hash }) => hash))]);
      for (const { hash, resolve } of batch) resolve(found.get(hash) ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    isDue = false;
    if (share.size > 0) schedule();
  };

  const schedule = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => void look(), PERIOD_MS);
  };

  return {
    find(hash, network) {
      if (share.waitingOf(network) >= WAITING_MAX) throw tooMany();
      return new Promise((resolve, reject) => {
        share.push(network, { hash, resolve, reject });
        share.charge(network, 1);
        schedule();
      });
    },
  };
}

function tooMany(): Fault {
  return new Fault("rate_limited", {
    detail: "Too many unknown credentials came from this address.",
    headers: { "retry-after": "1" },
  });
}
