-- 001-add-column-pages-deleted-at (before, safe): Add the column pages.deleted_at (optional).
alter table "soft_delete"."pages" add column "deleted_at" timestamptz;

-- 002-unique-pages--slug--key (before, online, outside a transaction): Add a unique constraint: no two records of pages can have the same slug where deleted_at is null.
-- after a broken try: drop index concurrently if exists "soft_delete"."next__pages__slug__key";
create unique index concurrently "next__pages__slug__key" on "soft_delete"."pages" ("slug") where "deleted_at" is null;

-- 003-index-pages--created-at--id--idx (before, online, outside a transaction): Build an index on pages (created_at, id).
-- after a broken try: drop index concurrently if exists "soft_delete"."next__pages__created_at__id__idx";
create index concurrently "next__pages__created_at__id__idx" on "soft_delete"."pages" ("created_at", "id") where "deleted_at" is null;

-- 004-drop-unique-pages--slug--key (switch, safe): Remove the old unique constraint on pages (slug); the new one replaces it.
drop index "soft_delete"."pages__slug__key";

-- 005-drop-index-pages--created-at--id--idx (switch, safe): Remove the index pages__created_at__id__idx.
drop index "soft_delete"."pages__created_at__id__idx";

-- 006-rename-indexes-pages (switch, safe): Rename the indexes of pages.
alter index "soft_delete"."next__pages__slug__key" rename to "pages__slug__key";
alter index "soft_delete"."next__pages__created_at__id__idx" rename to "pages__created_at__id__idx";
