-- 001-verify-present-listings-note (before, data_dependent): Make sure that every record of listings has a value for note.
-- stops the deployment where this counts any: no value for note
select count(*) from "tighten"."listings" where "note" is null;
select "id"::text as id, 'no value for note' as problem from "tighten"."listings" where "note" is null limit 5;

-- 002-verify-present-listings-weight (before, data_dependent): Make sure that every record of listings has a value for weight.
-- stops the deployment where this counts any: no value for weight
select count(*) from "tighten"."listings" where true;
select "id"::text as id, 'no value for weight' as problem from "tighten"."listings" where true limit 5;

-- 003-verify-check-listings--title--check (before, data_dependent): Make sure that every record of listings satisfies the rule on title.
-- stops the deployment where this counts any: a title longer than 40
select count(*) from "tighten"."listings" where (char_length("title") <= 40) is false;
select "id"::text as id, 'a title longer than 40' as problem from "tighten"."listings" where (char_length("title") <= 40) is false limit 5;

-- 004-verify-check-listings--status--check (before, data_dependent): Make sure that every record of listings satisfies the rule on status.
-- stops the deployment where this counts any: a status other than draft, active
select count(*) from "tighten"."listings" where ("status" in ('active', 'draft')) is false;
select "id"::text as id, "status"::text as problem from "tighten"."listings" where ("status" in ('active', 'draft')) is false limit 5;

-- 005-verify-check-listings--price--check (before, data_dependent): Make sure that every record of listings satisfies the rule on price.
-- stops the deployment where this counts any: a price below 1
select count(*) from "tighten"."listings" where ("price" >= '1') is false;
select "id"::text as id, 'a price below 1' as problem from "tighten"."listings" where ("price" >= '1') is false limit 5;

-- 006-verify-check-listings--worth-it--rule (before, data_dependent): Make sure that every record of listings satisfies the rule on price+status.
-- stops the deployment where this counts any: values of price and status that break the check worth_it
select count(*) from "tighten"."listings" where ((("price" > 10) or ("status" collate "C" = 'draft'))) is false;
select "id"::text as id, 'values of price and status that break the check worth_it' as problem from "tighten"."listings" where ((("price" > 10) or ("status" collate "C" = 'draft'))) is false limit 5;

-- 007-verify-reference-listings-seller-id (before, data_dependent): Make sure that each listings.seller_id refers to an existing record of shops.
-- stops the deployment where this counts any: a seller_id that refers to no record of shops
select count(*) from (select "id"::text as _id, "seller_id" as _value from "tighten"."listings") _r where _r._value is not null and not exists (select from "tighten"."shops" _k where _k."id" = _r._value);
select _r._id as id, _r._value::text as problem from (select "id"::text as _id, "seller_id" as _value from "tighten"."listings") _r where _r._value is not null and not exists (select from "tighten"."shops" _k where _k."id" = _r._value) limit 5;

-- 008-verify-unique-listings--code--key (before, data_dependent): Make sure that no two records of listings have the same code.
-- stops the deployment where this counts any: the same code as another record
select coalesce(sum(_g._n - 1), 0)::bigint from (select count(*) as _n from (select "id"::text as _id, "code" as _k0 from "tighten"."listings") _r where _k0 is not null group by _k0 having count(*) > 1) _g;
select min(_r._id) as id, 'the same as ' || (count(*) - 1)::text || ' more' as problem from (select "id"::text as _id, "code" as _k0 from "tighten"."listings") _r where _k0 is not null group by _k0 having count(*) > 1 limit 5;

-- 009-add-column-listings-weight (before, safe): Add the column listings.weight (required from the switch on).
alter table "tighten"."listings" add column "weight" integer;

-- 010-guard-index-present-listings-note (before, online, outside a transaction): Build an index over records of listings without a value for note. It should be empty.
-- after a broken try: drop index concurrently if exists "tighten"."guard__listings__present__note";
create index concurrently "guard__listings__present__note" on "tighten"."listings" ((1)) where "note" is null;

-- 011-guard-index-present-listings-weight (before, online, outside a transaction): Build an index over records of listings without a value for weight. It should be empty.
-- after a broken try: drop index concurrently if exists "tighten"."guard__listings__present__weight";
create index concurrently "guard__listings__present__weight" on "tighten"."listings" ((1)) where "weight" is null;

-- 012-guard-index-check-listings--title--check (before, online, outside a transaction): Build an index over records of listings with a title longer than 40. It should be empty.
-- after a broken try: drop index concurrently if exists "tighten"."guard__listings__listings__title__check";
create index concurrently "guard__listings__listings__title__check" on "tighten"."listings" ((1)) where (char_length("title") <= 40) is false;

-- 013-guard-index-check-listings--status--check (before, online, outside a transaction): Build an index over records of listings with a status other than draft, active. It should be empty.
-- after a broken try: drop index concurrently if exists "tighten"."guard__listings__listings__status__check";
create index concurrently "guard__listings__listings__status__check" on "tighten"."listings" ((1)) where ("status" in ('active', 'draft')) is false;

-- 014-guard-index-check-listings--price--check (before, online, outside a transaction): Build an index over records of listings with a price below 1. It should be empty.
-- after a broken try: drop index concurrently if exists "tighten"."guard__listings__listings__price__check";
create index concurrently "guard__listings__listings__price__check" on "tighten"."listings" ((1)) where ("price" >= '1') is false;

-- 015-index-listings--seller-id--idx (before, online, outside a transaction): Build an index on listings (seller_id).
-- after a broken try: drop index concurrently if exists "tighten"."listings__seller_id__idx";
create index concurrently "listings__seller_id__idx" on "tighten"."listings" ("seller_id");

