// The positions of boxes and lines in the diagram of a model. In: nodes with their fields and references. Out: positions in pixels. Pure:
// the same model always has the same layout.
//
// Columns by depth: an entity without references is on the left, an entity that refers to it one column further right. Within a column,
// entities are sorted by the mean position of their targets, so that few lines cross. Entities without any relation are below. A large
// model is packed to the shape of a window: a column that is too high continues in the next column.

export interface ModelNode {
  readonly name: string;
  readonly rows: readonly ModelRow[];
  /** Fields that are not drawn. */
  readonly more: number;
  /** The edges of its state machine, below the fields. */
  readonly edges: readonly ModelEdge[];
}

export interface ModelEdge {
  readonly name: string;
  /** "draft → active". */
  readonly states: string;
}

export interface ModelRow {
  readonly name: string;
  readonly type: string;
  /** The node that the field refers to. */
  readonly target: string | null;
}

export interface Box {
  readonly node: ModelNode;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Line {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** An SVG path from the field to the head of its target. */
  readonly path: string;
  /** The point where the line meets its target. */
  readonly end: { readonly x: number; readonly y: number };
  /** Its rightmost x. */
  readonly right: number;
}

export interface ModelLayout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export const boxWidth = 216;
export const headHeight = 36;
export const rowHeight = 24;
export const edgesGap = 8;
const boxFoot = 8;
const columnGap = 72;
const boxGap = 24;
const looseColumnsMin = 3;
/** Columns up to this height are never split. */
const columnHeightMin = 1400;
/** From this number of entities on, a column can have several depths, so that the layout is compact. */
const packedMin = 24;
/** Width by height of the layout of a large model. */
const aspect = 1.5;

export function layoutModel(nodes: readonly ModelNode[]): ModelLayout {
  const related = new Set(nodes.flatMap((node) => targetsOf(node, nodes).flatMap((target) => [node.name, target])));
  const columns = columnsOf(nodes.filter(({ name }) => related.has(name)));
  const heightMax = columnHeightMax(nodes);
  const boxes = new Map<string, Box>();
  let bottom = 0;
  let at = 0;
  let y = 0;
  const packed = isScattered(columns, heightMax);
  for (const [index, column] of columns.entries()) {
    if (index > 0 && !packed) [at, y] = [at + 1, 0];
    const sorted = [...column].sort((a, b) => meanTop(a, boxes) - meanTop(b, boxes));
    for (const node of sorted) {
      // The column is too high: continue in the next one.
      if (y > 0 && y + heightOf(node) > heightMax) [at, y] = [at + 1, 0];
      boxes.set(node.name, { node, x: at * (boxWidth + columnGap), y, height: heightOf(node) });
      y += heightOf(node) + boxGap;
      bottom = Math.max(bottom, y);
    }
  }
  const columnCount = columns.length === 0 ? 0 : at + 1;

  const loose = nodes.filter(({ name }) => !related.has(name));
  const looseColumns = Math.ceil(loose.reduce((sum, node) => sum + heightOf(node) + boxGap, 0) / heightMax);
  const tops = Array.from({ length: Math.max(looseColumnsMin, columnCount, looseColumns) }, () => bottom);
  for (const node of loose) {
    const column = tops.indexOf(Math.min(...tops));
    const top = tops[column] ?? bottom;
    boxes.set(node.name, { node, x: column * (boxWidth + columnGap), y: top, height: heightOf(node) });
    tops[column] = top + heightOf(node) + boxGap;
  }

  const placed = [...boxes.values()];
  const lines = placed.flatMap((box) => linesFrom(box, boxes));
  return {
    boxes: placed,
    lines,
    width: Math.max(0, ...placed.map(({ x }) => x + boxWidth), ...lines.map(({ right }) => right)),
    height: Math.max(0, ...placed.map(({ y, height }) => y + height)),
  };
}

/** Long chains of references give many short columns. Then a column continues with the next depth. */
function isScattered(columns: readonly (readonly ModelNode[])[], heightMax: number): boolean {
  const heights = columns.map((column) => column.reduce((sum, node) => sum + heightOf(node) + boxGap, 0));
  const needed = heights.reduce((sum, height) => sum + height, 0) / heightMax;
  const taken = heights.reduce((sum, height) => sum + Math.ceil(height / heightMax), 0);
  return columns.flat().length >= packedMin && taken > needed * 1.5;
}

/** The maximum height of a column, so that a large model has the shape of a window. */
function columnHeightMax(nodes: readonly ModelNode[]): number {
  const area = nodes.reduce((sum, node) => sum + (heightOf(node) + boxGap) * (boxWidth + columnGap), 0);
  return Math.max(columnHeightMin, Math.sqrt(area / aspect));
}

function heightOf(node: ModelNode): number {
  const edges = node.edges.length > 0 ? edgesGap + node.edges.length * rowHeight : 0;
  return headHeight + fieldRows(node) * rowHeight + edges + boxFoot;
}

/** The number of rows for the fields, including the row "and n more". */
export function fieldRows(node: ModelNode): number {
  return node.rows.length + (node.more > 0 ? 1 : 0);
}

/** The targets of a node's references, without itself: a self-reference doesn't affect the position. */
function targetsOf(node: ModelNode, nodes: readonly ModelNode[]): string[] {
  const known = new Set(nodes.map(({ name }) => name));
  return node.rows.flatMap(({ target }) =>
    target !== null && target !== node.name && known.has(target) ? [target] : [],
  );
}

function columnsOf(nodes: readonly ModelNode[]): ModelNode[][] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const depths = new Map<string, number>();
  const open = new Set<string>();
  function depthOf(name: string): number {
    const known = depths.get(name);
    if (known !== undefined) return known;
    open.add(name);
    const node = byName.get(name);
    // A circle of references has no depth, so the reference that closes it is ignored.
    const below = node ? targetsOf(node, nodes).filter((target) => !open.has(target)) : [];
    const depth = Math.max(-1, ...below.map(depthOf)) + 1;
    open.delete(name);
    depths.set(name, depth);
    return depth;
  }
  const columns: ModelNode[][] = [];
  for (const node of nodes) {
    const depth = depthOf(node.name);
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(node);
  }
  return columns.filter((column) => column.length > 0);
}

