-- In a migration of their own, because adding columns locks out readers too. Building these indexes takes some seconds per
-- ten million holds, during which holds can be read but not written.
-- They contain running tasks only, in the order of the request log of an account and of all accounts, followed by the columns
-- of its filters.
CREATE INDEX holds_of_tasks ON billing.holds (account_id, request_id DESC, key_id, model)
  WHERE state = 'open' AND makes_task;
CREATE INDEX holds_of_all_tasks ON billing.holds (request_id DESC, key_id, model)
  WHERE state = 'open' AND makes_task;
