// The law of completion, on our own blueprints: a word is removed or cut, and what is offered in its place must fit. The
// checker decides, so completion and checker can't drift apart. `RUNS=N` and `SEED=N` try other positions.
import { readdirSync, readFileSync } from "node:fs";
import { Random, sampleOf } from "@plinth/testkit";
import { afterAll, describe, expect, test } from "vitest";
import { completeAt } from "./complete.ts";
import { locate } from "./locate.ts";
import {
  type CursorPlace,
  faultsOf,
  gapsIn,
  isKnownWord,
  linesAwayFrom,
  offersWord,
  placesIn,
  withBroken,
} from "./testing/cursor-places.ts";

const { runs, seed } = sampleOf(60, 600);
const OFFERS_MAX = 3;
const unfinishedLines = [
  "brok",
  "broken:",
  "broken: [",
  'broken: "a',
  "broken: { a: ",
  "broken: { a: [b",
  "- brok",
  "- { a: ",
];

const folders = ["../../../../docs/examples/", "../../../../apps/control/src/blueprints/templates/"];
// The templates are also examples, apart from some.
const texts = new Map(
  folders.flatMap((folder) => {
    const url = new URL(folder, import.meta.url);
    const names = readdirSync(url).filter((name) => name.endsWith(".yaml"));
    return names.map((name) => [readFileSync(new URL(name, url), "utf8"), name] as const);
  }),
);
const tried = { places: 0, known: 0, offers: 0 };
afterAll(() => {
  process.stdout.write(`completion: ${tried.places} positions, ${tried.known} known words, ${tried.offers} offers\n`);
});

const chosen = new Random(seed);
const all = [...texts].flatMap(([text, name]) => placesIn(text).map((place) => ({ name, place })));
const gaps = [...texts].flatMap(([text, name]) => gapsIn(text).map((place) => ({ name, place })));
const places = Array.from({ length: runs }, () => chosen.pick(all));
const newPlaces = Array.from({ length: runs / 2 }, () => chosen.pick(gaps));

const where = ({ whole, word, how }: CursorPlace): string => {
  const line = whole.slice(0, word.from).split("\n").length;
  return `line ${line}, \`${word.text}\` ${how}: ${whole.split("\n")[line - 1]?.trim()}`;
};
const isComment = ({ whole, word }: CursorPlace): boolean =>
  /(?:^|\s)#/.test(whole.slice(whole.lastIndexOf("\n", word.from) + 1, word.from));

describe("in our blueprints", () => {
  test("every suggestion is valid", () => {
    const random = new Random(seed);
    const wrong: string[] = [];
    for (const { name, place } of [...places, ...newPlaces]) {
      const { text, offset, how } = place;
      tried.places++;
      const completion = completeAt(text, offset);
      // Without the rest of the line, brackets are open, and the checker can't read the blueprint.
      if (completion === null || (how === "half" && /[{[(]/.test(text) && isOpenAt(text, offset))) continue;
      for (const one of sample(completion.suggestions, random)) {
        tried.offers++;
        const [fault] = faultsOf(text, completion, one);
        if (fault !== undefined)
          wrong.push(`${name} ${where(place)} + ${JSON.stringify(one.insert)}: ${fault.code} ${fault.message}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("the existing word is suggested, if the checker knows the possible words", () => {
    const missing: string[] = [];
    for (const { name, place } of places) {
      if (isComment(place) || !isKnownWord(place)) continue;
      tried.known++;
      if (!offersWord(place)) missing.push(`${name} ${where(place)}`);
    }
    expect(missing).toEqual([]);
  });

  test("the existing word is suggested even if another line is broken", () => {
    const random = new Random(seed);
    const missing: string[] = [];
    for (const { name, place } of places.slice(0, runs / 2)) {
      if (isComment(place) || !isKnownWord(place)) continue;
      const broken = withBroken(place, random.pick(linesAwayFrom(place)), random.pick(unfinishedLines));
      if (!offersWord(broken)) missing.push(`${name} ${where(place)}\n${broken.text}`);
    }
    expect(missing).toEqual([]);
  });

  test("nothing is suggested in a comment", () => {
    const inComments = all.filter(({ place }) => isComment(place));
    expect(inComments.length).toBeGreaterThan(100);
    expect(inComments.filter(({ place }) => completeAt(place.text, place.offset) !== null)).toEqual([]);
  });
});

/** Whether the position is between brackets. */
function isOpenAt(text: string, offset: number): boolean {
  const location = locate(text, offset);
  return location?.flow === true || /[{[(][^}\])]*$/.test(location?.before ?? "");
}

function sample<T>(from: readonly T[], random: Random): readonly T[] {
  return from.length <= OFFERS_MAX ? from : Array.from({ length: OFFERS_MAX }, () => random.pick(from));
}
