-- 001-verify-present-listings-note (before, data_dependent): Make sure that every record of listings has a value for note.
-- stops the deployment where this counts any: no value for note
select count(*) from "refused_change"."listings" where "note" is null;
select "id"::text as id, 'no value for note' as problem from "refused_change"."listings" where "note" is null limit 5;

-- 002-verify-present-listings-weight (before, data_dependent): Make sure that every record of listings has a value for weight.
-- stops the deployment where this counts any: no value for weight
select count(*) from "refused_change"."listings" where true;
select "id"::text as id, 'no value for weight' as problem from "refused_change"."listings" where true limit 5;

-- 003-verify-convert-listings-price (before, data_dependent): Make sure that every price of listings can be converted to boolean.
-- stops the deployment where this counts any: a price that is neither 0 nor 1
select count(*) from "refused_change"."listings" where "price" is not null and (case "price" when 0 then false when 1 then true end) is null;
select "id"::text as id, 'a price that is neither 0 nor 1' as problem from "refused_change"."listings" where "price" is not null and (case "price" when 0 then false when 1 then true end) is null limit 5;

-- 004-verify-check-listings--title--check (before, data_dependent): Make sure that every record of listings satisfies the rule on title.
-- stops the deployment where this counts any: a title longer than 40
select count(*) from "refused_change"."listings" where (char_length("title") <= 40) is false;
select "id"::text as id, 'a title longer than 40' as problem from "refused_change"."listings" where (char_length("title") <= 40) is false limit 5;

-- 005-verify-check-listings--status--check (before, data_dependent): Make sure that every record of listings satisfies the rule on status.
-- stops the deployment where this counts any: a status other than draft
select count(*) from "refused_change"."listings" where ("status" in ('draft')) is false;
select "id"::text as id, "status"::text as problem from "refused_change"."listings" where ("status" in ('draft')) is false limit 5;

-- 006-verify-unique-listings--code--key (before, data_dependent): Make sure that no two records of listings have the same code.
-- stops the deployment where this counts any: the same code as another record
select coalesce(sum(_g._n - 1), 0)::bigint from (select count(*) as _n from (select "id"::text as _id, "code" as _k0 from "refused_change"."listings") _r where _k0 is not null group by _k0 having count(*) > 1) _g;
select min(_r._id) as id, 'the same as ' || (count(*) - 1)::text || ' more' as problem from (select "id"::text as _id, "code" as _k0 from "refused_change"."listings") _r where _k0 is not null group by _k0 having count(*) > 1 limit 5;

-- 007-add-column-listings-weight (before, safe): Add the column listings.weight (required from the switch on).
alter table "refused_change"."listings" add column "weight" integer;

-- 008-expand-listings-price (before, rewrite): Add a new column for listings.price, which is converted from integer to boolean.
alter table "refused_change"."listings" add column "next__price" boolean;

-- 009-feed-listings (before, safe): Add a trigger that fills the new columns of listings at each write until the switch.
create or replace function "refused_change"."feed__listings"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  new."next__price" := (case new."price" when 0 then false when 1 then true end);
  return new;
end $body$;
create or replace trigger "feed__listings" before insert or update on "refused_change"."listings" for each row execute function "refused_change"."feed__listings"();

-- 010-convert-listings (before, backfill): Convert price of listings to the new type, one batch of records at a time.
-- again and again, until it answers no key
with _batch as materialized (
  select "id" as _key from "refused_change"."listings" where :after::text is null or "id" > :after::text::uuid order by "id" limit :limit
), _written as (
  update "refused_change"."listings" _r set "next__price" = (case _r."price" when 0 then false when 1 then true end)
  from _batch where _r."id" = _batch._key and (_r."next__price" is distinct from (case _r."price" when 0 then false when 1 then true end))
  returning 1
)
select (select _batch._key::text from _batch order by _batch._key desc limit 1) as last, (select count(*) from _written) as written;

-- 011-guard-index-present-listings-price (before, online, outside a transaction): Build an index over records of listings without a value for price. It should be empty.
-- after a broken try: drop index concurrently if exists "refused_change"."guard__listings__present__price";
create index concurrently "guard__listings__present__price" on "refused_change"."listings" ((1)) where "next__price" is null;

