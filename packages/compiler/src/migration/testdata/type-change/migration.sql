-- 001-verify-convert-products-price (before, data_dependent): Make sure that every price of products can be converted to numeric(10,2).
-- stops the deployment where this counts any: a price that is not a number with at most 8 digits before and 2 after the decimal point
select count(*) from "type_change"."products" where "price" is not null and (case when "price" ~ '^-?[0-9]+([.][0-9]+)?$' and char_length("price") <= 100 then case when "price"::numeric = round("price"::numeric, 2) and abs("price"::numeric) < 100000000 then "price"::numeric::numeric(10, 2) end end) is null;
select "id"::text as id, 'a price that is not a number with at most 8 digits before and 2 after the decimal point' as problem from "type_change"."products" where "price" is not null and (case when "price" ~ '^-?[0-9]+([.][0-9]+)?$' and char_length("price") <= 100 then case when "price"::numeric = round("price"::numeric, 2) and abs("price"::numeric) < 100000000 then "price"::numeric::numeric(10, 2) end end) is null limit 5;

-- 002-verify-check-products--code--check (before, data_dependent): Make sure that every record of products satisfies the rule on code.
-- stops the deployment where this counts any: a code longer than 255
select count(*) from "type_change"."products" where (char_length(("code"::text)) <= 255) is false;
select "id"::text as id, 'a code longer than 255' as problem from "type_change"."products" where (char_length(("code"::text)) <= 255) is false limit 5;

-- 003-verify-check-products--colour--check (before, data_dependent): Make sure that every record of products satisfies the rule on colour.
-- stops the deployment where this counts any: a colour with members other than red, green
select count(*) from "type_change"."products" where ((case when "colour" is not null then array["colour"]::text[] end) <@ array['green', 'red']::text[]) is false;
select "id"::text as id, 'a colour with members other than red, green' as problem from "type_change"."products" where ((case when "colour" is not null then array["colour"]::text[] end) <@ array['green', 'red']::text[]) is false limit 5;

-- 004-expand-products-code (before, rewrite): Add a new column for products.code, which is converted from integer to text.
alter table "type_change"."products" add column "next__code" text collate "C";

-- 005-expand-products-price (before, rewrite): Add a new column for products.price, which is converted from text to numeric(10,2).
alter table "type_change"."products" add column "next__price" numeric(10,2);

-- 006-expand-products-colour (before, rewrite): Add a new column for products.colour, which is converted from text to text[].
alter table "type_change"."products" add column "next__colour" text[];

-- 007-expand-products-released (before, rewrite): Add a new column for products.released, which is converted from timestamptz to date. The conversion drops the time of day from each value; the old column keeps it.
alter table "type_change"."products" add column "next__released" date;

-- 008-feed-products (before, safe): Add a trigger that fills the new columns of products at each write until the switch.
create or replace function "type_change"."feed__products"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  new."next__code" := (new."code"::text);
  new."next__price" := (case when new."price" ~ '^-?[0-9]+([.][0-9]+)?$' and char_length(new."price") <= 100 then case when new."price"::numeric = round(new."price"::numeric, 2) and abs(new."price"::numeric) < 100000000 then new."price"::numeric::numeric(10, 2) end end);
  new."next__colour" := (case when new."colour" is not null then array[new."colour"]::text[] end);
  new."next__released" := ((new."released" at time zone 'UTC')::date);
  return new;
end $body$;
create or replace trigger "feed__products" before insert or update on "type_change"."products" for each row execute function "type_change"."feed__products"();

