-- A list reads one index in the order of its page. The columns of further filters follow, so that the index excludes
-- rows without reading them: an almost empty page costs an index scan at most. The first columns are unchanged.
DROP INDEX billing.usage_records_by_account;
CREATE INDEX usage_records_by_account ON billing.usage_records (account_id, request_id DESC, status);
DROP INDEX billing.usage_records_by_key;
CREATE INDEX usage_records_by_key ON billing.usage_records (account_id, key_id, request_id DESC, model, status);
DROP INDEX billing.usage_records_by_model;
CREATE INDEX usage_records_by_model ON billing.usage_records (account_id, model, request_id DESC, status);
DROP INDEX billing.usage_records_by_error;
CREATE INDEX usage_records_by_error
  ON billing.usage_records (account_id, error_code, request_id DESC, key_id, model, status)
  WHERE error_code <> '';
-- Nearly all calls have the status 200.
DROP INDEX billing.usage_records_by_bad_status;
CREATE INDEX usage_records_by_other_status
  ON billing.usage_records (account_id, status, request_id DESC, key_id, model, error_code)
  WHERE status <> 200;
