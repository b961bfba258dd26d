-- 001-add-search-books (before, safe): Add the search column of books.
alter table "library"."books" add column "next___search" tsvector;

-- 002-add-search-authors (before, safe): Add the search column of authors.
alter table "library"."authors" add column "_search" tsvector;

-- 003-keep-search-books (before, safe): Add a trigger that updates the search column of books when its texts change.
create or replace function "library"."next__search__books"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  if tg_op = 'INSERT' or row(new."title") is distinct from row(old."title") then
    new."next___search" := (setweight((select (to_tsvector('german', _written)::text || ' ' || to_tsvector('german', _folded)::text || ' ' || ts_delete(to_tsvector('simple', _folded), array(select lexeme from unnest(to_tsvector('simple', _written)) where to_tsvector('german', lexeme) = ''))::text)::tsvector from (select _written, (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end) as _folded from (select lower((left(concat_ws(' ', new."title"), 100000)) collate "default") as _written offset 0) _d offset 0) _f), 'A'));
  end if;
  return new;
end $body$;
create or replace trigger "next__search__books" before insert or update on "library"."books" for each row execute function "library"."next__search__books"();

-- 004-keep-search-authors (before, safe): Add a trigger that updates the search column of authors when its texts change.
create or replace function "library"."search__authors"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  if tg_op = 'INSERT' or row(new."name") is distinct from row(old."name") then
    new."_search" := ((select (to_tsvector('german', _written)::text || ' ' || to_tsvector('german', _folded)::text || ' ' || ts_delete(to_tsvector('simple', _folded), array(select lexeme from unnest(to_tsvector('simple', _written)) where to_tsvector('german', lexeme) = ''))::text)::tsvector from (select _written, (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end) as _folded from (select lower((left(concat_ws(' ', new."name"), 100000)) collate "default") as _written offset 0) _d offset 0) _f) || (select array_to_tsvector(array(select '~' || lexeme from unnest(to_tsvector('simple', (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end))) where length(lexeme) between 4 and 40)) from (select left(concat_ws(' ', new."name"), 100000) as _written offset 0) _d));
  end if;
  return new;
end $body$;
create or replace trigger "search__authors" before insert or update on "library"."authors" for each row execute function "library"."search__authors"();

-- 005-fill-search-books (before, backfill): Fill the search column of books, one batch of records at a time.
-- again and again, until it answers no key
with _batch as materialized (
  select "id" as _key from "library"."books" where :after::text is null or "id" > :after::text::uuid order by "id" limit :limit
), _written as (
  update "library"."books" _r set "next___search" = (setweight((select (to_tsvector('german', _written)::text || ' ' || to_tsvector('german', _folded)::text || ' ' || ts_delete(to_tsvector('simple', _folded), array(select lexeme from unnest(to_tsvector('simple', _written)) where to_tsvector('german', lexeme) = ''))::text)::tsvector from (select _written, (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end) as _folded from (select lower((left(concat_ws(' ', _r."title"), 100000)) collate "default") as _written offset 0) _d offset 0) _f), 'A'))
  from _batch where _r."id" = _batch._key and (_r."next___search" is null)
  returning 1
)
select (select _batch._key::text from _batch order by _batch._key desc limit 1) as last, (select count(*) from _written) as written;

-- 006-fill-search-authors (before, backfill): Fill the search column of authors, one batch of records at a time.
-- again and again, until it answers no key
with _batch as materialized (
  select "id" as _key from "library"."authors" where :after::text is null or "id" > :after::text::uuid order by "id" limit :limit
), _written as (
  update "library"."authors" _r set "_search" = ((select (to_tsvector('german', _written)::text || ' ' || to_tsvector('german', _folded)::text || ' ' || ts_delete(to_tsvector('simple', _folded), array(select lexeme from unnest(to_tsvector('simple', _written)) where to_tsvector('german', lexeme) = ''))::text)::tsvector from (select _written, (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end) as _folded from (select lower((left(concat_ws(' ', _r."name"), 100000)) collate "default") as _written offset 0) _d offset 0) _f) || (select array_to_tsvector(array(select '~' || lexeme from unnest(to_tsvector('simple', (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end))) where length(lexeme) between 4 and 40)) from (select left(concat_ws(' ', _r."name"), 100000) as _written offset 0) _d))
  from _batch where _r."id" = _batch._key and (_r."_search" is null)
  returning 1
)
select (select _batch._key::text from _batch order by _batch._key desc limit 1) as last, (select count(*) from _written) as written;

