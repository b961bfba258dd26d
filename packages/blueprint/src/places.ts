// In: nodes of checked rules with their offsets in a scalar. Out: on demand, where a node stands in the blueprint.
import type { Expression } from "@plinth/expression";
import type { Position } from "./diagnostic.ts";
import { createPositions } from "./report.ts";
import { rangeWithin, type ScalarNode } from "./syntax.ts";

export interface Place {
  readonly start: Position;
  readonly end: Position;
}

/** Where the nodes of a model's expressions were written, found by the very object that stands in the model. */
export interface Places {
  get(node: Expression): Place | null;
}

export interface PlaceTable extends Places {
  add(node: Expression, scalar: ScalarNode, start: number, end: number): void;
  /** A node that takes the place of another was written where that one was. */
  move(from: Expression, to: Expression): void;
}

export function createPlaces(source: string): PlaceTable {
  const written = new Map<Expression, { scalar: ScalarNode; start: number; end: number }>();
  let positionOf: ((offset: number) => Position) | null = null;
  return {
    add: (node, scalar, start, end) => void written.set(node, { scalar, start, end }),
    move(from, to) {
      const place = written.get(from);
      if (place !== undefined && !written.has(to)) written.set(to, place);
    },
    get(node) {
      const place = written.get(node);
      if (place === undefined) return null;
      positionOf ??= createPositions(source);
      const range = rangeWithin(place.scalar, source, place.start, place.end);
      return { start: positionOf(range.start), end: positionOf(range.end) };
    },
  };
}
