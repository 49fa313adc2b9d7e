-- A call whose client disconnected has the status 499 and no error, so failed calls are found by status as well.
CREATE INDEX usage_records_by_bad_status ON billing.usage_records (account_id, status, request_id DESC)
  WHERE status >= 400;
DROP INDEX billing.usage_records_by_failed_status;
