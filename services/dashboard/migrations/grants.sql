-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.users, dashboard.registrations, dashboard.sessions,
  dashboard.attempts TO :"service";
-- Insert-only.
GRANT SELECT, INSERT ON dashboard.removed_members TO :"service";
-- Insert-only. The database sets the number of an entry and all times.
GRANT SELECT, INSERT (account_id, actor_id, actor_email, by_operator, action, subject, changes, done, request_id, address)
  ON dashboard.audit_entries TO :"service";
GRANT SELECT, INSERT (seq, outcome, error_code, account_id, subject) ON dashboard.audit_outcomes TO :"service";
-- A view for the version before, whose triggers append to these two tables. Remove it with the view.
GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.audit TO :"service";
GRANT SELECT, INSERT, UPDATE ON dashboard.invitations TO :"service";