-- 009-convert-products (before, backfill): Convert code, price, colour, released of products to the new type, one batch of records at a time.
-- again and again, until it answers no key
with _batch as materialized (
  select "id" as _key from "type_change"."products" where :after::text is null or "id" > :after::text::uuid order by "id" limit :limit
), _written as (
  update "type_change"."products" _r set "next__code" = (_r."code"::text), "next__price" = (case when _r."price" ~ '^-?[0-9]+([.][0-9]+)?$' and char_length(_r."price") <= 100 then case when _r."price"::numeric = round(_r."price"::numeric, 2) and abs(_r."price"::numeric) < 100000000 then _r."price"::numeric::numeric(10, 2) end end), "next__colour" = (case when _r."colour" is not null then array[_r."colour"]::text[] end), "next__released" = ((_r."released" at time zone 'UTC')::date)
  from _batch where _r."id" = _batch._key and (_r."next__code" is distinct from (_r."code"::text) or _r."next__price" is distinct from (case when _r."price" ~ '^-?[0-9]+([.][0-9]+)?$' and char_length(_r."price") <= 100 then case when _r."price"::numeric = round(_r."price"::numeric, 2) and abs(_r."price"::numeric) < 100000000 then _r."price"::numeric::numeric(10, 2) end end) or _r."next__colour" is distinct from (case when _r."colour" is not null then array[_r."colour"]::text[] end) or _r."next__released" is distinct from ((_r."released" at time zone 'UTC')::date))
  returning 1
)
select (select _batch._key::text from _batch order by _batch._key desc limit 1) as last, (select count(*) from _written) as written;

-- 010-require-products-code (before, safe): Allow no record without the new products.code.
alter table "type_change"."products" add constraint "present__code" check ("next__code" is not null) not valid;

-- 011-validate-present-products-code (before, online): Check that every record has the new products.code.
alter table "type_change"."products" validate constraint "present__code";

-- 012-require-products-colour (before, safe): Allow no record without the new products.colour.
alter table "type_change"."products" add constraint "present__colour" check ("next__colour" is not null) not valid;

-- 013-validate-present-products-colour (before, online): Check that every record has the new products.colour.
alter table "type_change"."products" validate constraint "present__colour";

-- 014-guard-index-products-price (before, online, outside a transaction): Build an index over records of products with a price that is not a number with at most 8 digits before and 2 after the decimal point. It should be empty.
-- after a broken try: drop index concurrently if exists "type_change"."guard__products__price";
create index concurrently "guard__products__price" on "type_change"."products" ((1)) where "price" is not null and "next__price" is null;

-- 015-guard-index-check-products--code--check (before, online, outside a transaction): Build an index over records of products with a code longer than 255. It should be empty.
-- after a broken try: drop index concurrently if exists "type_change"."guard__products__products__code__check";
create index concurrently "guard__products__products__code__check" on "type_change"."products" ((1)) where (char_length("next__code") <= 255) is false;

-- 016-guard-index-check-products--colour--check (before, online, outside a transaction): Build an index over records of products with a colour with members other than red, green. It should be empty.
-- after a broken try: drop index concurrently if exists "type_change"."guard__products__products__colour__check";
create index concurrently "guard__products__products__colour__check" on "type_change"."products" ((1)) where ("next__colour" <@ array['green', 'red']::text[]) is false;

-- 017-unique-products--code--key (before, online, outside a transaction): Add a unique constraint: no two records of products can have the same code.
-- after a broken try: drop index concurrently if exists "type_change"."next__products__code__key";
create unique index concurrently "next__products__code__key" on "type_change"."products" ("next__code");

-- 018-guard-products-price (switch, data_dependent): Make sure that no records of products with a price that is not a number with at most 8 digits before and 2 after the decimal point were written during the deployment.
lock table "type_change"."products" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "type_change"."products" where "price" is not null and "next__price" is null) then
    raise exception using message = 'a record of products with a price that is not a number with at most 8 digits before and 2 after the decimal point was written during the deployment', errcode = 'check_violation', table = 'products', column = 'price';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "type_change"."guard__products__price";

-- 019-guard-check-products--code--check (switch, data_dependent): Make sure that no records of products with a code longer than 255 were written during the deployment.
lock table "type_change"."products" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "type_change"."products" where (char_length("next__code") <= 255) is false) then
    raise exception using message = 'a record of products with a code longer than 255 was written during the deployment', errcode = 'check_violation', table = 'products', column = 'code';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "type_change"."guard__products__products__code__check";

