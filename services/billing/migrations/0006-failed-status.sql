-- A call whose caller left has the status 499 and no error: it is found by its status, too.
CREATE INDEX usage_records_by_bad_status ON billing.usage_records (account_id, status, request_id DESC)
  WHERE status >= 400;
DROP INDEX billing.usage_records_by_failed_status;
