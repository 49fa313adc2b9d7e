-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.users, dashboard.registrations, dashboard.sessions,
  dashboard.attempts TO :"service";
-- Insert-only.
GRANT SELECT, INSERT ON dashboard.removed_members TO :"service";
-- Written before a change, completed after it, and taken out again if the change was refused.
GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.audit TO :"service";