-- 020-guard-check-products--colour--check (switch, data_dependent): Make sure that no records of products with a colour with members other than red, green were written during the deployment.
lock table "type_change"."products" in access exclusive mode;
do $body$ #variable_conflict use_column
begin
  perform set_config('enable_seqscan', 'off', true);
  if exists (select from "type_change"."products" where ("next__colour" <@ array['green', 'red']::text[]) is false) then
    raise exception using message = 'a record of products with a colour with members other than red, green was written during the deployment', errcode = 'check_violation', table = 'products', column = 'colour';
  end if;
  perform set_config('enable_seqscan', 'on', true);
end $body$;
drop index "type_change"."guard__products__products__colour__check";

-- 021-unfeed-products (switch, safe): Remove the trigger that fills the new columns of products.
drop trigger "feed__products" on "type_change"."products";
drop function "type_change"."feed__products"();

-- 022-drop-check-products--price--check (switch, safe): Remove the rule on products.price.
alter table "type_change"."products" drop constraint "products__price__check";

-- 023-drop-check-products--colour--check (switch, safe): Remove the rule on products.colour.
alter table "type_change"."products" drop constraint "products__colour__check";

-- 024-drop-check-products--shelf--check (switch, safe): Remove the rule on products.shelf.
alter table "type_change"."products" drop constraint "products__shelf__check";

-- 025-drop-unique-products--code--key (switch, safe): Remove the old unique constraint on products (code); the new one replaces it.
drop index "type_change"."products__code__key";

-- 026-set-aside-products-code (switch, rewrite): Set the old column products.code aside, with its values.
alter table "type_change"."products" alter column "code" drop not null;
alter table "type_change"."products" rename column "code" to "aside__r7__code";

-- 027-set-aside-products-price (switch, rewrite): Set the old column products.price aside, with its values.
alter table "type_change"."products" rename column "price" to "aside__r7__price";

-- 028-set-aside-products-colour (switch, rewrite): Set the old column products.colour aside, with its values.
alter table "type_change"."products" alter column "colour" drop default;
alter table "type_change"."products" alter column "colour" drop not null;
alter table "type_change"."products" rename column "colour" to "aside__r7__colour";

-- 029-set-aside-products-released (switch, destructive): Set the old column products.released aside, with its values.
alter table "type_change"."products" rename column "released" to "aside__r7__released";

-- 030-rename-columns-products (switch, rewrite): Rename shelf to place in products. No record is rewritten. Replace the old columns of products by the new ones: code, price, colour, released.
alter table "type_change"."products" rename column "next__code" to "code";
alter table "type_change"."products" rename column "next__price" to "price";
alter table "type_change"."products" rename column "next__colour" to "colour";
alter table "type_change"."products" rename column "next__released" to "released";
alter table "type_change"."products" rename column "shelf" to "place";

-- 031-rename-indexes-products (switch, safe): Rename the indexes of products.
alter index "type_change"."next__products__code__key" rename to "products__code__key";

-- 032-not-null-products-code (switch, safe): Make products.code required in the database.
alter table "type_change"."products" alter column "code" set not null;
alter table "type_change"."products" drop constraint "present__code";

-- 033-not-null-products-colour (switch, safe): Make products.colour required in the database.
alter table "type_change"."products" alter column "colour" set not null;
alter table "type_change"."products" drop constraint "present__colour";

-- 034-retype-products-weight (switch, safe): Change the type of products.weight to numeric(12,2). No record is rewritten.
alter table "type_change"."products" alter column "weight" type numeric(12,2);

-- 035-add-check-products--code--check (switch, data_dependent): Add the rule on the values of products.code.
alter table "type_change"."products" add constraint "products__code__check" check (char_length("code") <= 255) not valid;

-- 036-add-check-products--colour--check (switch, data_dependent): Add the rule on the values of products.colour.
alter table "type_change"."products" add constraint "products__colour__check" check ("colour" <@ array['green', 'red']::text[]) not valid;

-- 037-validate-products--code--check (after, online): Check the existing records of products against the rule on products.code.
alter table "type_change"."products" validate constraint "products__code__check";

-- 038-validate-products--colour--check (after, online): Check the existing records of products against the rule on products.colour.
alter table "type_change"."products" validate constraint "products__colour__check";
