-- What the service may do, in full: applied after the migrations, in place of what was granted before. A privilege is
-- taken out a version later than the code that needs it, because both versions run side by side.

GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.users, dashboard.registrations, dashboard.sessions,
  dashboard.attempts TO :"service";
-- Written before a change, completed after it, and taken out again if the change was refused.
GRANT SELECT, INSERT, UPDATE, DELETE ON dashboard.audit TO :"service";