function meanTop(node: ModelNode, boxes: ReadonlyMap<string, Box>): number {
  const tops = node.rows.flatMap(({ target }) => {
    const box = target === null ? undefined : boxes.get(target);
    return box ? [box.y] : [];
  });
  return tops.length === 0 ? Number.MAX_SAFE_INTEGER : tops.reduce((sum, top) => sum + top, 0) / tops.length;
}

function linesFrom(box: Box, boxes: ReadonlyMap<string, Box>): Line[] {
  return box.node.rows.flatMap((row, index) => {
    const target = row.target === null ? undefined : boxes.get(row.target);
    if (!target) return [];
    const fromY = box.y + headHeight + index * rowHeight + rowHeight / 2;
    const toY = target.y + headHeight / 2;
    const toX = target.x + boxWidth;
    const id = `${box.node.name}.${row.name}`;
    const end = { x: toX, y: toY };
    if (target.x < box.x) {
      const bend = Math.min(columnGap * 0.75, (box.x - toX) / 2 + 12);
      const path = `M ${box.x} ${fromY} C ${box.x - bend} ${fromY}, ${toX + bend} ${toY}, ${toX} ${toY}`;
      return [{ id, from: box.node.name, to: target.node.name, path, end, right: box.x }];
    }
    // To itself, within the column, or to the right: around the right side.
    const fromX = box.x + boxWidth;
    const reach = Math.max(fromX, toX) + columnGap * 0.6;
    const path = `M ${fromX} ${fromY} C ${reach} ${fromY}, ${reach} ${toY}, ${toX} ${toY}`;
    // A curve stays within its control points.
    return [{ id, from: box.node.name, to: target.node.name, path, end, right: reach }];
  });
}
