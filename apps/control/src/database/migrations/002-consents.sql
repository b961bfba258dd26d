-- What an approval owes by name, whose work the change is, what the live database said about the plan, and what an earlier
-- version's text can't bring back.
ALTER TABLE control.proposals
  ADD COLUMN author text NOT NULL DEFAULT 'person' CHECK (author IN ('person', 'ai')),
  ADD COLUMN consents json NOT NULL DEFAULT '[]',
  ADD COLUMN losses json NOT NULL DEFAULT '[]',
  ADD COLUMN measures json;

-- Set while a live deployment whose last steps failed is to be handed to the cell once more.
ALTER TABLE control.deployments ADD COLUMN resuming boolean NOT NULL DEFAULT false;
