-- What the language made of a text when it was last valid, so that what is live can be compared with a change even where a
-- newer version of the language refuses its text. Null for what was stored before; filled in at the next start.
ALTER TABLE control.blueprint_versions ADD COLUMN model json, ADD COLUMN model_version integer,
  ADD CHECK ((model IS NULL) = (model_version IS NULL));
