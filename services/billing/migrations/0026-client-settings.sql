-- Settings of a key for clients: tools that the model can't have are left out of its calls instead of refused, and the detail
-- of an error is part of its message.
ALTER TABLE billing.keys ADD COLUMN drop_unsupported_tools boolean NOT NULL DEFAULT false;
ALTER TABLE billing.keys ADD COLUMN detailed_messages boolean NOT NULL DEFAULT false;
