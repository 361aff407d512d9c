-- What each attempt used, for figures by model; none for older attempts.
ALTER TABLE attempts ADD COLUMN input_tokens bigint, ADD COLUMN output_tokens bigint, ADD COLUMN cost_usd double precision;
