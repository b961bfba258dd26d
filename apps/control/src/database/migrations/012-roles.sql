-- Between the owner, who may do everything, and the viewer, who reads, are the admin and the developer.
ALTER TABLE control.memberships DROP CONSTRAINT memberships_role_check;
ALTER TABLE control.memberships ADD CONSTRAINT memberships_role_check
  CHECK (role IN ('owner', 'admin', 'developer', 'viewer'));
ALTER TABLE control.invitations DROP CONSTRAINT invitations_role_check;
ALTER TABLE control.invitations ADD CONSTRAINT invitations_role_check
  CHECK (role IN ('owner', 'admin', 'developer', 'viewer'));

-- Whoever has left the organization that was made for them gets another one, once they are a member of none.
UPDATE control.organizations o SET personal_of = NULL
WHERE personal_of IS NOT NULL AND NOT EXISTS (
  SELECT FROM control.memberships m WHERE m.organization_id = o.id AND m.person_id = o.personal_of
);