-- 016-guard-present-listings-note (switch, data_dependent): Make sure that no records of listings without a value for note were written during the deployment.
lock table "tighten"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "tighten"."listings" where "note" is null) then
    raise exception using message = 'a record of listings without a value for note was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'note';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "tighten"."guard__listings__present__note";

-- 017-guard-present-listings-weight (switch, data_dependent): Make sure that no records of listings without a value for weight were written during the deployment.
lock table "tighten"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "tighten"."listings" where "weight" is null) then
    raise exception using message = 'a record of listings without a value for weight was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'weight';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "tighten"."guard__listings__present__weight";

-- 018-guard-check-listings--title--check (switch, data_dependent): Make sure that no records of listings with a title longer than 40 were written during the deployment.
lock table "tighten"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "tighten"."listings" where (char_length("title") <= 40) is false) then
    raise exception using message = 'a record of listings with a title longer than 40 was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'title';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "tighten"."guard__listings__listings__title__check";

-- 019-guard-check-listings--status--check (switch, data_dependent): Make sure that no records of listings with a status other than draft, active were written during the deployment.
lock table "tighten"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "tighten"."listings" where ("status" in ('active', 'draft')) is false) then
    raise exception using message = 'a record of listings with a status other than draft, active was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'status';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "tighten"."guard__listings__listings__status__check";

-- 020-guard-check-listings--price--check (switch, data_dependent): Make sure that no records of listings with a price below 1 were written during the deployment.
lock table "tighten"."listings" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "tighten"."listings" where ("price" >= '1') is false) then
    raise exception using message = 'a record of listings with a price below 1 was written during the deployment', errcode = 'check_violation', table = 'listings', column = 'price';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "tighten"."guard__listings__listings__price__check";

-- 021-drop-check-listings--title--check (switch, safe): Remove the old rule on listings.title; the new one follows.
alter table "tighten"."listings" drop constraint "listings__title__check";

-- 022-drop-check-listings--status--check (switch, safe): Remove the old rule on listings.status; the new one follows.
alter table "tighten"."listings" drop constraint "listings__status__check";

-- 023-require-listings-note (switch, data_dependent): Allow no new record without listings.note.
alter table "tighten"."listings" add constraint "present__note" check ("note" is not null) not valid;

-- 024-require-listings-weight (switch, data_dependent): Allow no new record without listings.weight.
alter table "tighten"."listings" add constraint "present__weight" check ("weight" is not null) not valid;

-- 025-add-check-listings--title--check (switch, data_dependent): Add the rule on the values of listings.title.
alter table "tighten"."listings" add constraint "listings__title__check" check (char_length("title") <= 40) not valid;

-- 026-add-check-listings--status--check (switch, data_dependent): Add the rule on the values of listings.status.
alter table "tighten"."listings" add constraint "listings__status__check" check ("status" in ('active', 'draft')) not valid;

-- 027-add-check-listings--price--check (switch, data_dependent): Add the rule on the values of listings.price.
alter table "tighten"."listings" add constraint "listings__price__check" check ("price" >= '1') not valid;

-- 028-add-check-listings--worth-it--rule (switch, data_dependent): Add the rule on the values of listings.price+status.
alter table "tighten"."listings" add constraint "listings__worth_it__rule" check ((("price" > 10) or ("status" collate "C" = 'draft'))) not valid;

-- 029-reference-listings-seller-id (switch, data_dependent): Add a foreign key from listings.seller_id to shops.
alter table "tighten"."listings" add constraint "listings__seller_id__fkey" foreign key ("seller_id") references "tighten"."shops" ("id") not valid;

-- 030-unique-listings--code--key (after, data_dependent, outside a transaction): Add a unique constraint: no two records of listings can have the same code.
-- after a broken try: drop index concurrently if exists "tighten"."listings__code__key";
create unique index concurrently "listings__code__key" on "tighten"."listings" ("code");

-- 031-validate-present-listings-note (after, online): Check that every record has a value for listings.note.
alter table "tighten"."listings" validate constraint "present__note";

-- 032-validate-present-listings-weight (after, online): Check that every record has a value for listings.weight.
alter table "tighten"."listings" validate constraint "present__weight";

-- 033-validate-listings--title--check (after, online): Check the existing records of listings against the rule on listings.title.
alter table "tighten"."listings" validate constraint "listings__title__check";

-- 034-validate-listings--status--check (after, online): Check the existing records of listings against the rule on listings.status.
alter table "tighten"."listings" validate constraint "listings__status__check";

-- 035-validate-listings--price--check (after, online): Check the existing records of listings against the rule on listings.price.
alter table "tighten"."listings" validate constraint "listings__price__check";

-- 036-validate-listings--worth-it--rule (after, online): Check the existing records of listings against the rule on listings.price+status.
alter table "tighten"."listings" validate constraint "listings__worth_it__rule";

-- 037-validate-listings--seller-id--fkey (after, online): Check that each listings.seller_id refers to an existing record of shops.
alter table "tighten"."listings" validate constraint "listings__seller_id__fkey";

-- 038-not-null-listings-note (after, safe): Make listings.note required in the database.
alter table "tighten"."listings" alter column "note" set not null;
alter table "tighten"."listings" drop constraint "present__note";

-- 039-not-null-listings-weight (after, safe): Make listings.weight required in the database.
alter table "tighten"."listings" alter column "weight" set not null;
alter table "tighten"."listings" drop constraint "present__weight";
