-- 001-verify-present-listings-note (before, data_dependent): Make sure that every record of listings has a value for note.
-- stops the deployment where this counts any: no value for note
select count(*) from "tighten"."listings" where "note" is null;
select "id"::text as id, 'no value for note' as problem from "tighten"."listings" where "note" is null limit 5;

-- 002-verify-present-listings-weight (before, data_dependent): Make sure that every record of listings has a value for weight.
-- stops the deployment where this counts any: no value for weight
select count(*) from "tighten"."listings" where true;
select "id"::text as id, 'no value for weight' as problem from "tighten"."listings" where true limit 5;

-- 003-verify-check-listings--title--check (before, data_dependent): Make sure that every record of listings keeps the rule on title.
-- stops the deployment where this counts any: a title longer than 40
select count(*) from "tighten"."listings" where (char_length("title") <= 40) is false;
select "id"::text as id, 'a title longer than 40' as problem from "tighten"."listings" where (char_length("title") <= 40) is false limit 5;

-- 004-verify-check-listings--status--check (before, data_dependent): Make sure that every record of listings keeps the rule on status.
-- stops the deployment where this counts any: a status other than draft, active
select count(*) from "tighten"."listings" where ("status" in ('active', 'draft')) is false;
select "id"::text as id, "status"::text as problem from "tighten"."listings" where ("status" in ('active', 'draft')) is false limit 5;

-- 005-verify-check-listings--price--check (before, data_dependent): Make sure that every record of listings keeps the rule on price.
-- stops the deployment where this counts any: a price below 1
select count(*) from "tighten"."listings" where ("price" >= '1') is false;
select "id"::text as id, 'a price below 1' as problem from "tighten"."listings" where ("price" >= '1') is false limit 5;

-- 006-verify-check-listings--worth-it--rule (before, data_dependent): Make sure that every record of listings keeps the rule on price+status.
-- stops the deployment where this counts any: a price and status that breaks the rule on it
select count(*) from "tighten"."listings" where ((("price" > 10) or ("status" collate "C" = 'draft'))) is false;
select "id"::text as id, 'a price and status that breaks the rule on it' as problem from "tighten"."listings" where ((("price" > 10) or ("status" collate "C" = 'draft'))) is false limit 5;

-- 007-verify-reference-listings-seller-id (before, data_dependent): Make sure that each listings.seller_id names a record of shops.
-- stops the deployment where this counts any: a seller_id that names no record of shops
select count(*) from (select "id"::text as id, "seller_id" as value from "tighten"."listings") r where r.value is not null and not exists (select from "tighten"."shops" k where k."id" = r.value);
select r.id, r.value::text as problem from (select "id"::text as id, "seller_id" as value from "tighten"."listings") r where r.value is not null and not exists (select from "tighten"."shops" k where k."id" = r.value) limit 5;

-- 008-verify-unique-listings--code--key (before, data_dependent): Make sure that no two records of listings have the same code.
-- stops the deployment where this counts any: the same code as another
select coalesce(sum(n - 1), 0)::bigint from (select count(*) as n from (select "id"::text as id, "code" as k0 from "tighten"."listings") r where k0 is not null group by k0 having count(*) > 1) g;
select min(id) as id, 'the same as ' || (count(*) - 1)::text || ' more' as problem from (select "id"::text as id, "code" as k0 from "tighten"."listings") r where k0 is not null group by k0 having count(*) > 1 limit 5;

-- 009-add-column-listings-weight (before, safe): Add the column listings.weight (required from the switch on).
alter table "tighten"."listings" add column "weight" integer;

-- 010-index-listings--seller-id--idx (before, online, outside a transaction): Build an index on listings (seller_id).
-- after a broken try: drop index concurrently if exists "tighten"."listings__seller_id__idx";
create index concurrently "listings__seller_id__idx" on "tighten"."listings" ("seller_id");

-- 011-drop-check-listings--title--check (switch, safe): Take the old rule on listings.title off; the new one follows.
alter table "tighten"."listings" drop constraint "listings__title__check";

-- 012-drop-check-listings--status--check (switch, safe): Take the old rule on listings.status off; the new one follows.
alter table "tighten"."listings" drop constraint "listings__status__check";

-- 013-require-listings-note (switch, data_dependent): Let no new record be without listings.note.
alter table "tighten"."listings" add constraint "present__note" check ("note" is not null) not valid;

-- 014-require-listings-weight (switch, data_dependent): Let no new record be without listings.weight.
alter table "tighten"."listings" add constraint "present__weight" check ("weight" is not null) not valid;

-- 015-add-check-listings--title--check (switch, data_dependent): Bind what listings.title may hold.
alter table "tighten"."listings" add constraint "listings__title__check" check (char_length("title") <= 40) not valid;

-- 016-add-check-listings--status--check (switch, data_dependent): Bind what listings.status may hold.
alter table "tighten"."listings" add constraint "listings__status__check" check ("status" in ('active', 'draft')) not valid;

-- 017-add-check-listings--price--check (switch, data_dependent): Bind what listings.price may hold.
alter table "tighten"."listings" add constraint "listings__price__check" check ("price" >= '1') not valid;

-- 018-add-check-listings--worth-it--rule (switch, data_dependent): Bind what listings.price+status may hold.
alter table "tighten"."listings" add constraint "listings__worth_it__rule" check ((("price" > 10) or ("status" collate "C" = 'draft'))) not valid;

-- 019-reference-listings-seller-id (switch, data_dependent): Let listings.seller_id refer to shops.
alter table "tighten"."listings" add constraint "listings__seller_id__fkey" foreign key ("seller_id") references "tighten"."shops" ("id") not valid;

-- 020-unique-listings--code--key (after, data_dependent, outside a transaction): Let no two records of listings have the same code.
-- after a broken try: drop index concurrently if exists "tighten"."listings__code__key";
create unique index concurrently "listings__code__key" on "tighten"."listings" ("code");

-- 021-validate-present-listings-note (after, online): Check that every record has a value for listings.note.
alter table "tighten"."listings" validate constraint "present__note";

-- 022-validate-present-listings-weight (after, online): Check that every record has a value for listings.weight.
alter table "tighten"."listings" validate constraint "present__weight";

-- 023-validate-listings--title--check (after, online): Check the records of listings against the rule on listings.title.
alter table "tighten"."listings" validate constraint "listings__title__check";

-- 024-validate-listings--status--check (after, online): Check the records of listings against the rule on listings.status.
alter table "tighten"."listings" validate constraint "listings__status__check";

-- 025-validate-listings--price--check (after, online): Check the records of listings against the rule on listings.price.
alter table "tighten"."listings" validate constraint "listings__price__check";

-- 026-validate-listings--worth-it--rule (after, online): Check the records of listings against the rule on listings.price+status.
alter table "tighten"."listings" validate constraint "listings__worth_it__rule";

-- 027-validate-listings--seller-id--fkey (after, online): Check that each listings.seller_id names a record of shops.
alter table "tighten"."listings" validate constraint "listings__seller_id__fkey";

-- 028-not-null-listings-note (after, safe): Make listings.note required in the database.
alter table "tighten"."listings" alter column "note" set not null;
alter table "tighten"."listings" drop constraint "present__note";

-- 029-not-null-listings-weight (after, safe): Make listings.weight required in the database.
alter table "tighten"."listings" alter column "weight" set not null;
alter table "tighten"."listings" drop constraint "present__weight";
