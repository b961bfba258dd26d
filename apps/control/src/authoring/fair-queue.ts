// The order in which blueprints are read. In: a person, and the organization that they act for. Out: a turn, or a refusal. It
// never gives one party all turns while another waits, and the queue has a limit.

export interface Party {
  /** Null if the service acts by itself. */
  readonly personId: string | null;
  /** Null if no organization is named. */
  readonly organizationId: string | null;
}

export interface FairQueueOptions {
  /**
   * Turns at the same time. One party can use all of them except one. If there is only one, the parties take it one after the
   * other.
   */
  readonly turnsMax: number;
  readonly waitingMax: number;
  readonly waitingPerPartyMax: number;
  readonly waitMsMax: number;
  /** The work that a party can save up, in milliseconds. Each millisecond restores half a millisecond. */
  readonly shareMsMax: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** Ends a turn, and charges the time that it took. */
export type EndTurn = () => void;

export interface FairQueue {
  /** @throws Busy */
  enter(party: Party): Promise<EndTurn>;
}

/** The request was not started. `ownShare`: the party has used up its own share. Otherwise everybody has to wait. */
export class Busy extends Error {
  readonly ownShare: boolean;

  constructor(message: string, ownShare: boolean) {
    super(message);
    this.name = "Busy";
    this.ownShare = ownShare;
  }
}

/** The part of a millisecond that a party gets back in each. */
const REFILL = 0.5;

interface Account {
  /** Milliseconds of work left at the time `at`. Below zero after a long turn. */
  left: number;
  at: number;
  running: number;
  waiting: number;
}

interface Waiting {
  readonly accounts: readonly Account[];
  readonly begin: () => void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { turnsMax, shareMsMax, clock } = options;
  const perParty = Math.max(1, turnsMax - 1);
  const accounts = new Map<string, Account>();
  const waiting: Waiting[] = [];
  let running = 0;

  const settle = (account: Account): Account => {
    const now = clock();
    account.left = Math.min(shareMsMax, account.left + (now - account.at) * REFILL);
    account.at = now;
    return account;
  };
  const accountsOf = ({ personId, organizationId }: Party): readonly Account[] =>
    [personId, organizationId]
      .filter((id) => id !== null)
      .map((id) => {
        const known = accounts.get(id) ?? { left: shareMsMax, at: clock(), running: 0, waiting: 0 };
        accounts.set(id, known);
        return settle(known);
      });
  const forgetIdle = (): void => {
    for (const [id, account] of accounts) {
      const idle = account.running === 0 && account.waiting === 0;
      if (idle && settle(account).left >= shareMsMax) accounts.delete(id);
    }
  };

  const mayBegin = (parties: readonly Account[]): boolean =>
    running < turnsMax && parties.every((account) => account.running < perParty);

  /** Among the parties that can begin, the one with the most left; among equals, the first. */
  const next = (): Waiting | undefined =>
    waiting
      .filter((one) => mayBegin(one.accounts))
      .map((one) => ({ one, left: Math.min(...one.accounts.map((account) => settle(account).left)) }))
      .reduce<{ one: Waiting; left: number } | undefined>(
        (best, each) => (best === undefined || each.left > best.left ? each : best),
        undefined,
      )?.one;

  const begin = (parties: readonly Account[]): EndTurn => {
    const began = clock();
    running++;
    for (const account of parties) account.running++;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      running--;
      for (const account of parties) {
        account.running--;
        settle(account).left -= clock() - began;
      }
      forgetIdle();
      for (let one = next(); one !== undefined; one = next()) one.begin();
    };
  };

  return {
    enter: async (party) => {
      const parties = accountsOf(party);
      const least = Math.min(...parties.map((account) => account.left));
      if (least <= 0) throw new Busy(usedUp(Math.ceil((1_000 - least) / REFILL / 1_000)), true);
      if (mayBegin(parties) && next() === undefined) return begin(parties);
      if (parties.some((account) => account.waiting >= options.waitingPerPartyMax)) throw new Busy(TOO_MANY, true);
      if (waiting.length >= options.waitingMax) throw new Busy(BUSY, false);
      return await new Promise<EndTurn>((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          waiting.splice(waiting.indexOf(one), 1);
          for (const account of parties) account.waiting--;
        };
        const one: Waiting = {
          accounts: parties,
          begin: () => {
            leave();
            resolve(begin(parties));
          },
        };
        const timer = setTimeout(() => {
          leave();
          reject(new Busy(BUSY, false));
        }, options.waitMsMax);
        for (const account of parties) account.waiting++;
        waiting.push(one);
      });
    },
  };
}

const BUSY = "Plinth is busy reading other blueprints. Try again in a few seconds.";
const TOO_MANY = "Too many of your blueprints are being read. Wait until one of them is done.";

function usedUp(seconds: number): string {
  return `Your blueprints have used up their share of computing time. Try again in ${seconds} s.`;
}