-- 012-guard-index-present-listings-note (before, online, outside a transaction): Build an index over records of listings without a value for note. It should be empty.
-- after a broken try: drop index concurrently if exists "refused_change"."guard__listings__present__note";
create index concurrently "guard__listings__present__note" on "refused_change"."listings" ((1)) where "note" is null;

-- 013-guard-index-present-listings-weight (before, online, outside a transaction): Build an index over records of listings without a value for weight. It should be empty.
-- after a broken try: drop index concurrently if exists "refused_change"."guard__listings__present__weight";
create index concurrently "guard__listings__present__weight" on "refused_change"."listings" ((1)) where "weight" is null;

-- 014-guard-index-listings-price (before, online, outside a transaction): Build an index over records of listings with a price that is neither 0 nor 1. It should be empty.
-- after a broken try: drop index concurrently if exists "refused_change"."guard__listings__price";
create index concurrently "guard__listings__price" on "refused_change"."listings" ((1)) where "price" is not null and "next__price" is null;

-- 015-guard-index-check-listings--title--check (before, online, outside a transaction): Build an index over records of listings with a title longer than 40. It should be empty.
-- after a broken try: drop index concurrently if exists "refused_change"."guard__listings__listings__title__check";
create index concurrently "guard__listings__listings__title__check" on "refused_change"."listings" ((1)) where (char_length("title") <= 40) is false;

-- 016-guard-index-check-listings--status--check (before, online, outside a transaction): Build an index over records of listings with a status other than draft. It should be empty.
-- after a broken try: drop index concurrently if exists "refused_change"."guard__listings__listings__status__check";
create index concurrently "guard__listings__listings__status__check" on "refused_change"."listings" ((1)) where ("status" in ('draft')) is false;

-- 017-guard-present-listings-price (switch, data_dependent): Make sure that no records of listings without a value for price were written during the deployment.
lock table "refused_change"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "refused_change"."listings" where "next__price" is null) then
    raise exception using message = 'a record of listings without a value for price was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'next__price';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "refused_change"."guard__listings__present__price";

-- 018-guard-present-listings-note (switch, data_dependent): Make sure that no records of listings without a value for note were written during the deployment.
lock table "refused_change"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "refused_change"."listings" where "note" is null) then
    raise exception using message = 'a record of listings without a value for note was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'note';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "refused_change"."guard__listings__present__note";

-- 019-guard-present-listings-weight (switch, data_dependent): Make sure that no records of listings without a value for weight were written during the deployment.
lock table "refused_change"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "refused_change"."listings" where "weight" is null) then
    raise exception using message = 'a record of listings without a value for weight was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'weight';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "refused_change"."guard__listings__present__weight";

-- 020-guard-listings-price (switch, data_dependent): Make sure that no records of listings with a price that is neither 0 nor 1 were written during the deployment.
lock table "refused_change"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "refused_change"."listings" where "price" is not null and "next__price" is null) then
    raise exception using message = 'a record of listings with a price that is neither 0 nor 1 was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'price';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "refused_change"."guard__listings__price";

-- 021-guard-check-listings--title--check (switch, data_dependent): Make sure that no records of listings with a title longer than 40 were written during the deployment.
lock table "refused_change"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "refused_change"."listings" where (char_length("title") <= 40) is false) then
    raise exception using message = 'a record of listings with a title longer than 40 was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'title';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "refused_change"."guard__listings__listings__title__check";

-- 022-guard-check-listings--status--check (switch, data_dependent): Make sure that no records of listings with a status other than draft were written during the deployment.
lock table "refused_change"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "refused_change"."listings" where ("status" in ('draft')) is false) then
    raise exception using message = 'a record of listings with a status other than draft was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'status';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "refused_change"."guard__listings__listings__status__check";

-- 023-unfeed-listings (switch, safe): Remove the trigger that fills the new columns of listings.
drop trigger "feed__listings" on "refused_change"."listings";
drop function "refused_change"."feed__listings"();

-- 024-drop-check-listings--title--check (switch, safe): Remove the old rule on listings.title; the new one follows.
alter table "refused_change"."listings" drop constraint "listings__title__check";

-- 025-drop-check-listings--status--check (switch, safe): Remove the old rule on listings.status; the new one follows.
alter table "refused_change"."listings" drop constraint "listings__status__check";

