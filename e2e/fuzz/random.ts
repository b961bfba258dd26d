// Random numbers from a seed. In: a seed. Out: a source of choices, the same for the same seed.

export interface Random {
  /** 0 to `below`, exclusive. */
  readonly int: (below: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** @param part The probability, from 0 to 1. */
  readonly chance: (part: number) => boolean;
}

/** mulberry32, https://github.com/cprosche/mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return { int, pick: (items) => items[int(items.length)]!, chance: (part) => next() < part };
}
