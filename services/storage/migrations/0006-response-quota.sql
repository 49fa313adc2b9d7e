-- For the sum of an account's stored responses. In a migration of its own: building it takes some seconds per million responses, during which
-- responses can be read but not written.
CREATE INDEX responses_by_account ON storage.responses (account_id) INCLUDE (input_bytes, response_bytes, expires_at);
