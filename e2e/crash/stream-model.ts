// What a subscriber must be told, compared with what they were told. In: the history of each record as triggers in the database
// wrote it, and the events that a subscriber received. Out: what was missed, doubled, out of order, or not theirs to see.
// It asks nothing of the service: the history is written in the transaction of each change, so a rolled-back one leaves none.

/** A row as the database has it; null once it is deleted for good. */
export type Row = Readonly<Record<string, unknown>> | null;

/** The states of each record, oldest first. */
export type History = ReadonlyMap<string, readonly Row[]>;

/** An event as a subscriber received it: `gone`, or the version of the record that it carried. */
export type Told = "gone" | number;

export interface Verdict {
  readonly expected: number;
  readonly missed: number;
  /** Twice, out of order, or never theirs to see. */
  readonly unexpected: number;
  /** A few of them in words. */
  readonly examples: readonly string[];
}

/**
 * Each change that a subscriber may see is told once and in order. One change may be left out: the content of a record that was
 * visible when it was written, and was lost sight of before it could be told.
 *
 * @param sees The read rule and the filters of the subscriber.
 */
export function judgeTold(
  history: History,
  told: ReadonlyMap<string, readonly Told[]>,
  sees: (row: NonNullable<Row>) => boolean,
): Verdict {
  let expected = 0;
  let missed = 0;
  let unexpected = 0;
  const examples: string[] = [];
  for (const id of new Set([...history.keys(), ...told.keys()])) {
    const due = dueOf(history.get(id) ?? [], sees);
    const got = told.get(id) ?? [];
    expected += due.filter(({ isOwed }) => isOwed).length;
    const left = knownOnce(got, due);
    const odd = got.length - left.length;
    let lost = 0;
    for (const { what, isOwed } of due) {
      if (left[0] === what) left.shift();
      else if (isOwed) lost++;
    }
    missed += lost;
    unexpected += left.length + odd;
    if (lost + left.length + odd > 0 && examples.length < 5) {
      const wanted = due.map(({ what, isOwed }) => (isOwed ? what : `(${what})`)).join(" ");
      examples.push(`${id}: due ${wanted}; told ${got.join(" ")}`);
    }
  }
  return { expected, missed, unexpected, examples };
}

/** Without versions that were told before, and those that were never due: else all behind them would seem to be missed. */
function knownOnce(told: readonly Told[], due: readonly Due[]): Told[] {
  const left = new Set(due.map(({ what }) => what));
  return told.filter((what) => what === "gone" || left.delete(what));
}

interface Due {
  readonly what: Told;
  readonly isOwed: boolean;
}

function dueOf(states: readonly Row[], sees: (row: NonNullable<Row>) => boolean): readonly Due[] {
  const visible = states.map((row) => row !== null && sees(row));
  const lastHidden = visible.lastIndexOf(false);
  return states.flatMap((row, at): readonly Due[] => {
    if (visible[at]) return [{ what: Number(row?.["version"]), isOwed: at > lastHidden }];
    return visible[at - 1] === true ? [{ what: "gone", isOwed: true }] : [];
  });
}
