-- 001-create-table-categories (safe): Create the table categories.
create table "additive_change"."categories" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "parent_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "categories__pkey" primary key ("id"),
  constraint "categories__name__key" unique ("name"),
  constraint "categories__name__check" check (char_length("name") <= 255)
);
create index "categories__parent_id__idx" on "additive_change"."categories" ("parent_id");
create index "categories__created_by__idx" on "additive_change"."categories" ("created_by");
create index "categories__created_at__id__idx" on "additive_change"."categories" ("created_at", "id");
grant select, insert, update, delete on "additive_change"."categories" to "additive_change_worker";

-- 002-default-listings-status (safe): Change the default of listings.status.
alter table "additive_change"."listings" alter column "status" set default 'active';

-- 003-add-column-listings-note (safe): Add the column listings.note (optional).
alter table "additive_change"."listings" add column "note" text collate "C";

-- 004-add-column-listings-sold-to (safe): Add the column listings.sold_to (optional).
alter table "additive_change"."listings" add column "sold_to" text collate "C";

-- 005-add-column-listings-featured (safe): Add the column listings.featured (with its default).
alter table "additive_change"."listings" add column "featured" boolean not null default false;

-- 006-add-column-listings-kind (safe): Add the column listings.kind (with its default).
alter table "additive_change"."listings" add column "kind" text collate "C" not null default 'offer';

-- 007-add-column-listings-category-id (safe): Add the column listings.category_id (optional).
alter table "additive_change"."listings" add column "category_id" uuid;

-- 008-widen-check-listings-title (safe): Widen what listings.title may hold.
alter table "additive_change"."listings" drop constraint "listings__title__check";
alter table "additive_change"."listings" add constraint "listings__title__check" check (char_length("title") <= 120) not valid;

-- 009-validate-listings-title (online): Check the records of listings that stand already.
alter table "additive_change"."listings" validate constraint "listings__title__check";

-- 010-widen-check-listings-status (safe): Widen what listings.status may hold.
alter table "additive_change"."listings" drop constraint "listings__status__check";
alter table "additive_change"."listings" add constraint "listings__status__check" check ("status" in ('draft', 'active', 'sold')) not valid;

-- 011-validate-listings-status (online): Check the records of listings that stand already.
alter table "additive_change"."listings" validate constraint "listings__status__check";

-- 012-add-check-listings-sold-to (safe): Check what listings.sold_to may hold.
alter table "additive_change"."listings" add constraint "listings__sold_to__check" check (char_length("sold_to") <= 255) not valid;

-- 013-validate-listings-sold-to (online): Check the records of listings that stand already.
alter table "additive_change"."listings" validate constraint "listings__sold_to__check";

-- 014-add-check-listings-kind (safe): Check what listings.kind may hold.
alter table "additive_change"."listings" add constraint "listings__kind__check" check ("kind" in ('offer', 'request')) not valid;

-- 015-validate-listings-kind (online): Check the records of listings that stand already.
alter table "additive_change"."listings" validate constraint "listings__kind__check";

-- 016-reference-listings-category-id (safe): Let listings.category_id refer to categories.
alter table "additive_change"."listings" add constraint "listings__category_id__fkey" foreign key ("category_id") references "additive_change"."categories" ("id") on delete set null not valid;

-- 017-validate-listings-category-id (online): Check the records of listings that stand already.
alter table "additive_change"."listings" validate constraint "listings__category_id__fkey";

-- 018-unique-index-listings-sold-to (online, outside a transaction): Build the index behind the unique listings.sold_to.
-- after a broken try: drop index concurrently if exists "additive_change"."listings__sold_to__key";
create unique index concurrently "listings__sold_to__key" on "additive_change"."listings" ("sold_to");

-- 019-unique-listings-sold-to (safe): Make listings.sold_to unique.
alter table "additive_change"."listings" add constraint "listings__sold_to__key" unique using index "listings__sold_to__key";

-- 020-index-listings-category-id (online, outside a transaction): Build an index on listings (category_id).
-- after a broken try: drop index concurrently if exists "additive_change"."listings__category_id__idx";
create index concurrently "listings__category_id__idx" on "additive_change"."listings" ("category_id");

-- 021-reference-categories-parent-id (safe): Let categories.parent_id refer to categories.
alter table "additive_change"."categories" add constraint "categories__parent_id__fkey" foreign key ("parent_id") references "additive_change"."categories" ("id") on delete set null;

-- 022-reference-categories-created-by (safe): Let categories.created_by refer to users.
alter table "additive_change"."categories" add constraint "categories__created_by__fkey" foreign key ("created_by") references "additive_change"."users" ("id") on delete set null;
