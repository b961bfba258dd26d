-- 001-create-table-categories (before, safe): Create the table categories.
create table "additive_change"."categories" (
  "id" uuid not null,
  "name" text collate "C" not null,
  "parent_id" uuid,
  "created_by" uuid,
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "version" integer not null default 1,
  constraint "categories__pkey" primary key ("id"),
  constraint "categories__name__check" check (char_length("name") <= 255)
);
create unique index "categories__name__key" on "additive_change"."categories" ("name");
create index "categories__parent_id__idx" on "additive_change"."categories" ("parent_id");
create index "categories__created_by__idx" on "additive_change"."categories" ("created_by");
create index "categories__created_at__id__idx" on "additive_change"."categories" ("created_at", "id");
grant select, insert, update, delete on "additive_change"."categories" to "additive_change_worker";

-- 002-add-column-listings-note (before, safe): Add the column listings.note (optional).
alter table "additive_change"."listings" add column "note" text collate "C";

-- 003-add-column-listings-sold-to (before, safe): Add the column listings.sold_to (optional).
alter table "additive_change"."listings" add column "sold_to" text collate "C";

-- 004-add-column-listings-featured (before, safe): Add the column listings.featured (with its default).
alter table "additive_change"."listings" add column "featured" boolean not null default false;

-- 005-add-column-listings-kind (before, safe): Add the column listings.kind (with its default).
alter table "additive_change"."listings" add column "kind" text collate "C" not null default 'offer';

-- 006-add-column-listings-category-id (before, safe): Add the column listings.category_id (optional).
alter table "additive_change"."listings" add column "category_id" uuid;

-- 007-add-check-listings--sold-to--check (before, safe): Add the rule on the values of listings.sold_to.
alter table "additive_change"."listings" add constraint "listings__sold_to__check" check (char_length("sold_to") <= 255) not valid;

-- 008-validate-listings--sold-to--check (before, online): Check the existing records of listings against the rule on listings.sold_to.
alter table "additive_change"."listings" validate constraint "listings__sold_to__check";

-- 009-add-check-listings--kind--check (before, safe): Add the rule on the values of listings.kind.
alter table "additive_change"."listings" add constraint "listings__kind__check" check ("kind" in ('offer', 'request')) not valid;

-- 010-validate-listings--kind--check (before, online): Check the existing records of listings against the rule on listings.kind.
alter table "additive_change"."listings" validate constraint "listings__kind__check";

-- 011-unique-listings--sold-to--key (before, online, outside a transaction): Add a unique constraint: no two records of listings can have the same sold_to.
-- after a broken try: drop index concurrently if exists "additive_change"."listings__sold_to__key";
create unique index concurrently "listings__sold_to__key" on "additive_change"."listings" ("sold_to");

-- 012-index-listings--category-id--idx (before, online, outside a transaction): Build an index on listings (category_id).
-- after a broken try: drop index concurrently if exists "additive_change"."listings__category_id__idx";
create index concurrently "listings__category_id__idx" on "additive_change"."listings" ("category_id");

-- 013-index-listings--status--created-at--id--idx (before, online, outside a transaction): Build an index on listings (status, created_at, id).
-- after a broken try: drop index concurrently if exists "additive_change"."listings__status__created_at__id__idx";
create index concurrently "listings__status__created_at__id__idx" on "additive_change"."listings" ("status", "created_at", "id");

-- 014-reference-categories-parent-id (before, safe): Add a foreign key from categories.parent_id to categories.
alter table "additive_change"."categories" add constraint "categories__parent_id__fkey" foreign key ("parent_id") references "additive_change"."categories" ("id");

-- 015-reference-categories-created-by (before, safe): Add a foreign key from categories.created_by to users.
alter table "additive_change"."categories" add constraint "categories__created_by__fkey" foreign key ("created_by") references "additive_change"."users" ("id");

-- 016-reference-listings-category-id (before, safe): Add a foreign key from listings.category_id to categories.
alter table "additive_change"."listings" add constraint "listings__category_id__fkey" foreign key ("category_id") references "additive_change"."categories" ("id") not valid;

-- 017-validate-listings--category-id--fkey (before, online): Check that each listings.category_id refers to an existing record of categories.
alter table "additive_change"."listings" validate constraint "listings__category_id__fkey";

-- 018-drop-check-listings--title--check (switch, safe): Remove the old rule on listings.title; the new one follows.
alter table "additive_change"."listings" drop constraint "listings__title__check";

-- 019-drop-check-listings--status--check (switch, safe): Remove the old rule on listings.status; the new one follows.
alter table "additive_change"."listings" drop constraint "listings__status__check";

-- 020-default-listings-status (switch, safe): Set the default of listings.status.
alter table "additive_change"."listings" alter column "status" set default 'active';

-- 021-add-check-listings--title--check (switch, online): Widen the rule on the values of listings.title.
alter table "additive_change"."listings" add constraint "listings__title__check" check (char_length("title") <= 120) not valid;

-- 022-add-check-listings--status--check (switch, online): Widen the rule on the values of listings.status.
alter table "additive_change"."listings" add constraint "listings__status__check" check ("status" in ('active', 'draft', 'sold')) not valid;

-- 023-validate-listings--title--check (after, online): Check the existing records of listings against the rule on listings.title.
alter table "additive_change"."listings" validate constraint "listings__title__check";

-- 024-validate-listings--status--check (after, online): Check the existing records of listings against the rule on listings.status.
alter table "additive_change"."listings" validate constraint "listings__status__check";
