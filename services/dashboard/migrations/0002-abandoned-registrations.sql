-- Registrations that broke off are looked for by age, to be forgotten.
CREATE INDEX registrations_age ON dashboard.registrations (created_at);