-- 026-drop-reference-listings--category-id--fkey (switch, safe): Remove the foreign key from listings.category_id to categories.
alter table "refused_change"."listings" drop constraint "listings__category_id__fkey";

-- 027-set-aside-listings-gone (switch, destructive): Remove listings.gone, and keep its values for a while.
alter table "refused_change"."listings" rename column "gone" to "aside__golden__gone";

-- 028-set-aside-listings-price (switch, rewrite): Set the old column listings.price aside, with its values.
alter table "refused_change"."listings" alter column "price" drop not null;
alter table "refused_change"."listings" rename column "price" to "aside__golden__price";

-- 029-set-aside-tags (switch, destructive): Remove tags, and keep its records for a while.
alter table "refused_change"."tags" drop constraint "tags__created_by__fkey";
revoke select, insert, update, delete on "refused_change"."tags" from "refused_change_worker";
alter index "refused_change"."tags__pkey" rename to "aside__golden__tags__pkey";
alter index "refused_change"."tags__created_by__idx" rename to "aside__golden__tags__created_by__idx";
alter index "refused_change"."tags__created_at__id__idx" rename to "aside__golden__tags__created_at__id__idx";
alter table "refused_change"."tags" rename to "aside__golden__tags";

-- 030-rename-columns-listings (switch, rewrite): Replace the old columns of listings by the new ones: price.
alter table "refused_change"."listings" rename column "next__price" to "price";

-- 031-require-listings-price (switch, data_dependent): Allow no new record without listings.price.
alter table "refused_change"."listings" add constraint "present__price" check ("price" is not null) not valid;

-- 032-require-listings-note (switch, data_dependent): Allow no new record without listings.note.
alter table "refused_change"."listings" add constraint "present__note" check ("note" is not null) not valid;

-- 033-require-listings-weight (switch, data_dependent): Allow no new record without listings.weight.
alter table "refused_change"."listings" add constraint "present__weight" check ("weight" is not null) not valid;

-- 034-add-check-listings--title--check (switch, data_dependent): Add the rule on the values of listings.title.
alter table "refused_change"."listings" add constraint "listings__title__check" check (char_length("title") <= 40) not valid;

-- 035-add-check-listings--status--check (switch, data_dependent): Add the rule on the values of listings.status.
alter table "refused_change"."listings" add constraint "listings__status__check" check ("status" in ('draft')) not valid;

-- 036-unique-listings--code--key (after, data_dependent, outside a transaction): Add a unique constraint: no two records of listings can have the same code.
-- after a broken try: drop index concurrently if exists "refused_change"."listings__code__key";
create unique index concurrently "listings__code__key" on "refused_change"."listings" ("code");

-- 037-validate-present-listings-price (after, online): Check that every record has a value for listings.price.
alter table "refused_change"."listings" validate constraint "present__price";

-- 038-validate-present-listings-note (after, online): Check that every record has a value for listings.note.
alter table "refused_change"."listings" validate constraint "present__note";

-- 039-validate-present-listings-weight (after, online): Check that every record has a value for listings.weight.
alter table "refused_change"."listings" validate constraint "present__weight";

-- 040-validate-listings--title--check (after, online): Check the existing records of listings against the rule on listings.title.
alter table "refused_change"."listings" validate constraint "listings__title__check";

-- 041-validate-listings--status--check (after, online): Check the existing records of listings against the rule on listings.status.
alter table "refused_change"."listings" validate constraint "listings__status__check";

-- 042-not-null-listings-price (after, safe): Make listings.price required in the database.
alter table "refused_change"."listings" alter column "price" set not null;
alter table "refused_change"."listings" drop constraint "present__price";

-- 043-not-null-listings-note (after, safe): Make listings.note required in the database.
alter table "refused_change"."listings" alter column "note" set not null;
alter table "refused_change"."listings" drop constraint "present__note";

-- 044-not-null-listings-weight (after, safe): Make listings.weight required in the database.
alter table "refused_change"."listings" alter column "weight" set not null;
alter table "refused_change"."listings" drop constraint "present__weight";

-- 045-drop-index-listings--category-id--idx (after, online, outside a transaction): Remove the index listings__category_id__idx.
drop index concurrently if exists "refused_change"."listings__category_id__idx";
