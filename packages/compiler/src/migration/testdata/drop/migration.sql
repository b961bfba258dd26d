-- 001-drop-reference-listings--category-id--fkey (switch, safe): Remove the foreign key from listings.category_id to categories.
alter table "drop"."listings" drop constraint "listings__category_id__fkey";

-- 002-set-aside-listings-price (switch, destructive): Remove listings.price, and keep its values for a while.
alter table "drop"."listings" alter column "price" drop default;
alter table "drop"."listings" alter column "price" drop not null;
alter table "drop"."listings" rename column "price" to "aside__r7__price";

-- 003-set-aside-listings-category-id (switch, destructive): Remove listings.category_id, and keep its values for a while.
alter table "drop"."listings" alter column "category_id" drop not null;
alter table "drop"."listings" rename column "category_id" to "aside__r7__category_id";

-- 004-set-aside-listings--tags (switch, destructive): Remove listings__tags, and keep its records for a while.
alter table "drop"."listings__tags" drop constraint "listings__tags__listing_id__fkey";
alter table "drop"."listings__tags" drop constraint "listings__tags__tag_id__fkey";
revoke select, insert, delete on "drop"."listings__tags" from "drop_worker";
alter index "drop"."listings__tags__pkey" rename to "aside__r7__listings__tags__pkey";
alter index "drop"."listings__tags__tag_id__idx" rename to "aside__r7__listings__tags__tag_id__idx";
alter table "drop"."listings__tags" rename to "aside__r7__listings__tags";

-- 005-set-aside-categories (switch, destructive): Remove categories, and keep its records for a while.
alter table "drop"."categories" drop constraint "categories__created_by__fkey";
revoke select, insert, update, delete on "drop"."categories" from "drop_worker";
alter index "drop"."categories__pkey" rename to "aside__r7__categories__pkey";
alter index "drop"."categories__name__key" rename to "aside__r7__categories__name__key";
alter index "drop"."categories__created_by__idx" rename to "aside__r7__categories__created_by__idx";
alter index "drop"."categories__created_at__id__idx" rename to "aside__r7__categories__created_at__id__idx";
alter table "drop"."categories" rename to "aside__r7__categories";

-- 006-drop-index-listings--category-id--idx (after, online, outside a transaction): Remove the index listings__category_id__idx.
drop index concurrently if exists "drop"."listings__category_id__idx";
