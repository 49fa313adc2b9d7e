-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.users, dashboard.registrations, dashboard.sessions,
  dashboard.attempts TO :"service";
-- Insert-only.
GRANT SELECT, INSERT ON dashboard.removed_members TO :"service";
-- Insert-only.
GRANT SELECT, INSERT ON dashboard.audit_entries, dashboard.audit_outcomes TO :"service";
-- A view for the version before, whose triggers append to these two tables. Remove it with the view.
GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.audit TO :"service";
GRANT SELECT, INSERT, UPDATE ON dashboard.invitations TO :"service";
