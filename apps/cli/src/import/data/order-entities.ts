// Orders the entities of an import, so that each reference finds its record. In: entities with their references. Out: the order,
// and the references for a second pass: those to the same entity, and one of each circle. If all references of a circle are
// required, there is no order.
export interface Referring {
  readonly entity: string;
  readonly references: readonly { readonly field: string; readonly entity: string; readonly nullable: boolean }[];
}

export interface Order {
  readonly entities: readonly string[];
  /** `entity.field` */
  readonly deferred: ReadonlySet<string>;
  readonly problems: readonly string[];
}

export function orderEntities(referring: readonly Referring[]): Order {
  const deferred = new Set<string>();
  const problems: string[] = [];
  const name = (entity: string, field: string): string => `${entity}.${field}`;
  for (const { entity, references } of referring) {
    for (const reference of references.filter((one) => one.entity === entity)) {
      deferred.add(name(entity, reference.field));
      if (!reference.nullable)
        problems.push(
          `${name(entity, reference.field)}: it is required and refers to its own entity, so no record can be the first`,
        );
    }
  }
  const entities: string[] = [];
  const open = new Set(referring.map(({ entity }) => entity));
  const waitsFor = ({ entity, references }: Referring): Referring["references"] =>
    references.filter((one) => open.has(one.entity) && !deferred.has(name(entity, one.field)));
  const isFree = (entity: string): boolean =>
    referring.filter((one) => one.entity === entity).every((one) => waitsFor(one).length === 0);
  while (open.size > 0) {
    const free = [...open].find(isFree);
    if (free !== undefined) {
      open.delete(free);
      entities.push(free);
      continue;
    }
    const waiting = referring.filter(({ entity }) => open.has(entity));
    const broken = waiting.find((one) => waitsFor(one).some(({ nullable }) => nullable));
    if (broken === undefined) {
      problems.push(`${[...open].join(", ")}: they refer to each other in a circle of required references`);
      return { entities: [...entities, ...open], deferred, problems };
    }
    for (const { field, nullable } of waitsFor(broken)) if (nullable) deferred.add(name(broken.entity, field));
  }
  return { entities, deferred, problems };
}
