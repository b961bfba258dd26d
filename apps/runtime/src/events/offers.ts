// Brings events to the runs that wait for them, by an index. In: a project's schema. Out: statements. A wait names a
// member of the event and its text. Both are empty if the wait takes any event of that name.

/** The texts of a member of an event, `e`, by which a wait can be found: as it is, and in the notation of ids. */
export function memberTexts(member: string): string {
  const text = `(jsonb_build_object('record', e."record", 'data', e."data", 'record_id', e."record_id")
    #>> string_to_array(${member}, '/'))`;
  return `(SELECT '' WHERE ${member} = '' UNION SELECT ${text} WHERE ${member} <> ''
    UNION SELECT lower(${text}) WHERE ${member} <> '')`;
}

/** Waits that get an event in one transaction. This takes far less than two seconds. */
export const OFFERS_MAX = 2_000;

/** The position before all waits. */
export const FIRST_WAIT: readonly [runId: string, path: string] = ["00000000-0000-0000-0000-000000000000", ""];

/**
 * Offers events (`$1`) in their order to the waits after a position (`$2`, `$3`), up to a maximum. Returns the waits,
 * and whether each was still open. The waiting runs then check the event, because only they know their whole
 * conditions. The number of look-ups is the number of members that waits name, plus one for waits without a member. So
 * an event only reaches waits that it may match, however many there are.
 */
export function offerToWaits(schema: string): string {
  const waits = `${schema}."workers__waits"`;
  return `WITH RECURSIVE came AS (
      SELECT e.* FROM ${schema}."workers__events" e WHERE e."id" = ANY($1::uuid[])
    ), asked AS (
      SELECT n."name", (SELECT min(w."member") FROM ${waits} w WHERE w."event" = n."name" AND w."answer" IS NULL) AS member
      FROM (SELECT DISTINCT "name" FROM came) n
      UNION ALL
      SELECT a."name", (SELECT min(w."member") FROM ${waits} w
        WHERE w."event" = a."name" AND w."answer" IS NULL AND w."member" > a.member)
      FROM asked a WHERE a.member IS NOT NULL
    ), meant AS (
      -- A wait asks for one text of one member: it is found once, with all events that have it.
      SELECT a."name", a.member, t.wanted, array_agg(e."id" ORDER BY e."seq") AS ids
      FROM came e JOIN asked a ON a."name" = e."name" AND a.member IS NOT NULL
      CROSS JOIN LATERAL ${memberTexts("a.member")} AS t (wanted)
      GROUP BY a."name", a.member, t.wanted
    ), offers AS (
      SELECT found.run_id, found.path, m.ids
      FROM meant m
      CROSS JOIN LATERAL (SELECT w."run_id" AS run_id, w."path" AS path FROM ${waits} w
        WHERE w."event" = m."name" AND w."member" = m.member AND w."wanted" = m.wanted AND w."answer" IS NULL
          AND (w."run_id", w."path") > ($2::uuid, $3::text) OFFSET 0) found
      ORDER BY found.run_id, found.path LIMIT ${OFFERS_MAX}
    ), given AS (
      UPDATE ${waits} w SET "offered" = w."offered" || o.ids FROM offers o
      WHERE w."run_id" = o.run_id AND w."path" = o.path AND w."answer" IS NULL RETURNING w."run_id", w."path"
    )
    SELECT o.run_id, o.path, g."run_id" IS NOT NULL AS is_open
    FROM offers o LEFT JOIN given g ON g."run_id" = o.run_id AND g."path" = o.path ORDER BY o.run_id, o.path`;
}