-- 007-index-books--heading--gin (before, online, outside a transaction): Build the search index of books.
-- after a broken try: drop index concurrently if exists "library"."books__heading__gin";
create index concurrently "books__heading__gin" on "library"."books" using gin ("next___search");

-- 008-index-authors--name--trgm (before, online, outside a transaction): Build an index on authors (name).
-- after a broken try: drop index concurrently if exists "library"."authors__name__trgm";
create index concurrently "authors__name__trgm" on "library"."authors" using gin (((case when octet_length(left(coalesce("name", ''), 200)) = length(left(coalesce("name", ''), 200)) then lower((left(coalesce("name", ''), 200)) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(left(coalesce("name", ''), 200), nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end)) "plinth_extensions".gin_trgm_ops);

-- 009-index-authors--name--gin (before, online, outside a transaction): Build the search index of authors.
-- after a broken try: drop index concurrently if exists "library"."authors__name__gin";
create index concurrently "authors__name__gin" on "library"."authors" using gin ("_search");

-- 010-stop-search--books (switch, safe): Remove the trigger that updates the search column of books under its old names.
drop trigger "search__books" on "library"."books";
drop function "library"."search__books"();

-- 011-stop-next--search--books (switch, safe): Remove the trigger that updates the search column of books under its old names.
drop trigger "next__search__books" on "library"."books";
drop function "library"."next__search__books"();

-- 012-stop-search--shelves (switch, safe): Remove the trigger that updates the search column of shelves under its old names.
drop trigger "search__shelves" on "library"."shelves";
drop function "library"."search__shelves"();

-- 013-drop-search-books (switch, safe): Remove the search column of books.
alter table "library"."books" drop column "_search";

-- 014-drop-search-shelves (switch, safe): Remove the search column of shelves.
alter table "library"."shelves" drop column "_search";

-- 015-rename-columns-books (switch, safe): Rename title to heading in books. No record is rewritten.
alter table "library"."books" rename column "title" to "heading";

-- 016-rename-rules-books (switch, safe): Rename the constraints of books.
alter table "library"."books" rename constraint "books__title__check" to "books__heading__check";

-- 017-keep-search-books (switch, safe): Add a trigger that updates the search column of books under its new names.
create or replace function "library"."search__books"() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $body$
begin
  if tg_op = 'INSERT' or row(new."heading") is distinct from row(old."heading") then
    new."_search" := (setweight((select (to_tsvector('german', _written)::text || ' ' || to_tsvector('german', _folded)::text || ' ' || ts_delete(to_tsvector('simple', _folded), array(select lexeme from unnest(to_tsvector('simple', _written)) where to_tsvector('german', lexeme) = ''))::text)::tsvector from (select _written, (case when octet_length(_written) = length(_written) then lower((_written) collate "default") else replace(replace(replace(replace(translate(lower((normalize(regexp_replace(normalize(_written, nfd), '[\u0300-\u036f]', '', 'g'), nfc)) collate "default"), 'øłđðħıŧŋſς', 'olddhitnsσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end) as _folded from (select lower((left(concat_ws(' ', new."heading"), 100000)) collate "default") as _written offset 0) _d offset 0) _f), 'A'));
  end if;
  return new;
end $body$;
create or replace trigger "search__books" before insert or update on "library"."books" for each row execute function "library"."search__books"();

-- 018-place-search-books (switch, safe): Replace the old search column of books by the new one.
alter table "library"."books" rename column "next___search" to "_search";
