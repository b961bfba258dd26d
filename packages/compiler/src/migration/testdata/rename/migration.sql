-- 001-rename-posts-to-articles (switch, safe): Rename posts to articles. No record is rewritten.
alter table "rename"."posts" rename to "articles";

-- 002-rename-columns-articles (switch, safe): Rename title to headline, kind to section, parent_id to origin_id in articles. No record is rewritten.
alter table "rename"."articles" rename column "title" to "headline";
alter table "rename"."articles" rename column "kind" to "section";
alter table "rename"."articles" rename column "parent_id" to "origin_id";

-- 003-rename-indexes-articles (switch, safe): Rename the indexes of articles.
alter index "rename"."posts__pkey" rename to "articles__pkey";
alter index "rename"."posts__title__key" rename to "articles__headline__key";
alter index "rename"."posts__author_id__idx" rename to "articles__author_id__idx";
alter index "rename"."posts__parent_id__idx" rename to "articles__origin_id__idx";
alter index "rename"."posts__created_by__idx" rename to "articles__created_by__idx";
alter index "rename"."posts__created_at__id__idx" rename to "articles__created_at__id__idx";

-- 004-rename-rules-articles (switch, safe): Rename the constraints of articles.
alter table "rename"."articles" rename constraint "posts__title__check" to "articles__headline__check";
alter table "rename"."articles" rename constraint "posts__kind__check" to "articles__section__check";
alter table "rename"."articles" rename constraint "posts__author_id__fkey" to "articles__author_id__fkey";
alter table "rename"."articles" rename constraint "posts__parent_id__fkey" to "articles__origin_id__fkey";
alter table "rename"."articles" rename constraint "posts__created_by__fkey" to "articles__created_by__fkey";

-- 005-rename-posts--tags-to-articles--topics (switch, safe): Rename posts__tags to articles__topics. No record is rewritten.
alter table "rename"."posts__tags" rename to "articles__topics";

-- 006-rename-columns-articles--topics (switch, safe): Rename post_id to article_id, tag_id to topic_id in articles__topics. No record is rewritten.
alter table "rename"."articles__topics" rename column "post_id" to "article_id";
alter table "rename"."articles__topics" rename column "tag_id" to "topic_id";

-- 007-rename-indexes-articles--topics (switch, safe): Rename the indexes of articles__topics.
alter index "rename"."posts__tags__pkey" rename to "articles__topics__pkey";
alter index "rename"."posts__tags__tag_id__idx" rename to "articles__topics__topic_id__idx";

-- 008-rename-rules-articles--topics (switch, safe): Rename the constraints of articles__topics.
alter table "rename"."articles__topics" rename constraint "posts__tags__post_id__fkey" to "articles__topics__article_id__fkey";
alter table "rename"."articles__topics" rename constraint "posts__tags__tag_id__fkey" to "articles__topics__topic_id__fkey";

-- 009-rename-tags-to-topics (switch, safe): Rename tags to topics. No record is rewritten.
alter table "rename"."tags" rename to "topics";

-- 010-rename-indexes-topics (switch, safe): Rename the indexes of topics.
alter index "rename"."tags__pkey" rename to "topics__pkey";
alter index "rename"."tags__word__key" rename to "topics__word__key";
alter index "rename"."tags__created_by__idx" rename to "topics__created_by__idx";
alter index "rename"."tags__created_at__id__idx" rename to "topics__created_at__id__idx";

-- 011-rename-rules-topics (switch, safe): Rename the constraints of topics.
alter table "rename"."topics" rename constraint "tags__word__check" to "topics__word__check";
alter table "rename"."topics" rename constraint "tags__created_by__fkey" to "topics__created_by__fkey";
