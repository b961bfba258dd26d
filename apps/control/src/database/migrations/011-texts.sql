-- A text as today's language means it, where an earlier version of it read the stored one otherwise. What was deployed stays as
-- it was approved; what is shown, compared and gone back to is this.
ALTER TABLE control.blueprint_versions ADD COLUMN text_now text;
-- The same text may be uploaded again, and then means what the language of today says.
ALTER TABLE control.blueprint_versions DROP CONSTRAINT blueprint_versions_project_id_hash_key;
CREATE UNIQUE INDEX blueprint_versions_text ON control.blueprint_versions (project_id, hash) WHERE text_now IS NULL;
