-- Unfinished registrations are deleted by age.
CREATE INDEX registrations_age ON dashboard.registrations (created_at);
